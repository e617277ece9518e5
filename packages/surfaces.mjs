import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The name of each surface's document, and of the class of its operations in the clients. */
export const SURFACES = {
  partenaire: 'Partenaire',
  plateforme: 'Plateforme',
  administration: 'Administration',
};

/**
 * Parameters that clients do not have. They ask for JSON, with which the service refuses `separateur`. `Accept-Language` would be one of
 * every method.
 */
const LEFT_OUT = ['separateur', 'Accept-Language'];

/** Returns the path of a surface's document. */
export const documentOf = (name) =>
  join(dirname(fileURLToPath(import.meta.url)), '../docs/openapi', `${name}.json`);

/** Returns a surface's document without the parameters that clients do not have. */
export function clientDocumentOf(name) {
  const document = JSON.parse(readFileSync(documentOf(name), 'utf8'));
  const { parameters: shared = {} } = document.components;
  const isKept = ({ $ref, name: own }) => !LEFT_OUT.includes(own ?? $ref.split('/').at(-1));
  for (const operation of Object.values(document.paths).flatMap(Object.values))
    operation.parameters = operation.parameters?.filter(isKept);
  for (const one of LEFT_OUT) delete shared[one];
  return document;
}

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The name of each surface's document, and of the class of its operations in the clients. */
export const SURFACES = {
  partenaire: 'Partenaire',
  plateforme: 'Plateforme',
  administration: 'Administration',
};

/** Returns the path of a surface's document. */
export const documentOf = (name) =>
  join(dirname(fileURLToPath(import.meta.url)), '../docs/openapi', `${name}.json`);

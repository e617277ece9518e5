import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, type parseDocument } from 'yaml';

const ROOT = join(__dirname, '../../..');
export const BASE = 'deploy/kubernetes';
/** The example with cells. */
export const CELLS = 'deploy/cells';

export const EXAMPLE_SECRET = 'secret.example.yaml';

/** Content of a YAML file. */
export type Yaml = ReturnType<ReturnType<typeof parseDocument>['toJS']>;

/** The text of a file of the repository. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns the objects of a YAML file. A duplicate key is an error. */
export function objectsOf(path: string): Yaml[] {
  return parseAllDocuments(textOf(path), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return document.toJS();
  });
}

/** Every YAML file of the manifests in a folder, by its path in the repository. */
export function manifestFiles(folder = BASE): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file));
}

export const isKustomization = (file: string): boolean => file.endsWith('kustomization.yaml');

/** Returns all objects for Kubernetes, including the example of the Secret. */
export function manifests(): Yaml[] {
  return manifestFiles()
    .filter((file) => !isKustomization(file))
    .flatMap(objectsOf);
}

import { resolved } from '../../../tools/openapi/resolve';
import type { RunningApp } from './extended-app';

/** A JSON Schema as OpenAPI 3.0 writes it; only what the tests read is named. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly example?: unknown;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly nullable?: boolean;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly schema?: Schema;
}

export interface Content {
  readonly content?: Record<string, { readonly schema: Schema }>;
  readonly headers?: Record<string, { readonly description?: string }>;
}

/** Operation of an OpenAPI document. */
export interface Operation {
  /** Name in the router: `GET /b2b/v1/employe/:idExterne`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Record<string, Content>;
  readonly codes: readonly string[];
}

export interface Surface {
  readonly url: string;
  readonly prefix: string;
  readonly operations: readonly Operation[];
  readonly schemas: Record<string, Schema>;
}

const SURFACES = [
  { url: '/docs/openapi.json', prefix: '/b2b/' },
  { url: '/docs/plateforme/openapi.json', prefix: '/plateforme/' },
  { url: '/docs/admin/openapi.json', prefix: '/admin/' },
];

type Described = Omit<Operation, 'name' | 'method' | 'path' | 'codes'> & { 'x-codes'?: string[] };

interface Served {
  readonly paths: Record<string, Record<string, Described>>;
  readonly components?: { readonly schemas?: Record<string, Schema> };
}

/** Returns the three OpenAPI documents of the application, with shared components resolved. */
export async function surfacesOf(app: RunningApp): Promise<Surface[]> {
  return Promise.all(
    SURFACES.map(async ({ url, prefix }) => {
      const json = resolved((await app.send(undefined, 'GET', url)).json as Served);
      const operations = Object.entries(json.paths).flatMap(([path, item]) =>
        Object.entries(item).map(([verb, operation]) => {
          const method = verb.toUpperCase();
          const name = `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
          return { ...operation, name, method, path, codes: operation['x-codes'] ?? [] };
        }),
      );
      return { url, prefix, operations, schemas: json.components?.schemas ?? {} };
    }),
  );
}

/** Returns the query parameters with free text, which can contain identifiers: dates and enumerations are left out. */
export function textParameters(operation: Operation): string[] {
  return operation.parameters
    .filter(({ in: place, schema }) => place === 'query' && schema?.type === 'string')
    .filter(({ schema }) => schema?.format !== 'date-time' && !schema?.enum)
    .map(({ name }) => name);
}

import { SURFACES } from '../../apps/partner-api/src/openapi';
import { resolved } from '../../tools/openapi/resolve';
import type { TestApp } from '../setup/test-app';

/** The parts of an OpenAPI schema from which a value is generated. */
export interface Schema {
  $ref?: string;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  type?: string;
  format?: string;
  enum?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  nullable?: boolean;
  uniqueItems?: boolean;
  example?: unknown;
}

/** A method of a route of the running application, with the documentation of its input. */
export interface Operation {
  method: string;
  /** Pattern of Express, for example `/b2b/v1/employe/:idExterne`. */
  path: string;
  /** Role that it requires; undefined for a route without a key. */
  role?: 'partenaire' | 'plateforme' | 'admin';
  query: { name: string; schema: Schema }[];
  /** Names of documented headers. */
  headers: string[];
  body?: Schema;
}

interface DocumentedOperation {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
  'x-requires'?: { role: Operation['role'] };
}

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
}

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
}

/**
 * Returns every route of the Express router, so none is forgotten; the content of valid requests comes from the
 * application's own OpenAPI documents.
 */
export async function operationsOf(
  app: TestApp,
): Promise<{ operations: Operation[]; schemas: Document['components']['schemas'] }> {
  const { stack } = (app.app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } }).router;
  const routes = stack.flatMap(({ route }) =>
    route
      ? Object.keys(route.methods).map((method) => ({ method: method.toUpperCase(), path: route.path }))
      : [],
  );
  const documents: Document[] = [];
  for (const { path } of SURFACES) {
    documents.push(resolved((await app.send(undefined, 'GET', `/${path}/openapi.json`)).json as Document));
  }
  const documented = Object.assign({}, ...documents.map((document) => document.paths)) as Document['paths'];
  const operations = routes.map(({ method, path }): Operation => {
    const entry = documented[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    const body = entry?.requestBody?.content['application/json'].schema;
    const role = entry?.['x-requires']?.role;
    const query = entry?.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
    const headers = (entry?.parameters ?? []).flatMap((one) => (one.in === 'header' ? [one.name] : []));
    return { method, path, query, headers, ...(role ? { role } : {}), ...(body ? { body } : {}) };
  });
  const schemas = Object.assign({}, ...documents.map((document) => document.components.schemas)) as Record<
    string,
    Schema
  >;
  return { operations, schemas };
}

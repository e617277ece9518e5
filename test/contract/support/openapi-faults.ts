import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { ANSWER_RULES } from './answer-rules';
import { ERRORS } from '../../../apps/partner-api/src/errors';
import type { Requirement } from '../../../libs/access/src/requires.decorator';
import { CALLS } from './registry';
import type { Route } from './router';

/** A JSON Schema as OpenAPI 3.0 writes it. */
export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  example?: unknown;
  enum?: unknown[];
  nullable?: boolean;
  readOnly?: boolean;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
}

export interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface Response {
  description?: string;
  headers?: Record<string, { description?: string; schema?: Schema }>;
  content?: Record<string, Media>;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
  security?: Record<string, string[]>[];
  'x-codes'?: string[];
  'x-requires'?: Requirement;
}

/** An OpenAPI document as it is served. */
export interface Document {
  openapi: string;
  info: { title: string; version: string; description?: string };
  servers: { url: string; description?: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, { description?: string }> };
}

/** The three documents, each with its path and the prefix and role of its operations. */
export const SURFACES = [
  { name: 'partner', url: '/docs/openapi.json', prefix: '/b2b/', role: 'partenaire' },
  { name: 'platform', url: '/docs/plateforme/openapi.json', prefix: '/plateforme/', role: 'plateforme' },
  { name: 'admin', url: '/docs/admin/openapi.json', prefix: '/admin/', role: 'admin' },
] as const;

export type Surface = (typeof SURFACES)[number];

/** An operation with its method and path. */
export interface Placed {
  readonly operation: Operation;
  readonly method: string;
  /** Path in the document: `/b2b/v1/employe/{idExterne}`. */
  readonly path: string;
  /** Name in the router: `GET /b2b/v1/employe/:idExterne`. */
  readonly name: string;
}

export function operationsOf(document: Document): Placed[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      return { operation, method, path, name: `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}` };
    }),
  );
}

/** Returns routes that are not in exactly one document, and documented operations without a guarded route. */
export function routeFaults(routes: readonly Route[], documents: readonly Document[]): string[] {
  const documented = documents.flatMap(operationsOf).map(({ name }) => name);
  const guarded = new Set(routes.filter(({ requirement }) => requirement).map(({ name }) => name));
  return [
    ...[...guarded].flatMap((name) => {
      const times = documented.filter((other) => other === name).length;
      return times === 1 ? [] : [`${name} is in ${times} documents`];
    }),
    ...documented.filter((name) => !guarded.has(name)).map((name) => `${name} is documented and not guarded`),
  ];
}

/** Returns every schema of a document with its place, including nested schemas. */
function schemasOf(document: Document): [place: string, schema: Schema][] {
  const roots: [string, Schema | undefined][] = Object.entries(document.components.schemas);
  for (const { operation, name } of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) {
      roots.push([`${name}: ${parameter.in} parameter ${parameter.name}`, parameter.schema]);
    }
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      roots.push([`${name}: body`, media.schema]);
    }
    for (const [status, { headers, content }] of Object.entries(operation.responses)) {
      for (const media of Object.values(content ?? {})) roots.push([`${name}: ${status}`, media.schema]);
      for (const [header, { schema }] of Object.entries(headers ?? {}))
        roots.push([`${name}: ${status} header ${header}`, schema]);
    }
  }
  return roots.flatMap(([place, schema]) => (schema ? partsOf(place, schema) : []));
}

function partsOf(place: string, schema: Schema): [place: string, schema: Schema][] {
  const several = [...(schema.allOf ?? []), ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [
    [place, schema],
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => partsOf(`${place}.${name}`, part)),
    ...(schema.items ? partsOf(`${place}[]`, schema.items) : []),
    ...several.flatMap((part) => partsOf(place, part)),
  ];
}

/** Returns operations, parameters, properties, responses, headers, groups and keys without a description. */
export function descriptionFaults(document: Document): string[] {
  const undescribed: string[] = [];
  const check = (place: string, text: string | undefined): void => {
    if (!text?.trim()) undescribed.push(place);
  };
  check('the document', document.info.description);
  for (const { name, description } of document.tags) check(`group ${name}`, description);
  for (const [name, { description }] of Object.entries(document.components.securitySchemes))
    check(`key ${name}`, description);
  for (const { operation, name } of operationsOf(document)) {
    check(name, operation.summary);
    for (const parameter of operation.parameters ?? [])
      check(`${name}: ${parameter.in} parameter ${parameter.name}`, parameter.description);
    for (const [status, response] of Object.entries(operation.responses)) {
      check(`${name}: ${status}`, response.description);
      for (const [header, { description }] of Object.entries(response.headers ?? {}))
        check(`${name}: ${status} header ${header}`, description);
    }
  }
  for (const [place, { properties = {}, required = [] }] of schemasOf(document)) {
    for (const name of new Set([...Object.keys(properties), ...required]))
      check(`${place}.${name}`, properties[name]?.description);
  }
  return undescribed.map((place) => `${place} has no description`);
}

const ALWAYS = [400, 401, 403, 429, 500, 503];
const WITH_BODY = [408, 413, 415];
const ON_POST = [409, 422];

/** Returns responses that an operation gives and does not document, or documents in another form. */
export function documentedAnswerFaults(document: Document): string[] {
  return operationsOf(document).flatMap((placed) =>
    [...answersOf(placed), ...secretFaults(document, placed)].map((fault) => `${placed.name}: ${fault}`),
  );
}

function answersOf(placed: Placed): string[] {
  const { operation, method, path } = placed;
  const faults: string[] = [];
  if (!operation.security?.some((one) => Object.keys(one).length > 0)) faults.push('needs no key');
  if (operation.tags?.length !== 1) faults.push('is not in one group');
  const isRecorded = method === 'POST' && !CALLS.get(placed.name)?.isUnrecorded;
  const statuses = Object.keys(operation.responses).map(Number);
  const takes = (header: string): boolean =>
    operation.parameters?.some(({ in: place, name }) => place === 'header' && name === header) ?? false;
  const successes = statuses.filter((status) => status < 300);
  const simulates = operation.parameters?.some(({ name }) => name === 'simulation') ?? false;
  // Two successes are allowed in three cases: 202 for `Prefer: respond-async`, and 201 beside 200 for an upsert and a simulation.
  const immediate = successes.filter(
    (status) =>
      !(status === 202 && takes('Prefer')) &&
      !(status === 201 && successes.includes(200) && (path.endsWith('/upsert') || simulates)),
  );
  if (immediate.length !== 1) faults.push(`documents ${immediate.length} successes`);
  for (const status of successes) {
    const content = Object.keys(operation.responses[status]!.content ?? {});
    const { file = 'application/json', csv } = CALLS.get(placed.name) ?? {};
    const expected = status === 204 ? [] : [file, ...(csv ? ['text/csv'] : [])];
    if (content.join() !== expected.join())
      faults.push(`${status} answers ${content.join() || 'nothing'}, not ${expected.join() || 'nothing'}`);
    if ((status === 201 || status === 202) && !operation.responses[status]!.headers?.Location)
      faults.push(`${status} does not say where`);
  }
  const expected = [
    ...ALWAYS,
    ...(operation.requestBody ? WITH_BODY : []),
    ...(isRecorded ? ON_POST : []),
    // The resource in the path, or in the body of a PUT, may not exist. Settings of a rehearsal always exist.
    ...(path.includes('{') || (method === 'PUT' && !operation['x-requires']?.environnement) ? [404] : []),
    ...(takes('If-Match') ? [412] : []),
    ...(takes('If-None-Match') ? [304] : []),
    ...(takes('Prefer') ? [202] : []),
  ];
  for (const status of expected) if (!statuses.includes(status)) faults.push(`does not document ${status}`);
  if (isRecorded && !takes('Idempotency-Key')) faults.push('does not document Idempotency-Key');
  if (method === 'POST' && !isRecorded && takes('Idempotency-Key'))
    faults.push('documents an Idempotency-Key without effect');
  faults.push(...errorsOf(operation));
  if (operation['x-requires']?.module && !operation['x-codes']?.includes('Module.NonActif'))
    faults.push('does not document Module.NonActif');
  return faults;
}

/** Properties of responses that are shown once, because a stored response would contain them. */
const SECRETS = ['secret', 'cle'];

function secretFaults({ components }: Document, { name: route, operation, method }: Placed): string[] {
  if (method !== 'POST' || CALLS.get(route)?.isUnrecorded) return [];
  const properties = Object.entries(operation.responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([, { content }]) => content?.['application/json']?.schema?.$ref?.split('/').at(-1) ?? [])
    .flatMap((name) => Object.keys(components.schemas[name]?.properties ?? {}));
  const isSecret = properties.some((name) => SECRETS.includes(name));
  const isDocumented = operation['x-codes']?.includes('Idempotence.NonRepetable') ?? false;
  if (isSecret === isDocumented) return [];
  return [
    isSecret
      ? 'answers a secret and does not document Idempotence.NonRepetable'
      : 'documents Idempotence.NonRepetable and answers no secret',
  ];
}

function errorsOf(operation: Operation): string[] {
  const faults: string[] = [];
  const codes = operation['x-codes'] ?? [];
  for (const code of codes) {
    const status = ERRORS.get(code)?.status;
    if (!status) faults.push(`documents ${code}, which is no error code`);
    else if (!operation.responses[status]?.description?.includes(`\`${code}\``))
      faults.push(`${status} does not name ${code}`);
  }
  for (const [status, { content }] of Object.entries(operation.responses)) {
    if (Number(status) < 400) continue;
    const schema = content?.['application/problem+json']?.schema?.$ref;
    if (Object.keys(content ?? {}).length !== 1 || schema !== '#/components/schemas/ProblemItem')
      faults.push(`${status} is no problem details`);
  }
  return faults;
}

/** Returns parts of this document that belong to another surface. */
export function leaks(document: Document, surface: Surface): string[] {
  const faults: string[] = [];
  for (const { operation, name, path } of operationsOf(document)) {
    if (!path.startsWith(surface.prefix)) faults.push(`${name} is not under ${surface.prefix}`);
    const role = operation['x-requires']?.role;
    if (role !== surface.role) faults.push(`${name} is for keys of role ${role}`);
  }
  const needed = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (needed.has(name!)) continue;
      needed.add(name!);
      visit(document.components.schemas[name!]);
    }
  };
  visit([document.paths, { $ref: '#/components/schemas/ProblemItem' }]);
  for (const name of Object.keys(document.components.schemas)) {
    if (!needed.has(name)) faults.push(`schema ${name} is of no operation`);
  }
  const schemes = operationsOf(document).flatMap(({ operation }) =>
    operation.security!.flatMap((one) => Object.keys(one)),
  );
  for (const scheme of Object.keys(document.components.securitySchemes)) {
    if (schemes.length > 0 && !schemes.includes(scheme)) faults.push(`key ${scheme} is of no operation`);
  }
  const text = JSON.stringify(document);
  for (const { prefix } of SURFACES) {
    if (prefix !== surface.prefix && text.includes(prefix)) faults.push(`mentions ${prefix}`);
  }
  return faults;
}

/**
 * Returns read-only properties of requests with another type than the property of that name in answers, and words that promise
 * a status, which no operation can.
 */
export function promiseFaults(document: Document): string[] {
  const faults: string[] = [];
  const types = new Map<string, Set<string | undefined>>();
  const all = schemasOf(document).flatMap(([place, { properties = {} }]) =>
    Object.entries(properties).map(([name, schema]) => ({ place, name, schema })),
  );
  const keyOf = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
  for (const { name, schema } of all) {
    if (schema.readOnly) continue;
    types.set(keyOf(name), (types.get(keyOf(name)) ?? new Set()).add(schema.type));
  }
  for (const { place, name, schema } of all) {
    const answered = types.get(keyOf(name));
    if (schema.readOnly && answered && !answered.has(schema.type))
      faults.push(`${place}.${name} is a ${schema.type}, and answered as ${[...answered].join()}`);
  }
  for (const { operation, name } of operationsOf(document)) {
    if (/always \d{3}/.test(operation.description ?? '')) faults.push(`${name} promises a status`);
  }
  return faults;
}

/** Returns examples of properties, parameters, bodies and responses that their own schema rejects. */
export function exampleFaults(document: Document): string[] {
  const validators = new Validators(document);
  const faults: string[] = [];
  const check = (place: string, schema: Schema, example: unknown): void => {
    faults.push(...validators.faultsOf(schema, example).map((fault) => `${place}: ${fault}`));
  };
  for (const [place, schema] of schemasOf(document)) {
    if (schema.example !== undefined) check(`example of ${place}`, schema, schema.example);
  }
  for (const { operation, name } of operationsOf(document)) {
    const answers = Object.entries(operation.responses).map(([status, { content }]) => ({ status, content }));
    for (const { status, content } of [
      ...answers,
      { status: 'body', content: operation.requestBody?.content },
    ]) {
      for (const [type, { schema, example, examples }] of Object.entries(content ?? {})) {
        const shown = [...Object.values(examples ?? {}).map(({ value }) => value), example];
        for (const value of shown) if (value !== undefined) check(`${name}: ${status}`, schema!, value);
        if (shown.some((value) => value !== undefined) && status !== 'body') continue;
        // Swagger UI shows this in their place.
        if (type === 'application/json' && (status === 'body' || status < '300'))
          check(`${name}: composed ${status}`, schema!, exampleOf(schema!, document, status === 'body'));
      }
    }
  }
  return faults;
}

/** Returns the value that Swagger UI shows for a schema, composed from the examples of its properties. */
export function exampleOf(schema: Schema, document: Document, isBody = true): unknown {
  if (schema.example !== undefined) return schema.example;
  const of = (part: Schema): unknown => exampleOf(part, document, isBody);
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference) return of(document.components.schemas[reference.split('/').at(-1)!]!);
  // Swagger UI shows the first of several shapes.
  const shapes = schema.anyOf ?? schema.oneOf;
  if (shapes) return of(shapes[0]!);
  if (schema.type === 'array') return [of(schema.items!)];
  if (schema.type !== 'object')
    return schema.enum?.[0] ?? (schema.type === 'string' && !schema.format ? 'string' : undefined);
  return Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([, property]) => !isBody || !property.readOnly)
      .map(([name, property]) => [name, of(property)]),
  );
}

/** Validates values against the schemas of a document. All schemas are closed: undocumented properties are rejected. */
export class Validators {
  // Each schema is used a few times only, so fast compilation matters more than fast validation.
  private readonly ajv = addFormats(
    new Ajv({ strict: false, allErrors: true, inlineRefs: false, code: { optimize: false } }).addKeyword({
      keyword: 'obeys',
      validate: function obeys(name: string, item: object): boolean {
        const broken = brokenRuleOf(name, item);
        (obeys as { errors?: object[] }).errors = [{ message: `breaks: ${broken}`, params: {} }];
        return broken === undefined;
      },
    }),
  );
  private readonly compiled = new Map<Schema, ValidateFunction>();

  constructor(document: Document) {
    const { schemas } = document.components;
    const ruled = Object.entries(schemas).map(([name, schema]) => [
      name,
      ANSWER_RULES[name] ? { ...schema, obeys: name } : schema,
    ]);
    this.ajv.addSchema(closed({ components: { schemas: Object.fromEntries(ruled) } }), 'document');
  }

  /** @throws if the schema is not valid */
  of(schema: Schema): ValidateFunction {
    let validate = this.compiled.get(schema);
    if (!validate) this.compiled.set(schema, (validate = this.ajv.compile(closed(schema))));
    return validate;
  }

  faultsOf(schema: Schema, value: unknown): string[] {
    const validate = this.of(schema);
    if (validate(value)) return [];
    return validate.errors!.map(({ instancePath, message, params }) => {
      const extra = (params as { additionalProperty?: string }).additionalProperty;
      return `${instancePath || '/'} ${message}${extra ? ` (${extra})` : ''}`;
    });
  }
}

/** Returns the first rule that an answer breaks. Its schema reports one that does not have the properties of the rule. */
function brokenRuleOf(name: string, item: object): string | undefined {
  return Object.entries(ANSWER_RULES[name]!).find(([, holds]) => {
    try {
      return !holds(item);
    } catch {
      return false;
    }
  })?.[0];
}

function closed(part: object): object {
  return JSON.parse(JSON.stringify(part), (_key, value: unknown) => {
    if (typeof value === 'string' && value.startsWith('#/components/')) return `document${value}`;
    const schema = value as {
      type?: unknown;
      properties?: unknown;
      minimum?: unknown;
      exclusiveMinimum?: unknown;
    };
    if (schema?.type === 'object' && schema.properties) return { additionalProperties: false, ...schema };
    // In OpenAPI 3.0 `exclusiveMinimum` is a boolean; in the current JSON Schema it is the limit itself.
    if (schema?.exclusiveMinimum === true) return { ...schema, exclusiveMinimum: schema.minimum };
    return value;
  }) as object;
}

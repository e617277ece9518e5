import { AUDITED_ACTIONS } from './audited-actions';
import { ERRORS } from './errors';
import { CLE, ESSAI, MODULE } from '#access/access.errors';
import { CLIENT } from '#clients';
import { ESPACE_DONNEES, DEBIT, IDEMPOTENCE, REQUETE, SERVICE } from '#platform/errors/platform.errors';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Requirement } from '#access/requires.decorator';
import { DomainError } from '#platform/errors/domain-error';
import type { ErrorDefinition } from '#platform/errors/error-definition';
import { ProblemItem } from '#platform/http/problem.dto';
import { CONTENT_LANGUAGE } from '#platform/http/language';
import { problemOf } from '#platform/http/problem.filter';
import { VERSION } from '#platform/ops/version';
import { deliveriesOf, EVENT_SCHEMAS } from '#webhooks';
import { byName, mapOperations, withSharedComponents } from './shared-components';
import { fr } from '#platform/errors/text';
import { UNKNOWN_PARAMETER, UNKNOWN_PROPERTY } from '#platform/input/fold';

/** Every document says it of its schemas. */
const TEXTS =
  'Texts are trimmed and normalised to NFC, and an empty text counts as null: schemas describe what remains.';

/**
 * The surfaces, each with its own document. The groups (`tags`) are in the order in which a caller needs them. For partners it is the
 * order of docs/first-hour.md: people, cards, webhooks, e-mail, votes.
 */
export const SURFACES = [
  {
    name: 'plateforme',
    path: 'docs/plateforme',
    prefix: '/plateforme/',
    title: 'Mandat: platform surface',
    description: [
      "For the platform's own front ends: signing pages, ballots, meeting room. Keys of role `plateforme`.",
      'Errors are problem details (RFC 9457); their codes are listed on [/docs/erreurs](/docs/erreurs).',
      'Every POST takes an `Idempotency-Key`: sent again by the same API key with the same body it replays the first answer for 24 hours.',
      TEXTS,
    ].join('\n\n'),
    key: { scheme: 'PlatformKey', description: 'A key of role `plateforme`, from the operator.' },
    tags: [
      { name: 'Signing', description: 'Cards that members sign, and the payments linked to them' },
      { name: 'Consents', description: 'Consents that persons give or refuse' },
      { name: 'Votes', description: 'Ballots: each is cast once and has no link to its voter' },
      { name: 'Meetings', description: 'Agenda, presence, and the results that a meeting records' },
      { name: 'E-mail', description: 'Messages that could not be delivered' },
      { name: 'Rehearsal', description: 'In staging only: synthetic ballots' },
    ],
  },
  {
    name: 'administration',
    path: 'docs/admin',
    prefix: '/admin/',
    title: 'Mandat: administration',
    description: [
      'For internal administrators: clients, keys, modules, limits, personal data, votes, audit. Keys of role `admin`.',
      'Errors are problem details (RFC 9457); their codes are listed on [/docs/erreurs](/docs/erreurs).',
      TEXTS,
    ].join('\n\n'),
    key: {
      scheme: 'AdministratorKey',
      description: 'The value of `ADMIN_API_KEY`, or a key made by `npm run cli -- cle-admin`.',
    },
    tags: [
      { name: 'Clients', description: 'Organisations that use the service, with their modules and limits' },
      { name: 'Keys', description: 'API keys of a client, each for one environment' },
      { name: 'Campaigns', description: 'Decisions of an administrator about one vote' },
      { name: 'Personal data', description: 'Export and erasure of the data of one person' },
      { name: 'Audit trail', description: 'Who did what to which object, and when' },
    ],
  },
  {
    name: 'partenaire',
    path: 'docs',
    prefix: '/b2b/',
    title: 'Mandat: partner API',
    description: [
      'For partner integrators. Keys of role `partenaire`; each opens one data space, production or staging.',
      'Errors are problem details (RFC 9457); their codes are listed on [/docs/erreurs](/docs/erreurs).',
      'Lists are arrays. `limite` and `curseur` page them, with the next page in `Link`; without `limite` the whole list is streamed.',
      'Unknown properties and parameters are refused. The first letter of a property may be in either case.',
      TEXTS,
      'Every POST takes an `Idempotency-Key`: sent again by the same API key with the same body it replays the first answer for 24 hours.',
      'Each answer says in `RateLimit` how many requests of the minute are left, and in `Server-Timing` how many ms authentication, database and all took.',
    ].join('\n\n'),
    key: { scheme: 'PartnerKey', description: 'A key of role `partenaire`, from the operator.' },
    tags: [
      { name: 'Key', description: 'Client, environment, modules and limits of the key' },
      { name: 'Employers', description: 'V1: the employers of the employees' },
      { name: 'Employees', description: 'V1: one employee at a time, or many with their employers' },
      { name: 'Custom fields', description: 'Fields of employees that the partner defines' },
      { name: 'Sync, V2', description: 'Writes all records in one request; tasks run long syncs' },
      { name: 'Unions', description: 'Unions with their employers; the sync of V2 writes them' },
      { name: 'Employees, V2', description: 'Employees with employments, memberships and custom values' },
      { name: 'Changes', description: 'What has changed in the master data, as a feed' },
      { name: 'Consent objects', description: 'Subjects that a person can consent to' },
      { name: 'Consents', description: 'The history of the consents of employees' },
      { name: 'Forms', description: 'Forms that members fill in and sign' },
      { name: 'Signed cards, V2', description: 'Cards with the member as signed; deletion' },
      { name: 'Signature images', description: 'Handwritten signatures' },
      { name: 'Signed cards', description: 'V1: cards with the employee as of now; replaced by V2' },
      { name: 'Conciliation', description: 'Cards signed by persons who match no employee' },
      {
        name: 'Webhooks',
        description:
          'Endpoints that receive events, and their deliveries. A key reads and manages endpoints whose types all belong to its modules',
      },
      { name: 'Events', description: 'The same events as a feed, and the catalogue of their types' },
      { name: 'E-mail', description: 'E-mails to employees and voters, and the state of each recipient' },
      { name: 'Campaigns', description: 'Votes, from draft to archive, with their statistics' },
      { name: 'Questions', description: 'Questions of a campaign and their options' },
      { name: 'Voters', description: 'Voters of a campaign, and electoral lists made from employees' },
      { name: 'Meetings', description: 'Votes in a meeting: results of each point, and participation' },
      {
        name: 'Rehearsal',
        description:
          'In staging only: the clock of the data space, synthetic electorates, failures on demand, and the erasure of all data',
      },
    ],
  },
] as const;

/** Keys come from the operator, whose address we do not know. */
const CONTACT = { name: 'The operator of the service' };

export type Surface = (typeof SURFACES)[number];
export type SurfaceName = Surface['name'];

/** Returns the OpenAPI document of all routes in about 0.2 s. The application need not be initialised. */
export function wholeDocument(app: NestExpressApplication, publicUrl: string): OpenAPIObject {
  const base = new DocumentBuilder()
    .setTitle('Mandat')
    .setVersion(VERSION)
    .addServer(publicUrl, 'Public address')
    .build();
  const document = SwaggerModule.createDocument(app, base, {
    extraModels: [ProblemItem],
    autoTagControllers: false,
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  const examples: Examples = {};
  for (const [template, path] of Object.entries(document.paths)) {
    for (const method of ['get', 'post', 'put', 'delete'] as const) {
      const operation: Operation | undefined = path[method];
      if (!operation) continue;
      if (method === 'post' && !operation['x-unrecorded']) addIdempotencyKey(operation);
      operation.parameters = [...(operation.parameters ?? []), ACCEPT_LANGUAGE];
      orderByPath(operation, template);
      refuseNull(operation);
      setBodyExample(operation);
      addBodyTypes(operation);
      sayWhoMay(operation);
      addErrors(operation, method, examples, publicUrl);
    }
  }
  document.components!.examples = byName(examples);
  const schemas = document.components!.schemas!;
  // Some codes have further members, which their description names.
  Object.assign(schemas[ProblemItem.name]!, { additionalProperties: true });
  Object.assign(schemas, EVENT_SCHEMAS);
  Object.assign((schemas.JournalItem as { properties: Record<'action', object> }).properties.action, {
    enum: AUDITED_ACTIONS,
  });
  document.paths[REGISTRATION]!.post!.callbacks = deliveriesOf();
  return document;
}

/** The registration of an endpoint, which describes the deliveries to it. */
const REGISTRATION = '/b2b/v2/webhook';

type Components = NonNullable<OpenAPIObject['components']>;
type Examples = NonNullable<Components['examples']>;
type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  'x-codes'?: string[];
  'x-requires'?: Requirement;
  'x-body-example'?: object;
  'x-body-types'?: string[];
  'x-unrecorded'?: true;
  'x-secret-answer'?: true;
};

/** Every operation takes it. */
const ACCEPT_LANGUAGE = {
  name: 'Accept-Language',
  in: 'header' as const,
  required: false,
  description: 'Language of messages: `en`, which is the default, or `fr`.',
  schema: { type: 'string' as const },
};

/** Describes `Idempotency-Key` on each POST whose response is recorded. */
function addIdempotencyKey(operation: Operation): void {
  const repetition = operation['x-secret-answer']
    ? 'The request is done once: a repetition with the same Idempotency-Key and body is 409 `Idempotence.NonRepetable` for 24 hours, because the answer holds a secret.'
    : 'The same Idempotency-Key with the same body replays the first answer to the same API key for 24 hours.';
  const parameter = {
    name: 'Idempotency-Key',
    in: 'header' as const,
    required: false,
    description: `Up to 255 characters. ${repetition}`,
    schema: { type: 'string' as const, maxLength: 255 },
  };
  operation.parameters = [...(operation.parameters ?? []), parameter];
}

/** Codes that the guards, the parser and the database may answer on any operation. */
const WITH_KEY: ErrorDefinition[] = [
  REQUETE.Invalide,
  CLE.Invalide,
  CLE.RoleInsuffisant,
  DEBIT.Depasse,
  SERVICE.ErreurInterne,
  SERVICE.Indisponible,
];
const WITH_BODY: ErrorDefinition[] = [REQUETE.TropVolumineuse, REQUETE.TypeNonSupporte, REQUETE.Interrompue];
const OF_REPETITION: ErrorDefinition[] = [IDEMPOTENCE.CleReutilisee, IDEMPOTENCE.EnCours];

/** Sorts path parameters first and by place, because Nest's order depends on the compiler. */
function orderByPath(operation: Operation, template: string): void {
  const placeOf = (parameter: object): number =>
    'name' in parameter && 'in' in parameter && parameter.in === 'path'
      ? template.indexOf(`{${String(parameter.name)}}`)
      : template.length;
  operation.parameters?.sort((one, other) => placeOf(one) - placeOf(other));
}

/** Removes null from parameters: only a property of a body can be null. */
function refuseNull(operation: Operation): void {
  for (const parameter of operation.parameters ?? []) {
    if (!('schema' in parameter && parameter.schema && 'nullable' in parameter.schema)) continue;
    const { schema } = parameter;
    delete schema.nullable;
    if (schema.enum) schema.enum = schema.enum.filter((word) => word !== null);
  }
}

function setBodyExample(operation: Operation): void {
  const example = operation['x-body-example'];
  delete operation['x-body-example'];
  const content =
    operation.requestBody && 'content' in operation.requestBody ? operation.requestBody.content : undefined;
  if (example && content?.['application/json']) content['application/json'].example = example;
}

/** Describes the media types that the operation takes beside JSON. */
function addBodyTypes(operation: Operation): void {
  const types = operation['x-body-types'] ?? [];
  delete operation['x-body-types'];
  if (!operation.requestBody || !('content' in operation.requestBody)) return;
  for (const type of types)
    operation.requestBody.content[type] = { schema: { type: 'string', format: 'binary' } };
}

/** Adds the key that the operation needs to the end of its description. */
function sayWhoMay(operation: Operation): void {
  const requirement = operation['x-requires'];
  if (!requirement) return;
  const { role, module, environnement } = requirement;
  const ofEnvironment = environnement ? ` of ${environnement}` : '';
  const needed = `Needs a key of role \`${role}\`${ofEnvironment}${module ? ` with the module \`${module}\`` : ''}.`;
  operation.description = [operation.description, needed].filter(Boolean).join('\n\n');
}

/** Makes one response for each status, with its error codes. */
function addErrors(
  operation: Operation,
  method: 'get' | 'post' | 'put' | 'delete',
  examples: Examples,
  publicUrl: string,
): void {
  const errors = new Set([
    ...WITH_KEY,
    ...(method === 'put' || method === 'post' ? WITH_BODY : []),
    ...(method === 'post' && !operation['x-unrecorded'] ? OF_REPETITION : []),
    ...(method === 'get' ? [] : [ESPACE_DONNEES.EnDeplacement]),
    ...(operation['x-secret-answer'] ? [IDEMPOTENCE.NonRepetable] : []),
    ...(operation['x-requires']?.role === 'admin' ? [] : [CLIENT.Suspendu]),
    ...(operation['x-requires']?.module ? [MODULE.NonActif] : []),
    ...(operation['x-requires']?.environnement ? [ESSAI.EnvironnementRequis] : []),
    ...(operation['x-codes'] ?? []).map((code) => ERRORS.get(code)!),
  ]);
  delete operation['x-unrecorded'];
  delete operation['x-secret-answer'];
  operation['x-codes'] = [...errors].map(({ code }) => code);
  for (const [status, ofStatus] of Map.groupBy(errors, (error) => error.status)) {
    operation.responses[String(status)] = {
      description: ofStatus.map(({ code, description }) => `\`${code}\`: ${description.en}`).join('\n\n'),
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/ProblemItem' },
          examples: Object.fromEntries(
            ofStatus.map((error) => [error.code, exampleOf(error, operation, examples, publicUrl)]),
          ),
        },
      },
      headers: { ...HEADERS_OF_STATUS[status], ...CONTENT_LANGUAGE },
    };
  }
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' as const } },
};

const HEADERS_OF_STATUS: Readonly<Record<number, Components['headers']>> = {
  401: { 'WWW-Authenticate': { description: 'Where the key is expected.', schema: { type: 'string' } } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

const TRACE = {
  requestId: '5f0c7c9e-3c8e-4a5e-8a63-5a8e0d1f0b1a',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
};

/**
 * Adds the problem details of an error to the examples, and returns a reference to them. An invalid request has one example
 * for bodies and one for queries, a missing module one for each module.
 */
function exampleOf(error: ErrorDefinition, operation: Operation, examples: Examples, publicUrl: string) {
  const { code, description } = error;
  const module = operation['x-requires']?.module;
  const [place, fault] = operation.requestBody
    ? ['body', { pointer: '/age', code: 'unknown', detail: UNKNOWN_PROPERTY }]
    : ['query', { pointer: '?tri', code: 'unknown', detail: UNKNOWN_PARAMETER }];
  const { name, detail, members } =
    error === REQUETE.Invalide
      ? {
          name: `${code}.${place}`,
          detail: {
            en: `${fault.pointer}: ${fault.detail.en}`,
            fr: fr`${fault.pointer} : ${fault.detail.fr}`,
          },
          members: { errors: [fault] },
        }
      : error === MODULE.NonActif && module
        ? { name: `${code}.${module}`, detail: description, members: { module } }
        : { name: code, detail: description, members: {} };
  examples[name] = { value: problemOf(new DomainError(error, detail, members), TRACE, publicUrl, 'en') };
  return { $ref: `#/components/examples/${name}` };
}

/** Components that a surface's document takes from the whole document. */
type Kind = 'schemas' | 'examples';
const REFERENCE = /"#\/components\/(schemas|examples)\/([^"]+)"/g;

/** Returns the document of each surface with its own routes. */
export function documentsOf(whole: OpenAPIObject): Record<SurfaceName, OpenAPIObject> {
  return Object.fromEntries(SURFACES.map((surface) => [surface.name, documentOf(surface, whole)])) as Record<
    SurfaceName,
    OpenAPIObject
  >;
}

/**
 * Returns the operations under a surface's prefix and the components that they need. The name of the key differs between
 * surfaces, because Swagger UI stores keys by name.
 */
function documentOf(surface: Surface, whole: OpenAPIObject): OpenAPIObject {
  const security = [{ [surface.key.scheme]: [] }];
  const own = Object.entries(whole.paths).filter(([path]) => path.startsWith(surface.prefix));
  const paths = mapOperations(Object.fromEntries(own), (operation) =>
    operation.security ? { ...operation, security } : operation,
  );
  const needed = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(REFERENCE)) {
      if (needed.has(`${kind}/${name}`)) continue;
      needed.add(`${kind}/${name}`);
      visit(whole.components![kind as Kind]![name!]);
    }
  };
  visit(paths);
  const used = (kind: Kind) =>
    Object.fromEntries(
      Object.entries(whole.components![kind]!).filter(([name]) => needed.has(`${kind}/${name}`)),
    );
  return withSharedComponents({
    ...whole,
    info: { ...whole.info, title: surface.title, description: surface.description, contact: CONTACT },
    tags: [...surface.tags],
    paths,
    components: {
      securitySchemes: {
        [surface.key.scheme]: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Api-Key',
          description: surface.key.description,
        },
      },
      schemas: used('schemas'),
      examples: used('examples'),
    },
  });
}

import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '#shared/errors/error-codes';
import { COMMON_MODELS } from '#shared/http/answers.decorator';

/** One document for each surface (decisions, section 1). */
const SURFACES = [
  {
    path: 'docs/plateforme',
    prefix: '/plateforme/',
    title: 'Mandat: platform surface',
    description:
      "For the platform's own front ends: signing pages, ballots, meeting room. Keys of role `plateforme`.",
  },
  {
    path: 'docs/admin',
    prefix: '/admin/',
    title: 'Mandat: administration',
    description: 'For internal administrators: clients, keys, modules, limits. Keys of role `admin`.',
  },
  {
    path: 'docs',
    prefix: '/b2b/',
    title: 'Mandat: partner API',
    description: [
      'For partner integrators. Keys of role `partenaire`; each opens one data space, production or staging.',
      'Errors are problem details (RFC 9457); their codes are listed on [/docs/erreurs](/docs/erreurs).',
      'Lists are arrays. `limite` and `curseur` page them, with the next page in `Link`; without `limite` the whole list is streamed.',
      'Unknown properties and parameters are refused. The first letter of a property may be in either case.',
      'Every POST takes an `Idempotency-Key`: sent again with the same body it replays the first answer for 24 hours.',
    ].join('\n\n'),
  },
] as const;

type Surface = (typeof SURFACES)[number];

/** The OpenAPI document of everything the application serves. */
export function wholeDocument(app: NestExpressApplication, publicUrl: string): OpenAPIObject {
  const base = new DocumentBuilder()
    .setTitle('Mandat')
    .setVersion('1')
    // Relative first: Swagger UI calls the service that served it, under whatever name it was opened.
    .addServer('/', 'This service')
    .addServer(publicUrl, 'Public address')
    .addApiKey(
      { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The key that the operator gave you.' },
      'X-Api-Key',
    )
    .build();
  const document = SwaggerModule.createDocument(app, base, {
    extraModels: COMMON_MODELS,
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  for (const path of Object.values(document.paths)) {
    for (const method of ['get', 'post', 'put', 'delete'] as const) {
      const operation = path[method];
      if (!operation) continue;
      if (method === 'post') operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
      setBodyExample(operation);
      addErrors(operation, method);
    }
  }
  return document;
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  'x-codes'?: ErrorCode[];
  'x-body-example'?: object;
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  required: false,
  description: 'Up to 255 characters. The same key with the same body replays the first answer for 24 hours.',
  schema: { type: 'string' as const, maxLength: 255 },
};

/** Codes that the guards, the parser, idempotency and the database may answer on any operation of a method. */
const WITH_KEY: ErrorCode[] = [
  'Requete.Invalide',
  'Cle.Invalide',
  'Cle.RoleInsuffisant',
  'Debit.Depasse',
  'Service.ErreurInterne',
  'Service.Indisponible',
];
const WITH_BODY: ErrorCode[] = ['Requete.TropVolumineuse', 'Requete.TypeNonSupporte', 'Requete.Interrompue'];
const CODES_OF_METHOD: Record<'get' | 'post' | 'put' | 'delete', ErrorCode[]> = {
  get: WITH_KEY,
  delete: WITH_KEY,
  put: [...WITH_KEY, ...WITH_BODY],
  post: [...WITH_KEY, ...WITH_BODY, 'Idempotence.CleReutilisee', 'Idempotence.EnCours'],
};

function setBodyExample(operation: Operation): void {
  const example = operation['x-body-example'];
  delete operation['x-body-example'];
  const content =
    operation.requestBody && 'content' in operation.requestBody ? operation.requestBody.content : undefined;
  if (example && content?.['application/json']) content['application/json'].example = example;
}

/** One answer for each status, naming the codes that carry it. */
function addErrors(operation: Operation, method: keyof typeof CODES_OF_METHOD): void {
  const codes = [...new Set([...CODES_OF_METHOD[method], ...(operation['x-codes'] ?? [])])];
  operation['x-codes'] = codes;
  for (const status of new Set(codes.map((code) => ERROR_CODES[code].status))) {
    const said = codes.filter((code) => ERROR_CODES[code].status === status);
    operation.responses[String(status)] = {
      description: said.map((code) => `\`${code}\`: ${ERROR_CODES[code].description}`).join('\n\n'),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemItem' } } },
    };
  }
}

/** Serves Swagger UI and the JSON documents, each with the routes of its own surface only. */
export function serveDocumentation(app: NestExpressApplication, publicUrl: string): void {
  const whole = wholeDocument(app, publicUrl);
  for (const surface of SURFACES) {
    SwaggerModule.setup(surface.path, app, documentOf(surface, whole), {
      jsonDocumentUrl: `${surface.path}/openapi.json`,
      yamlDocumentUrl: `${surface.path}/openapi.yaml`,
      customSiteTitle: surface.title,
      swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, tryItOutEnabled: true },
    });
  }
}

/** The part of the document under a surface's prefix, with the schemas that part needs and no other. */
function documentOf(surface: Surface, whole: OpenAPIObject): OpenAPIObject {
  const paths = Object.fromEntries(
    Object.entries(whole.paths).filter(([path]) => path.startsWith(surface.prefix)),
  );
  const schemas = whole.components?.schemas ?? {};
  const needed = new Set(['ProblemItem']);
  const visit = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (!name || needed.has(name)) continue;
      needed.add(name);
      visit(schemas[name]);
    }
  };
  visit([paths, schemas['ProblemItem']]);
  return {
    ...whole,
    info: { ...whole.info, title: surface.title, description: surface.description },
    paths,
    components: {
      ...whole.components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => needed.has(name))),
    },
  };
}

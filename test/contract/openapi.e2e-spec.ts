import { Controller, Get, Query } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demonstrationKeys, type DemonstrationKeys } from '../../apps/cli/src/demonstration';
import { EXAMPLE_TACHE_ID } from '../../libs/sync/src';
import { Config } from '../../libs/platform/src/ops/config';
import { Requires } from '../../libs/access/src/requires.decorator';
import { Answers } from '../../libs/platform/src/http/answers.decorator';
import { resolved } from '../../tools/openapi/resolve';
import { type Answer, cloneTemplate, TestApp, type TestTenant } from '../setup/test-app';
import { answerFaults, type Calls, DocumentedCalls } from './support/documented-calls';
import { type RunningApp, startWithControllers } from './support/extended-app';
import {
  descriptionFaults,
  type Document,
  documentedAnswerFaults,
  exampleFaults,
  leaks,
  operationsOf,
  type Placed,
  promiseFaults,
  routeFaults,
  SURFACES,
  Validators,
} from './support/openapi-faults';
import { guardedRoutes, routesOf } from './support/router';
import { perFile } from '../setup/fixtures';

/** A task without a result. */
const TACHE = { id: EXAMPLE_TACHE_ID, type: 'sync', etat: 'EnCours', traites: 1, total: 3 };

async function documentsOf(
  app: RunningApp,
): Promise<[partner: Document, platform: Document, admin: Document]> {
  const [partner, platform, admin] = await Promise.all(
    SURFACES.map(async ({ url }) => resolved((await app.send(undefined, 'GET', url)).json as Document)),
  );
  return [partner!, platform!, admin!];
}

function find(document: Document, wanted: string): Placed {
  return operationsOf(document).find(({ name }) => name === wanted)!;
}

describe('The OpenAPI documents', () => {
  const app = perFile(() => TestApp.own('sees all tenants'));
  let documents: [partner: Document, platform: Document, admin: Document];
  beforeAll(async () => {
    documents = await documentsOf(app);
  });

  /** Returns a copy of a document with a fault; by default a copy of the whole partner document. */
  const spoilt = (spoil: (document: Document) => void, document = documents[0]): Document => {
    const copy = structuredClone(document);
    spoil(copy);
    return copy;
  };
  /**
   * The part of the partner document that the faults are put into, because checking the whole takes seconds each time.
   */
  const part = (): Document => {
    const { paths, components } = documents[0];
    const PATHS = ['/b2b/v1/moi', '/b2b/v1/employe', '/b2b/v1/employe/{idExterne}', '/b2b/v2/sync'];
    const schemas: Document['components']['schemas'] = {};
    const kept = Object.fromEntries(PATHS.map((path) => [path, paths[path]!]));
    const visit = (value: unknown): void => {
      for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
        if (schemas[name!]) continue;
        schemas[name!] = components.schemas[name!]!;
        visit(schemas[name!]);
      }
    };
    visit(kept);
    return { ...documents[0], paths: kept, components: { ...components, schemas } };
  };
  const read = (document: Document) => find(document, 'GET /b2b/v1/employe/:idExterne').operation;
  const create = (document: Document) => find(document, 'POST /b2b/v1/employe').operation;
  const sync = (document: Document) => find(document, 'POST /b2b/v2/sync').operation;
  const nom = (document: Document) => document.components.schemas.EmployeItem!.properties!.nom!;

  it('contain every guarded route once, and no other route', () => {
    expect(routeFaults(routesOf(app.app), documents)).toEqual([]);
    expect(documents.flatMap(operationsOf)).toHaveLength(guardedRoutes(app.app).length);
  });

  it.each<[fault: string, spoil: (document: Document) => void, found: string]>([
    [
      'a missing route',
      (document) => delete document.paths['/b2b/v1/moi'],
      'GET /b2b/v1/moi is in 0 documents',
    ],
    [
      'an operation that no route answers',
      (document) => (document.paths['/b2b/v1/rien'] = { get: read(document) }),
      'GET /b2b/v1/rien is documented and not guarded',
    ],
    [
      'a route of another surface',
      (document) => (document.paths['/admin/v1/clients'] = documents[2].paths['/admin/v1/clients']!),
      'GET /admin/v1/clients is in 2 documents',
    ],
  ])('%s is reported', (_fault, spoil, found) => {
    expect(routeFaults(routesOf(app.app), [spoilt(spoil), documents[1], documents[2]])).toContain(found);
  });

  describe.each(SURFACES.map((surface, index) => ({ ...surface, index })))(
    'of the $name surface',
    (surface) => {
      let document: Document;
      beforeAll(() => {
        document = documents[surface.index]!;
      });

      it('describes every operation, parameter, property and answer', () => {
        expect(descriptionFaults(document)).toEqual([]);
      });

      it('documents every success and every refusal', () => {
        expect(documentedAnswerFaults(document)).toEqual([]);
      });

      it('contains no part of another surface', () => {
        expect(leaks(document, surface)).toEqual([]);
      });

      it('has examples that are valid by its own schemas, and that the service can answer', () => {
        expect(exampleFaults(document)).toEqual([]);
      });

      it('promises no status, and read-only properties have one type', () => {
        expect(promiseFaults(document)).toEqual([]);
      });

      it('names one server: the public address', () => {
        expect(document.servers).toEqual([{ url: app.config.publicUrl, description: 'Public address' }]);
      });
    },
  );

  const employe = 'GET /b2b/v1/employe/:idExterne';
  const controls: [checker: typeof exampleFaults, faults: Record<string, (document: Document) => unknown>][] =
    [
      [
        descriptionFaults,
        {
          'EmployeItem.age has no description': (document) =>
            document.components.schemas.EmployeItem!.required!.push('age'),
          'EmployeItem.nom has no description': (document) => (nom(document).description = ' '),
          [`${employe} has no description`]: (document) => delete read(document).summary,
          [`${employe}: path parameter idExterne has no description`]: (document) =>
            delete read(document).parameters![0]!.description,
          [`${employe}: 404 has no description`]: (document) =>
            delete read(document).responses[404]!.description,
        },
      ],
      [
        documentedAnswerFaults,
        {
          ...Object.fromEntries(
            [200, 304, 401, 403, 404, 429].map((status) => [
              `${employe}: ${status === 200 ? 'documents 0 successes' : `does not document ${status}`}`,
              (document: Document) => delete read(document).responses[status],
            ]),
          ),
          [`${employe}: needs no key`]: (document) => delete read(document).security,
          'POST /b2b/v2/sync: does not document 202': (document) => delete sync(document).responses[202],
          'POST /b2b/v2/sync: documents 0 successes': (document) => delete sync(document).responses[200],
          'POST /b2b/v2/sync: documents 2 successes': (document) =>
            (sync(document).parameters = sync(document).parameters!.filter(({ name }) => name !== 'Prefer')),
          'POST /b2b/v2/sync: 202 does not say where': (document) =>
            delete sync(document).responses[202]!.headers,
          'POST /b2b/v1/employe: does not document 413': (document) => delete create(document).responses[413],
          [`${employe}: 404 is no problem details`]: (document) =>
            (read(document).responses[404]!.content = { 'application/json': { schema: {} } }),
          [`${employe}: 404 does not name Employe.NotFound`]: (document) =>
            (read(document).responses[404]!.description = 'Not found'),
          [`${employe}: does not document Module.NonActif`]: (document) =>
            (read(document)['x-requires'] = { role: 'partenaire', module: 'vote' }),
          'POST /b2b/v1/employe: answers a secret and does not document Idempotence.NonRepetable': (
            document,
          ) => (document.components.schemas['EmployeItem']!.properties!['secret'] = { type: 'string' }),
          'POST /b2b/v1/employe: documents Idempotence.NonRepetable and answers no secret': (document) =>
            create(document)['x-codes']!.push('Idempotence.NonRepetable'),
        },
      ],
      [
        exampleFaults,
        {
          'example of EmployeItem.nom: / must be string': (document) => (nom(document).example = 7),
          'POST /b2b/v1/employe: body: / must NOT have additional properties (age)': (document) =>
            Object.assign(create(document).requestBody!.content['application/json']!, {
              example: { idExterne: 'E-1', prenom: 'Zoé', age: 40 },
            }),
          [`example of ${employe}: path parameter idExterne: / must NOT have fewer than 1 characters`]: (
            document,
          ) => (read(document).parameters![0]!.schema!.example = ''),
          'POST /b2b/v2/sync: 202: / breaks: erreur exactly if Echouee': (document) =>
            Object.assign(sync(document).responses[202]!.content!['application/json']!, {
              example: { ...TACHE, erreur: { code: 'Requete.Invalide', detail: 'no JSON' } },
            }),
          'POST /b2b/v2/sync: composed 202: / breaks: resultat and effets exactly if Reussie': (document) => {
            delete sync(document).responses[202]!.content!['application/json']!.example;
            document.components.schemas.TacheItem!.properties!.etat!.example = 'EnCours';
          },
          [`${employe}: 404: / must have required property 'code'`]: (document) =>
            Object.assign(read(document).responses[404]!.content!['application/problem+json']!, {
              examples: { any: { value: { status: 404 } } },
            }),
        },
      ],
      [
        promiseFaults,
        {
          'EmployeInput.idUnique is a boolean, and answered as string': (document) =>
            (document.components.schemas.EmployeInput!.properties!.idUnique!.type = 'boolean'),
          'POST /b2b/v2/sync promises a status': (document) =>
            (sync(document).description = 'It is always 200.'),
        },
      ],
    ];

  const all = controls.flatMap(([checker, faults]) =>
    Object.entries(faults).map(([found, spoil]) => ({ checker, found, spoil })),
  );
  it.each(all)('a fault is reported: $found', ({ checker, found, spoil }) => {
    expect(checker(part())).toEqual([]);
    expect(checker(spoilt(spoil, part()))).toContain(found);
  });

  it.each<[fault: string, spoil: (document: Document) => void, found: string]>([
    [
      'a schema of another surface',
      (document) => (document.components.schemas.ClientItem = documents[2].components.schemas.ClientItem!),
      'schema ClientItem is of no operation',
    ],
    [
      'an operation of another surface',
      (document) => (document.paths['/admin/v1/clients'] = documents[2].paths['/admin/v1/clients']!),
      'GET /admin/v1/clients is for keys of role admin',
    ],
    ['a mention', (document) => (nom(document).description = 'As in /admin/v1/clients.'), 'mentions /admin/'],
    [
      'a key of another surface',
      (document) =>
        Object.assign(document.components.securitySchemes, documents[2].components.securitySchemes),
      'key AdministratorKey is of no operation',
    ],
  ])('%s is reported', (_fault, spoil, found) => {
    expect(leaks(spoilt(spoil), SURFACES[0])).toContain(found);
  });
});

describe('The answers of every operation', () => {
  let app: TestApp;
  let calls: DocumentedCalls;
  let results: Calls[];
  beforeAll(async () => {
    const databaseUrl = await cloneTemplate();
    const cells = new Map([
      ['principal', databaseUrl],
      ['nord', await cloneTemplate()],
    ]);
    app = await TestApp.start({ databaseUrl, cells });
    calls = await DocumentedCalls.prepare(app, await documentsOf(app));
    results = await calls.run();
    // Some hundred operations in turn take two minutes where the machine has other work.
  }, 400_000);
  afterAll(async () => {
    await calls.stop();
    await app.stop();
  });

  it('have the documented status for the documented examples on the demonstration tenant', () => {
    for (const { name, withExamples } of results) {
      const { status, documented } = withExamples;
      expect({ name, status, isDocumented: documented.includes(status) }).toMatchObject({
        isDocumented: true,
      });
    }
    expect(results).toHaveLength(guardedRoutes(app.app).length);
  });

  it('are as the document describes their status, in every property', () => {
    expect(results.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`))).toEqual([]);
  });

  it('were each seen, for every documented code that a request can cause', () => {
    expect(results.flatMap(({ name, missing }) => missing.map((one) => `${name}: ${one}`))).toEqual([]);
  });

  it('are null only where the document allows it, and at least once in each such place', () => {
    // No employee of the demonstration is a voter of an open campaign, because their cards are deleted.
    const votes = ['campagneId', 'titre', 'votants'].map(
      (name) => `VoteToucheItem.${name} never had a value`,
    );
    expect(calls.unseen()).toEqual([
      ...votes,
      // A new endpoint.
      'CreatedWebhookItem.desactiveLe never had a value',
      'CreatedWebhookItem.raisonDesactivation never had a value',
      // A new key.
      'IssuedCleItem.revoqueLe never had a value',
      'IssuedCleItem.dernierUsage never had a value',
      ...votes,
    ]);
  });
});

describe('The demonstration tenant', () => {
  let app: TestApp;
  let dataDir: string;
  beforeAll(async () => {
    app = await TestApp.own('sees all tenants');
    dataDir = mkdtempSync(join(tmpdir(), 'mandat-demonstration-'));
  });
  afterAll(async () => {
    await app.stop();
    rmSync(dataDir, { recursive: true });
  });

  const start = (): Promise<DemonstrationKeys> => demonstrationKeys(new Config({ ...app.config, dataDir }));

  it('a later start keeps its keys and changes, and restores its example task after a purge', async () => {
    const keys = await start();
    const read = (path: string): Promise<Answer> => app.send(keys.partenaire, 'GET', path);
    const task = `/b2b/v2/tache/${EXAMPLE_TACHE_ID}`;
    const first = await read(task);
    expect(first.json).toMatchObject({ etat: 'Reussie', traites: 5, total: 5 });
    expect(await start()).toEqual(keys);
    expect((await read(task)).text).toBe(first.text);

    expect((await app.send(keys.partenaire, 'DELETE', '/b2b/v1/employe/E-1003')).status).toBe(204);
    const employees = (await read('/b2b/v2/employe')).text;
    await app.database.query('DELETE FROM tache');
    expect((await read(task)).status).toBe(404);
    expect(await start()).toEqual(keys);
    expect((await read(task)).json).toMatchObject({ etat: 'Reussie', traites: 5, total: 5 });
    expect((await read('/b2b/v2/employe')).text).toBe(employees);
  });

  it('a later start keeps the plans of a reader, and makes its example plans once there is room', async () => {
    const { partenaire } = await start();
    const plans = '/b2b/v2/plan';
    const count = async (): Promise<number> => (await app.send(partenaire, 'GET', plans)).json.length;
    await app.database.query('DELETE FROM plan');
    for (let index = 0; index < 20; index++) await app.send(partenaire, 'POST', plans, {});
    await start();
    expect(await count()).toBe(21);
    await app.database.query('DELETE FROM plan');
    await start();
    expect(await count()).toBe(5);
  });

  it('shows an accident that the brake has stopped; the client has no brake', async () => {
    const { partenaire } = await start();
    const read = async (path: string): Promise<Answer['json']> =>
      (await app.send(partenaire, 'GET', path)).json;
    const bloquees = async () => (await read('/b2b/v2/evenement?type=sync.bloquee')) as { data: object }[];
    const plan = (await read('/b2b/v2/plan')).find(({ etat }: { etat: string }) => etat === 'Bloque');
    expect((await bloquees()).at(-1)!.data).toMatchObject({ planId: plan.id, effets: { termines: 12 } });
    const emplois = await read('/b2b/v2/emploi?identifiantExterneEmployeur=EMP-500');
    expect(emplois.map(({ dateFin }: { dateFin: unknown }) => dateFin)).toEqual(Array(12).fill(null));
    const count = (await bloquees()).length;
    await start();
    expect(await bloquees()).toHaveLength(count);
    const [client] = (await app.send(app.adminKey, 'GET', '/admin/v1/clients')).json;
    expect(client.freins).toMatchObject({ terminaisonsPourcent: null, minimum: 1 });
  });

  it('a start without the key file issues new keys and adds missing data', async () => {
    const before = await start();
    rmSync(join(dataDir, 'demonstration.json'));
    const keys = await start();
    expect(keys).not.toEqual(before);
    expect((await app.send(keys.partenaire, 'GET', '/b2b/v1/employe/E-1003')).status).toBe(200);
  });
});

describe('Faults of a response', () => {
  const app = perFile(() => TestApp.own('sees all tenants'));
  let tenant: TestTenant;
  let document: Document;
  let validators: Validators;
  let answer: Answer;
  beforeAll(async () => {
    tenant = await app.tenant();
    [document] = await documentsOf(app);
    validators = new Validators(document);
    const body = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    answer = await app.send(tenant, 'POST', '/b2b/v1/employe', body);
  });

  const faultsOf = (changed: Partial<Answer>): string[] =>
    answerFaults(validators, find(document, 'POST /b2b/v1/employe').operation, { ...answer, ...changed });
  const withoutHeader = (name: string): Headers => {
    const headers = new Headers(answer.headers);
    headers.delete(name);
    return headers;
  };

  const problem = (code: string): Partial<Answer> => ({
    headers: new Headers({ 'content-type': 'application/problem+json' }),
    json: { code },
  });

  it('a response as documented has none', () => {
    expect(faultsOf({})).toEqual([]);
  });

  it.each<[fault: string, change: () => Partial<Answer>, found: string]>([
    [
      'an undocumented property',
      () => ({ json: { ...answer.json, secret: 1 } }),
      '/ must NOT have additional properties (secret)',
    ],
    [
      'a missing property',
      () => ({ json: { ...answer.json, ville: undefined } }),
      "/ must have required property 'ville'",
    ],
    ['a wrong type', () => ({ json: { ...answer.json, nom: 7 } }), '/nom must be string'],
    ['a null that is not documented', () => ({ json: { ...answer.json, nom: null } }), '/nom must be string'],
    [
      'a date without time',
      () => ({ json: { ...answer.json, derniereMAJ: '2026-01-01' } }),
      '/derniereMAJ must match format "date-time"',
    ],
    ['an undocumented status', () => ({ status: 418, text: '' }), 'status 418 is not documented: '],
    ['a list in place of an item', () => ({ json: [answer.json] }), '/ must be object'],
    ['a missing header', () => ({ headers: withoutHeader('location') }), 'no header Location'],
    [
      'a language that is not documented',
      () => {
        const headers = new Headers(answer.headers);
        headers.set('Content-Language', 'fr');
        return { headers };
      },
      'Content-Language is not documented',
    ],
    [
      'another media type',
      () => ({ headers: new Headers([...answer.headers, ['content-type', 'text/html']].slice(-1) as []) }),
      'content type text/html is not documented',
    ],
    [
      'a code of another operation',
      () => ({ status: 409, ...problem('Client.NomDejaUtilise') }),
      '409 is not documented with Client.NomDejaUtilise',
    ],
    [
      'a code with another status',
      () => ({ status: 400, ...problem('Employe.IdExterneDejaUtilise') }),
      '400 is not documented with Employe.IdExterneDejaUtilise',
    ],
  ])('%s is reported', (_fault, change, found) => {
    expect(faultsOf(change())).toContain(found);
  });

  it('a response is compared with each of several documented shapes', () => {
    const { operation } = find(document, 'GET /b2b/adhesion/:x/image-signature');
    const headers = new Headers({ 'content-type': 'application/json', etag: '"1"' });
    const shapeFaults = (json: object): string[] =>
      answerFaults(validators, operation, { status: 200, headers, text: JSON.stringify(json), json });
    const ofCard = {
      idUniqueAdhesion: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4a01',
      dateSignature: '2026-03-02T14:05:09.120Z',
      imageSignature: 'data:image/png;base64,',
    };
    expect(shapeFaults(ofCard)).toEqual([]);
    expect(shapeFaults({ ...ofCard, idExterne: 'E-1' })).toEqual([]);
    expect(shapeFaults({ ...ofCard, idExterne: null })).toContain('/idExterne must be string');
  });

  it('the calls report such a response, and a documented response that never came', async () => {
    const spoilt = structuredClone(document);
    spoilt.paths = { '/b2b/v1/moi': spoilt.paths['/b2b/v1/moi']! };
    spoilt.paths['/b2b/v1/moi']!.get!['x-codes']!.push('Employe.NotFound');
    delete spoilt.components.schemas.MoiItem!.properties!.client;
    spoilt.components.schemas.MoiItem!.properties!.modules!.nullable = true;
    const calls = await DocumentedCalls.prepare(app, [spoilt]);
    const results = await calls.run();
    await calls.stop();
    const fault = expect.stringContaining('/ must NOT have additional properties (client)');
    expect(results).toMatchObject([
      { name: 'GET /b2b/v1/moi', faults: expect.arrayContaining([fault]), missing: ['Employe.NotFound'] },
    ]);
    expect(calls.unseen()).toEqual(['MoiItem.modules was never null']);
  });
});

describe('Faults of a controller', () => {
  class AgeItem {
    @ApiProperty({ description: 'Years.', type: 'integer' })
    age: number;
  }

  @Requires({ role: 'partenaire' })
  @Controller('b2b/v1/bavard')
  class TalkativeController {
    @Get()
    @Answers({ summary: 'Answer more than is documented', type: AgeItem })
    get(): object {
      return { age: null, secret: 'S' };
    }
  }

  @Requires({ role: 'partenaire' })
  @Controller('b2b/v1/muet')
  class MuteController {
    @Get()
    get(@Query('filtre') filtre: string): string {
      return `{"filtre": "${filtre}"}`;
    }
  }

  @Requires({ role: 'admin' })
  @Controller('interne/v1/hors-surface')
  class OutsideController {
    @Get()
    @Answers({ summary: 'Answer under no surface' })
    get(): void {}
  }

  let app: TestApp;
  let extended: Awaited<ReturnType<typeof startWithControllers>>;
  let documents: [Document, Document, Document];
  beforeAll(async () => {
    app = await TestApp.own('sees all tenants');
    extended = await startWithControllers(app, TalkativeController, MuteController, OutsideController);
    documents = await documentsOf(extended);
  });
  afterAll(async () => {
    await extended.stop();
    await app.stop();
  });

  it('a response with an undocumented property or type is reported', async () => {
    const answer = await extended.send(await app.tenant(), 'GET', '/b2b/v1/bavard');
    const { operation } = find(documents[0], 'GET /b2b/v1/bavard');
    expect(answerFaults(new Validators(documents[0]), operation, answer)).toEqual([
      '/ must NOT have additional properties (secret)',
      '/age must be integer',
    ]);
  });

  it('an operation without documentation is reported', () => {
    expect(descriptionFaults(documents[0])).toEqual(
      expect.arrayContaining([
        'GET /b2b/v1/muet has no description',
        'GET /b2b/v1/muet: query parameter filtre has no description',
      ]),
    );
    expect(documentedAnswerFaults(documents[0])).toEqual(
      expect.arrayContaining([
        'GET /b2b/v1/muet: is not in one group',
        'GET /b2b/v1/muet: 200 answers nothing, not application/json',
      ]),
    );
  });

  it('a route in no document is reported', () => {
    expect(routeFaults(routesOf(extended.app), documents)).toEqual([
      'GET /interne/v1/hors-surface is in 0 documents',
    ]);
  });
});

import type { INestApplication } from '@nestjs/common';
import type { AnySchema, ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020';
import { openTenant, type OpenTenant, signed } from '../adhesion/support/cards';
import { CHAMPS, VALEURS, WHOLE } from '../adhesion/support/signing-scene';
import { expectFaults } from '../http/expect-problem';
import { ExpiryService } from '../../libs/clients/src';
import { DossierBuilderService, SealingService } from '../../libs/voting/src';
import { GUID } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { EngagementsService } from '../../libs/voting/src';
import { Campaigns } from '../voting/support/campaigns';
import { Votes } from '../voting/support/votes';
import { FEED, type Item, Reader } from './support/feed';
import { Receiver, until } from './support/receiver';
import { NOWHERE, PATH } from './support/space';

const TYPES = [
  'adhesion.signee',
  'adhesion.supprimee',
  'campagne.engagee',
  'campagne.ouverte',
  'campagne.publiee',
  'campagne.scellee',
  'campagne.terminee',
  'cle.expireBientot',
  'conciliation.demandee',
  'listeElectorale.creee',
  'sync.bloquee',
  'sync.terminee',
  'webhook.desactive',
  'webhook.test',
];

let app: TestApp;
let worker: INestApplication;
let tenant: OpenTenant;
let reader: Reader;
let validators: ReadonlyMap<string, ValidateFunction>;

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  worker = await startWorker(app.config);
  tenant = await openTenant(app);
  const { json } = await partner('GET', '/b2b/v2/type-evenement');
  validators = new Map(
    json.map(({ type, schema }: { type: string; schema: AnySchema }) => [type, compile(schema)]),
  );
  for (const champ of CHAMPS)
    expect((await partner('POST', '/b2b/v2/champ-utilisateur', champ)).status).toBe(201);
  for (const idExterne of ['INFO', 'TEXTOS'])
    await partner('POST', '/b2b/v2/objet-consentement', { idExterne, nom: idExterne });
});
afterAll(async () => {
  await worker.close();
  await app.stop();
});
beforeEach(async () => {
  reader = new Reader(app, tenant.partenaire);
  await reader.rest();
});

const partner = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> => app.send(tenant.partenaire, method, path, body, headers);

/** A validator that is strict about the schema itself: unknown keywords and formats are errors. */
function compile(schema: AnySchema): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

function faultsOf(type: string, data: unknown): unknown[] {
  const validate = validators.get(type)!;
  validate(data);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Returns the only event since the test began, which must have this type and match its schema. */
async function theOne(type: string): Promise<Item['data']> {
  const [event, ...more] = await reader.rest();
  expect({ type: event?.type, more }).toEqual({ type, more: [] });
  expect(faultsOf(type, event!.data)).toEqual([]);
  return event!.data;
}

/** Asserts that data with a missing property, or a property of another type, does not match the schema. */
function expectStrict(type: string, data: Item['data']): void {
  for (const name of Object.keys(data)) {
    const { [name]: value, ...rest } = data;
    expect({ without: name, passes: faultsOf(type, rest).length === 0 }).toEqual({
      without: name,
      passes: false,
    });
    const other = typeof value === 'number' ? '7' : 7;
    const isPassing = faultsOf(type, { ...rest, [name]: other }).length === 0;
    expect({ other: name, isPassing }).toEqual({ other: name, isPassing: false });
    if (GUID.test(String(value)))
      expect(faultsOf(type, { ...rest, [name]: 'none' })).toEqual([expect.stringContaining('uuid')]);
  }
  for (const none of [null, [], 'x', 7, {}]) expect(faultsOf(type, none)).not.toEqual([]);
}

/** Returns the effects of a sync; those not given are zero. */
function effets(numbers: object): object {
  return { crees: 0, modifies: 0, inchanges: 0, termines: 0, champsVides: 0, refuses: 0, ...numbers };
}

describe('GET /b2b/v2/type-evenement', () => {
  it('200 with the description and schema of each type, in a fixed order', async () => {
    const answer = await partner('GET', '/b2b/v2/type-evenement');
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(
      TYPES.map((type) => ({
        type,
        description: expect.stringMatching(/\. Data: /),
        schema: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $ref: expect.stringMatching(/^#\/\$defs\/\w+$/),
          $defs: expect.any(Object),
        },
      })),
    );
    expect((await partner('GET', '/b2b/v2/type-evenement')).text).toBe(answer.text);
    expectFaults(await partner('GET', '/b2b/v2/type-evenement?type=x'), { '?type': 'unknown' });
  });

  it('200 with the same catalogue for a key of few modules', async () => {
    const restricted = await app.tenant({ cleModules: ['vote'] });
    const theirs = await app.send(restricted, 'GET', '/b2b/v2/type-evenement');
    expect(theirs.text).toBe((await partner('GET', '/b2b/v2/type-evenement')).text);
  });

  it('each schema compiles strictly, and has no reference outside itself', async () => {
    expect([...validators.keys()]).toEqual(TYPES);
    const { json, text } = await partner('GET', '/b2b/v2/type-evenement');
    expect(text).not.toContain('#/components');
    expect(text).not.toContain('"nullable"');
    for (const { schema } of json) {
      const names = Object.keys(schema.$defs);
      for (const [, name] of JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g))
        expect(names).toContain(name);
    }
    // The negative control: a schema with an unknown keyword is rejected.
    expect(() => compile({ type: 'string', nullable: true, exampl: 'x' })).toThrow();
  });
});

describe('A real event matches the schema of its type, and a changed one does not', () => {
  it('adhesion.signee with all kinds of custom values and every other property', async () => {
    await signed(app, tenant.plateforme, WHOLE);
    const data = await theOne('adhesion.signee');
    const values = data.valeursChampUtilisateur as { type: string }[];
    expect(values.map(({ type }) => type)).toEqual(['choix', 'texte', 'date', 'booleen']);
    expectStrict('adhesion.signee', data);
    const withValues = (changed: unknown[]) =>
      faultsOf('adhesion.signee', { ...data, valeursChampUtilisateur: changed });
    expect(withValues([])).toEqual([]);
    for (const [at, value] of values.entries()) {
      for (const wrong of [
        { ...value, type: 'nombre' },
        { ...value, valeur: {}, idExterneChoix: 7 },
        { type: value.type },
        'x',
      ])
        expect(withValues(values.with(at, wrong as never))).not.toEqual([]);
    }
  });

  it('adhesion.signee with only the required properties', async () => {
    await signed(app, tenant.plateforme);
    const data = await theOne('adhesion.signee');
    expect(data).toMatchObject({ valeursChampUtilisateur: [], transactionId: null, adresse1: null });
    expectStrict('adhesion.signee', data);
  });

  it.each(VALEURS.map((valeur) => [valeur.NomChamp, valeur]))(
    'adhesion.signee with %s alone',
    async (_nom, valeur) => {
      await signed(app, tenant.plateforme, { valeursChampUtilisateur: [valeur] });
      expect((await theOne('adhesion.signee')).valeursChampUtilisateur).toHaveLength(1);
    },
  );

  it('adhesion.supprimee', async () => {
    const { idUniqueAdhesion } = (await signed(app, tenant.plateforme, { employeIdExterne: 'E-2' })).json;
    await reader.rest();
    expect((await partner('DELETE', `/b2b/v2/adhesion/${idUniqueAdhesion}`)).status).toBe(204);
    expectStrict('adhesion.supprimee', await theOne('adhesion.supprimee'));
  });

  it.each([
    ['without an employee, with everything', { ...WHOLE, employeIdExterne: null }],
    ['of an unknown employee, without optional properties', { employeIdExterne: 'E-9' }],
  ])('conciliation.demandee %s; its confirmation is an adhesion.signee', async (_what, body) => {
    const { demandeId } = (await signed(app, tenant.plateforme, body)).json;
    expectStrict('conciliation.demandee', await theOne('conciliation.demandee'));
    expect((await partner('POST', `/b2b/v2/conciliation/${demandeId}/confirmer`, {})).status).toBe(200);
    await theOne('adhesion.signee');
  });

  it('sync.bloquee of a sync that the brake stopped', async () => {
    const brake = (champsVidesPourcent: number | null) =>
      app.send(app.adminKey, 'PUT', `/admin/v1/clients/${tenant.partenaire.clientId}`, {
        freins: { champsVidesPourcent },
      });
    const employe = { IdExterne: 'E-50', Prenom: 'Ève', Nom: 'Roy' };
    const sync = (Ville: string | null) =>
      partner('POST', '/b2b/v2/sync', { Employes: [{ ...employe, Ville }] });
    await sync('Laval');
    await theOne('sync.terminee');
    await brake(0);
    const { json } = await sync(null);
    await brake(null);
    const data = await theOne('sync.bloquee');
    expect(data).toEqual({
      version: 'V2',
      planId: json.planId,
      effets: effets({ modifies: 1, champsVides: 1 }),
    });
    expectStrict('sync.bloquee', data);
  });

  it('sync.terminee of a V1 sync, with the created, updated and rejected records', async () => {
    await partner('POST', '/b2b/v1/employe/sync', {
      employes: [
        { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' },
        { idExterne: 'E-7', prenom: 'Ève', nom: 'Roy' },
        { idExterne: 'E-8' },
      ],
    });
    const data = await theOne('sync.terminee');
    expect(data).toEqual({
      ...{ version: 'V1', syncId: expect.any(String), tacheId: null, etat: 'Reussie', simulation: false },
      ...{ crees: 1, modifies: 1, refuses: 1, effets: effets({ crees: 1, inchanges: 1, refuses: 1 }) },
    });
    expectStrict('sync.terminee', data);
  });

  it('sync.terminee of a V2 sync, over all of its lists', async () => {
    await partner('POST', '/b2b/v2/sync', {
      Syndicats: [{ IdentifiantExterne: 'SYN-1', Nom: 'Syndicat Un' }],
      Employes: [{ IdExterne: 'E-20', Prenom: 'Ève', Nom: 'Roy' }, { IdExterne: 'E-21' }],
      ObjetsConsentement: [{ IdExterne: 'NEUF', Nom: 'Neuf' }],
    });
    expect(await theOne('sync.terminee')).toEqual({
      ...{ version: 'V2', syncId: expect.any(String), tacheId: null, etat: 'Reussie', simulation: false },
      ...{ crees: 2, modifies: 1, refuses: 1, effets: effets({ crees: 2, inchanges: 1, refuses: 1 }) },
    });
  });

  /**
   * Sends a sync as a task and waits until it has ended.
   *
   * @returns the task
   */
  async function task(query: string, body: unknown): Promise<Answer['json']> {
    const sent = await partner('POST', `/b2b/v2/sync${query}`, body, { Prefer: 'respond-async' });
    expect(sent.status).toBe(202);
    const read = async () => (await partner('GET', sent.headers.get('location')!)).json;
    await until('the task is over', async () => ['Reussie', 'Echouee'].includes((await read()).etat));
    return read();
  }
  const EMPLOYES = [{ IdExterne: 'E-30', Prenom: 'Ève', Nom: 'Roy' }, { IdExterne: 'E-31' }];

  it('sync.terminee of a task that succeeded', async () => {
    const { id, etat } = await task('', { Employes: EMPLOYES });
    expect(await theOne('sync.terminee')).toEqual({
      ...{
        version: 'V2',
        syncId: id,
        tacheId: id,
        etat,
        simulation: false,
        crees: 1,
        modifies: 0,
        refuses: 1,
      },
      effets: effets({ crees: 1, refuses: 1 }),
    });
  });

  it('sync.terminee of a simulation by task, which writes no record', async () => {
    const { id } = await task('?simulation=true', { Employes: [{ ...EMPLOYES[0], IdExterne: 'E-40' }] });
    expect(await theOne('sync.terminee')).toEqual({
      ...{
        version: 'V2',
        syncId: null,
        tacheId: id,
        etat: 'Reussie',
        simulation: true,
        crees: 1,
        modifies: 0,
        refuses: 0,
      },
      effets: effets({ crees: 1 }),
    });
    expect((await partner('GET', '/b2b/v2/employe/E-40')).status).toBe(404);
  });

  it('sync.terminee of a task that failed', async () => {
    // It takes longer than the service allows.
    await app.database.query(`
      CREATE FUNCTION too_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE 'too long' USING ERRCODE = 'query_canceled'; END $$;
      CREATE TRIGGER too_long BEFORE INSERT ON employe EXECUTE FUNCTION too_long()`);
    try {
      const { id, etat } = await task('', { Employes: [{ ...EMPLOYES[0], IdExterne: 'E-50' }] });
      expect(etat).toBe('Echouee');
      const data = await theOne('sync.terminee');
      expect(data).toEqual({
        ...{
          version: 'V2',
          syncId: null,
          tacheId: id,
          etat,
          simulation: false,
          crees: 0,
          modifies: 0,
          refuses: 0,
        },
        effets: effets({}),
      });
      expectStrict('sync.terminee', data);
    } finally {
      await app.database.query('DROP FUNCTION too_long CASCADE');
    }
  });

  it('a synchronous simulation and a rejected sync give no event', async () => {
    for (const path of ['/b2b/v1/employe/sync', '/b2b/v2/sync'])
      expect((await partner('POST', `${path}?simulation=true`, {})).status).toBe(200);
    expect((await partner('POST', '/b2b/v2/sync', { Employeurs: [] })).status).toBe(400);
    expect(await reader.rest()).toEqual([]);
  });

  it('listeElectorale.creee, campagne.publiee, campagne.ouverte, campagne.terminee, campagne.scellee and campagne.engagee', async () => {
    const campaigns = new Campaigns(app, tenant.partenaire);
    const id = await campaigns.draft();
    await campaigns.question(id);
    await campaigns.sent('POST', `/${id}/liste-electorale`, { EmployesIdExternes: ['E-1', 'E-2'] });
    const list = await theOne('listeElectorale.creee');
    expect(list).toMatchObject({ CampagneId: id, NombreVotants: 2, NombreAjoutes: 2, NombreDejaPresents: 0 });
    expectStrict('listeElectorale.creee', list);
    for (const [transition, type] of [
      ['publier', 'campagne.publiee'],
      ['ouvrir', 'campagne.ouverte'],
      ['fermer', 'campagne.terminee'],
    ] as const) {
      await campaigns.sent('POST', `/${id}/${transition}`);
      const data = await theOne(type);
      const [listed] = (await campaigns.sent('GET')).json;
      expect(data).toEqual(listed);
      expectStrict(type, data);
    }
    // A round of the worker may have come first, and may still be about to commit.
    await until('it is sealed', async () => {
      await worker.get(SealingService).sealAllDue();
      await worker.get(DossierBuilderService).buildAllDue();
      const text = `SELECT FROM evenement WHERE type = 'campagne.scellee'`;
      return (await app.database.query(text)).rows.length === 1;
    });
    const scellee = await theOne('campagne.scellee');
    const { empreinte } = (await campaigns.sent('GET', `/${id}/dossier`)).json;
    expect(scellee).toMatchObject({ campagneId: id, empreinte });
    expectStrict('campagne.scellee', scellee);
    const votes = await Votes.of(app, campaigns);
    const vote = await votes.opened(1);
    await reader.rest();
    await votes.voted(vote, 0);
    await app.app.get(EngagementsService).round(tenant.partenaire.tenantId, vote.id);
    const checkpoint = await theOne('campagne.engagee');
    expect(checkpoint).toMatchObject({ campagneId: vote.id, taille: 1 });
    expectStrict('campagne.engagee', checkpoint);
  });

  it('cle.expireBientot', async () => {
    const { clientId } = tenant.partenaire;
    const expireLe = new Date(Date.now() + 86_400_000).toISOString();
    const body = { nom: 'Courte', environnement: 'staging', role: 'partenaire', expireLe };
    const cle = await app.send(app.adminKey, 'POST', `/admin/v1/clients/${clientId}/cles`, body);
    await worker.get(ExpiryService).tellAllDue();
    // A round of the worker may have come first, and may still be about to commit.
    await until('it is announced', async () => {
      const text = `SELECT FROM evenement WHERE type = 'cle.expireBientot'`;
      return (await app.database.query(text)).rows.length === 1;
    });
    const data = await theOne('cle.expireBientot');
    const { id, nom, prefixe, environnement, role } = cle.json;
    expect(data).toEqual({ cleId: id, nom, prefixe, environnement, role, expireLe });
    expectStrict('cle.expireBientot', data);
  });

  it('webhook.desactive, which an endpoint that subscribes to it receives', async () => {
    const receiver = await Receiver.start();
    receiver.behaviours.set('/gone', (_received, response) => void response.writeHead(410).end());
    const register = async (path: string, type: string) =>
      (await partner('POST', PATH, { url: receiver.url + path, types: [type] })).json.id as string;
    try {
      const [gone] = [
        await register('/gone', 'sync.terminee'),
        await register('/other', 'webhook.desactive'),
      ];
      expect((await partner('POST', `${PATH}/${gone}/test`)).status).toBe(202);
      await until('the other endpoint hears of it', () => receiver.of('/other').length === 1);
      const [, event, ...more] = await reader.rest();
      expect([event?.type, more]).toEqual(['webhook.desactive', []]);
      const data = event!.data;
      expect(JSON.parse(receiver.of('/other')[0]!.body)).toMatchObject({ type: 'webhook.desactive', data });
      const { desactiveLe, raisonDesactivation } = (await partner('GET', `${PATH}/${gone}`)).json;
      expect(data).toEqual({
        ...{ webhookId: gone, url: `${receiver.url}/gone`, desactiveLe, raisonDesactivation },
      });
      expectStrict('webhook.desactive', data);
      expect(receiver.of('/gone')).toHaveLength(1);
    } finally {
      await receiver.stop();
    }
  });

  it('webhook.test', async () => {
    const { id } = (await partner('POST', PATH, { url: NOWHERE, types: ['sync.terminee'] })).json;
    expect((await partner('POST', `${PATH}/${id}/test`)).status).toBe(202);
    const data = await theOne('webhook.test');
    expect(data).toEqual({ webhookId: id });
    expectStrict('webhook.test', data);
  });

  it('the feed has all of the events above', async () => {
    const { json } = await partner('GET', FEED);
    for (const { type, data } of json as Item[])
      expect({ type, faults: faultsOf(type, data) }).toEqual({ type, faults: [] });
    expect([...new Set((json as Item[]).map(({ type }) => type))].sort()).toEqual(TYPES);
    // The negative control: data of one type does not match the schema of another. Exceptions: a signed card has
    // all properties of its deletion event, a disabled endpoint those of a test, and three campaign events contain the campaign.
    const ofCampaigns = TYPES.filter((type) => /^campagne\.(ouverte|publiee|terminee)$/.test(type));
    expect(ofCampaigns).toHaveLength(3);
    for (const { type, data } of json as Item[]) {
      const passing = TYPES.filter((other) => faultsOf(other, data).length === 0);
      expect([type, passing]).toEqual([
        type,
        type === 'adhesion.signee'
          ? [type, 'adhesion.supprimee']
          : type === 'webhook.desactive'
            ? [type, 'webhook.test']
            : ofCampaigns.includes(type)
              ? ofCampaigns
              : [type],
      ]);
    }
  });
});

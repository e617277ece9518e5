import { createHash, randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { perFile } from '../setup/fixtures';
import { tablesWith } from '../setup/tables-with';

const CLIENTS = '/admin/v1/clients';
const NOBODY = '00000000-0000-4000-8000-000000000000';
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const app = perFile(() => TestApp.own('sees all tenants'));

const admin = (method: string, path = '', body?: unknown): Promise<Answer> =>
  app.send(app.adminKey, method, CLIENTS + path, body);
const unique = (): string => `Syndicat ${randomUUID()}`;

async function created(body: object = {}): Promise<{ id: string; nom: string }> {
  const answer = await admin('POST', '', { nom: unique(), modules: ['carteMembre'], ...body });
  expect(answer.status).toBe(201);
  return answer.json;
}

const CLE = { nom: 'Paie', environnement: 'staging', role: 'partenaire' };
async function issued(clientId: string, body: object = {}): Promise<Answer['json']> {
  const answer = await admin('POST', `/${clientId}/cles`, { ...CLE, ...body });
  expect(answer.status).toBe(201);
  return answer.json;
}

type Faults = Record<string, string>;

/** Rows of a body and its faults, with the body's beginning as the name of the test. */
const named = (rows: [body: unknown, faults: Faults][]): [string, unknown, Faults][] =>
  rows.map(([body, faults]) => [JSON.stringify(body).slice(0, 90), body, faults]);

/** Names that a careless query, log format or column would spoil. */
const ODD_NAMES = [
  ['an emoji', 'Métallos 🏳️‍🌈 🇨🇦'],
  ['per cent signs', '100 % des métallos %s %n %00 _%'],
  ['quotes and statements', `L'Écuyer "et" fils'; DROP TABLE client; --`],
  ['markup and backslashes', '<b>\\N\\x00</b> ${1} {{2}}'],
  ['255 characters of two units', '😀'.repeat(255)],
  ['another script', 'اتحاد العمال 組合'],
] as const;

describe('POST /admin/v1/clients', () => {
  it('201 with defaults, Location, and the same item when it is read', async () => {
    const nom = unique();
    const answer = await admin('POST', '', { nom, modules: [] });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      id: expect.stringMatching(GUID),
      nom,
      modules: [],
      drapeaux: { resultatsVoteActifVisibles: false, seuilAnonymat: 1 },
      organisation: { contactTechnique: null, casUsage: null },
      limiteParMinute: null,
      fuseauHoraire: 'America/Toronto',
      quotaCourrielsParJour: 5_000,
      adresseDeReponse: null,
      courrielsEssai: [],
      freins: { terminaisonsPourcent: null, champsVidesPourcent: null, minimum: 1, jamaisSupprimer: false },
      suspenduLe: null,
      raisonSuspension: null,
      suppressionDemandeeLe: null,
      effaceLe: null,
      cellules: ['production', 'staging'].map((environnement) => ({
        environnement,
        cellule: app.config.workerCell,
      })),
      dateCreation: expect.stringMatching(UTC),
    });
    const location = answer.headers.get('location')!;
    expect(location).toBe(`${CLIENTS}/${answer.json.id}`);
    const read = await app.send(app.adminKey, 'GET', location);
    expect([read.status, read.text]).toEqual([200, answer.text]);
  });

  it('takes everything at once, trims, and ignores the first letter’s case', async () => {
    const nom = unique();
    const { json } = await admin('POST', '', {
      Nom: `  ${nom}\n`,
      Modules: ['voteEnSeance', 'vote'],
      drapeaux: { ResultatsVoteActifVisibles: true, seuilAnonymat: 5 },
      organisation: { contactTechnique: ' it@example.org ', casUsage: '' },
      limiteParMinute: 1200,
      FuseauHoraire: ' Pacific/Auckland ',
      quotaCourrielsParJour: 0,
      adresseDeReponse: ' bureau@example.org ',
      courrielsEssai: [' Ana@Example.org ', 'exemple.org', '@Hôpital.example'],
    });
    expect(json).toMatchObject({
      nom,
      modules: ['voteEnSeance', 'vote'],
      drapeaux: { resultatsVoteActifVisibles: true, seuilAnonymat: 5 },
      organisation: { contactTechnique: 'it@example.org', casUsage: null },
      limiteParMinute: 1200,
      fuseauHoraire: 'Pacific/Auckland',
      quotaCourrielsParJour: 0,
      adresseDeReponse: 'bureau@example.org',
      courrielsEssai: ['Ana@Example.org', 'exemple.org', '@Hôpital.example'],
    });
  });

  it.each(ODD_NAMES)('keeps a name with %s as it is', async (_what, nom) => {
    const { id } = await created({ nom });
    expect((await admin('GET', `/${id}`)).json.nom).toBe(nom);
    expectProblem(await admin('POST', '', { nom, modules: [] }), 409, 'Client.NomDejaUtilise');
  });

  it('409 Client.NomDejaUtilise for a name that is taken, however it is padded; case and accents count', async () => {
    const { nom } = await created();
    expectProblem(await admin('POST', '', { nom: ` ${nom} `, modules: [] }), 409, 'Client.NomDejaUtilise');
    await created({ nom: nom.toUpperCase() });
    await created({ nom: nom.replace('Syndicat', 'Syndiçat') });
  });

  it('makes one client of ten requests at once with the same name', async () => {
    const body = { nom: unique(), modules: [] };
    const answers = await Promise.all(Array.from({ length: 10 }, () => admin('POST', '', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  });

  it.each(
    named([
      [{ nom: 'N', modules: ['votes'] }, { '/modules': 'choice' }],
      [{ nom: 'N', modules: ['Vote'] }, { '/modules': 'choice' }],
      [{ nom: 'N', modules: ['vote', 'vote'] }, { '/modules': 'duplicate' }],
      [{ nom: 'N', modules: ['vote', null] }, { '/modules': 'choice' }],
      [{ nom: 'N', modules: [], fuseauHoraire: 'Montréal' }, { '/fuseauHoraire': 'timeZone' }],
      [{ nom: 'N', modules: [], adresseDeReponse: 'A <a@b.org>' }, { '/adresseDeReponse': 'email' }],
      [{ nom: 'N', modules: [], adresseDeReponse: 'a@b.org, c@d.org' }, { '/adresseDeReponse': 'email' }],
      [
        { nom: 'N', modules: [], adresseDeReponse: 'a@b.org\r\nBcc: c@d.org' },
        { '/adresseDeReponse': 'characters' },
      ],
      [{ nom: 'N', modules: [], adresseDeReponse: 'é@example.org' }, { '/adresseDeReponse': 'email' }],
      [{ nom: 'N', modules: [], adresseDeReponse: 'a@été.example' }, { '/adresseDeReponse': 'email' }],
      [{ nom: 'N', modules: [], adresseDeReponse: '"a b"@example.org' }, { '/adresseDeReponse': 'email' }],
      [{ nom: 'N', modules: [], organisation: [[{ casUsage: 'Paie' }]] }, { '/organisation': 'type' }],
      [
        `{"nom":"N","modules":[],"organisation":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
        { '/organisation': 'type' },
      ],
      // The service generates the identifier: a request with one is rejected.
      [{ nom: 'N', modules: [], id: NOBODY }, { '/id': 'unknown' }],
    ]),
  )('400 for %s', async (_name, body, faults) => {
    expectFaults(await admin('POST', '', body), faults);
  });
});

describe('GET /admin/v1/clients', () => {
  it('lists every client once, oldest first, each as it is read alone', async () => {
    const made = [await created(), await created(), await created()];
    const { status, json } = await admin('GET');
    expect(status).toBe(200);
    expect(json.slice(-3)).toEqual(made);
    const ids = json.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id } of made)
      expect((await admin('GET', `/${id}`)).json).toEqual(json.find((c: { id: string }) => c.id === id));
  });

  it('400 for a parameter, as there is none to filter by', async () => {
    expectFaults(await admin('GET', '?nom=x'), { '?nom': 'unknown' });
  });
});

describe('An id that names no client', () => {
  it.each(['GET', 'PUT', 'GET …/cles', 'POST …/cles', 'DELETE …/cles/{cleId}'])(
    '404 Client.NotFound on %s',
    async (operation) => {
      const [method, rest = ''] = operation.split(' …');
      const body = { PUT: { nom: unique() }, POST: CLE }[method!];
      // Unknown, not a GUID at all, a GUID in another notation, and a text that a query must not see.
      for (const id of [
        NOBODY,
        'x',
        NOBODY.replaceAll('-', ''),
        `{${NOBODY}}`,
        '%F0%9F%98%80',
        "'%20OR%201=1",
      ]) {
        const path = `/${id}${rest.replace('{cleId}', randomUUID())}`;
        expectProblem(await admin(method!, path, body), 404, 'Client.NotFound');
      }
    },
  );

  it('is found in capitals too: a GUID has no case', async () => {
    const { id } = await created();
    expect((await admin('GET', `/${id.toUpperCase()}`)).json.id).toBe(id);
  });
});

const HUNDRED = Array.from({ length: 100 }, (_, at) => `essai-${at}@example.org`);

describe('PUT /admin/v1/clients/{clientId}', () => {
  const WHOLE = {
    modules: ['carteMembre', 'vote'],
    drapeaux: { resultatsVoteActifVisibles: true, seuilAnonymat: 5 },
    organisation: { contactTechnique: 'it@example.org', casUsage: 'Paie' },
    limiteParMinute: 50,
    quotaCourrielsParJour: 70,
    adresseDeReponse: 'bureau@example.org',
    courrielsEssai: ['essais.example.org'],
  };

  it.each<[object, object]>([
    [{}, {}],
    [{ modules: [] }, { modules: [] }],
    [{ modules: ['voteEnSeance'] }, { modules: ['voteEnSeance'] }],
    [{ drapeaux: {} }, {}],
    [
      { drapeaux: { seuilAnonymat: 1 } },
      { drapeaux: { resultatsVoteActifVisibles: true, seuilAnonymat: 1 } },
    ],
    [
      { drapeaux: { resultatsVoteActifVisibles: false } },
      { drapeaux: { resultatsVoteActifVisibles: false, seuilAnonymat: 5 } },
    ],
    [
      { organisation: { contactTechnique: 'new@example.org', casUsage: 'Vote' } },
      { organisation: { contactTechnique: 'new@example.org', casUsage: 'Vote' } },
    ],
    [
      { organisation: { contactTechnique: 'new@example.org' } },
      { organisation: { contactTechnique: 'new@example.org', casUsage: 'Paie' } },
    ],
    [
      { organisation: { casUsage: null } },
      { organisation: { contactTechnique: 'it@example.org', casUsage: null } },
    ],
    [{ id: 'read', dateCreation: 'before' }, {}],
    [{ limiteParMinute: 7 }, { limiteParMinute: 7 }],
    [{ limiteParMinute: null }, { limiteParMinute: null }],
    [{ fuseauHoraire: 'Pacific/Auckland' }, { fuseauHoraire: 'Pacific/Auckland' }],
    [{ quotaCourrielsParJour: 0 }, { quotaCourrielsParJour: 0 }],
    [{ quotaCourrielsParJour: 1_000_000 }, { quotaCourrielsParJour: 1_000_000 }],
    [{ adresseDeReponse: 'vote@xn--t-9fab.example' }, { adresseDeReponse: 'vote@xn--t-9fab.example' }],
    [{ adresseDeReponse: null }, { adresseDeReponse: null }],
    [{ courrielsEssai: [] }, { courrielsEssai: [] }],
    [{ courrielsEssai: HUNDRED }, { courrielsEssai: HUNDRED }],
  ])('%j changes that and leaves the rest as it is', async (change, changed) => {
    const before = await created(WHOLE);
    const answer = await admin('PUT', `/${before.id}`, change);
    expect([answer.status, answer.json]).toEqual([200, { ...before, ...changed }]);
    expect((await admin('GET', `/${before.id}`)).text).toBe(answer.text);
  });

  it('renames, also to its own name; the old name is free again', async () => {
    const { id, nom } = await created();
    const renamed = `${nom} 100 % 🙂`;
    expect((await admin('PUT', `/${id}`, { nom: renamed })).json.nom).toBe(renamed);
    expect((await admin('PUT', `/${id}`, { nom: renamed })).status).toBe(200);
    await created({ nom });
  });

  it('409 Client.NomDejaUtilise for another client’s name, and nothing else of the request is done', async () => {
    const [one, other] = [await created(), await created()];
    const answer = await admin('PUT', `/${one.id}`, { nom: other.nom, modules: [], limiteParMinute: 1 });
    expectProblem(answer, 409, 'Client.NomDejaUtilise');
    expect((await admin('GET', `/${one.id}`)).json).toEqual(one);
  });

  it.each(
    named([
      [{ modules: ['vote', 'chat'] }, { '/modules': 'choice' }],
      [{ fuseauHoraire: 'america/toronto' }, { '/fuseauHoraire': 'timeZone' }],
      [{ fuseauHoraire: null }, { '/fuseauHoraire': 'required' }],
      [{ quotaCourrielsParJour: null }, { '/quotaCourrielsParJour': 'required' }],
      [{ adresseDeReponse: 'bureau' }, { '/adresseDeReponse': 'email' }],
      [{ courrielsEssai: null }, { '/courrielsEssai': 'required' }],
      [{ courrielsEssai: [...HUNDRED, 'example.org'] }, { '/courrielsEssai': 'length' }],
      [{ courrielsEssai: ['example.org', 'example.org'] }, { '/courrielsEssai': 'duplicate' }],
      [
        { courrielsEssai: ['example.org', '*', '*.example.org', '@', 'a@', 'org', '@a@b.org', 'a b.org'] },
        Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((at) => [`/courrielsEssai/${at}`, 'email'])),
      ],
      [{ courrielsEssai: ['Ana <ana@example.org>'] }, { '/courrielsEssai/0': 'email' }],
      [{ adresseDeReponse: 'é@example.org' }, { '/adresseDeReponse': 'email' }],
      [
        { nom: null, modules: null },
        { '/nom': 'required', '/modules': 'required' },
      ],
      [
        { organisation: null, drapeaux: null },
        { '/organisation': 'required', '/drapeaux': 'required' },
      ],
      [{ drapeaux: { seuilAnonymat: null } }, { '/drapeaux/seuilAnonymat': 'required' }],
    ]),
  )('400 for %s, and nothing is changed', async (_name, body, faults) => {
    const before = await created(WHOLE);
    expectFaults(await admin('PUT', `/${before.id}`, body), faults);
    expect((await admin('GET', `/${before.id}`)).json).toEqual(before);
  });

  it('412 Precondition.Echouee for an If-Match that is stale, and nothing is changed', async () => {
    const { id } = await created(WHOLE);
    const put = (body: object, ifMatch: string): Promise<Answer> =>
      app.send(app.adminKey, 'PUT', `${CLIENTS}/${id}`, body, { 'If-Match': ifMatch });
    const read = await admin('GET', `/${id}`);
    const etag = read.headers.get('etag')!;
    const changed = await put({ limiteParMinute: 8 }, etag);
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, expect.not.stringMatching(etag)]);
    expectProblem(await put({ limiteParMinute: 9 }, etag), 412, 'Precondition.Echouee');
    expect((await admin('GET', `/${id}`)).json.limiteParMinute).toBe(8);
    const held = { 'If-None-Match': changed.headers.get('etag')! };
    expect((await app.send(app.adminKey, 'GET', `${CLIENTS}/${id}`, undefined, held)).status).toBe(304);
  });

  it('loses none of two changes at once', async () => {
    const { id } = await created(WHOLE);
    for (let round = 1; round <= 10; round++) {
      await Promise.all([
        admin('PUT', `/${id}`, { limiteParMinute: round }),
        admin('PUT', `/${id}`, { drapeaux: { seuilAnonymat: round } }),
      ]);
      const { json } = await admin('GET', `/${id}`);
      expect([json.limiteParMinute, json.drapeaux.seuilAnonymat]).toEqual([round, round]);
    }
  });
});

describe('POST /admin/v1/clients/{clientId}/cles', () => {
  it.each([
    ['production', 'partenaire', /^mdt_prod_[0-9A-Za-z]{36}$/],
    ['staging', 'plateforme', /^mdt_stg_[0-9A-Za-z]{36}$/],
  ])('201 with a key of %s for role %s, shown this once', async (environnement, role, shape) => {
    const { id } = await created();
    const answer = await admin('POST', `/${id}/cles`, { nom: ' Clé 🔑 100 % ', environnement, role });
    expect(answer.status).toBe(201);
    const { cle, ...item } = answer.json;
    expect(cle).toMatch(shape);
    expect(item).toEqual({
      id: expect.stringMatching(GUID),
      nom: 'Clé 🔑 100 %',
      environnement,
      role,
      modules: null,
      prefixe: cle.slice(0, -30),
      expireLe: null,
      revoqueLe: null,
      dernierUsage: null,
      dateCreation: expect.stringMatching(UTC),
    });
    expect(answer.headers.get('location')).toBe(`${CLIENTS}/${id}/cles/${item.id}`);
    const list = await admin('GET', `/${id}/cles`);
    expect(list.json).toEqual([item]);
    expect(list.text).not.toContain(cle.slice(-30));
  });

  it('stores the SHA-256 of the key and nothing else that it could be read from', async () => {
    const { id } = await created();
    const { id: cleId, cle, prefixe } = await issued(id);
    const { rows } = await app.database.query<Record<string, unknown>>('SELECT * FROM cle WHERE id = $1', [
      cleId,
    ]);
    expect(rows[0]).toMatchObject({
      empreinte: createHash('sha256')
        .update(cle as string)
        .digest(),
      prefixe,
    });
    const random = (cle as string).slice(8 + 6, 8 + 30);
    expect(await tablesWith(app.database, [random])).toEqual([]);
    // Negative control: the search finds a key that lies readable in a table.
    await app.database.query('UPDATE cle SET nom = $2 WHERE id = $1', [cleId, cle]);
    expect(await tablesWith(app.database, [random])).toEqual(['public.cle']);
  });

  it('the keys of an environment open one data space, those of the two environments never the same', async () => {
    const { id } = await created();
    const keys = [];
    for (const environnement of ['staging', 'staging', 'production'])
      keys.push((await issued(id, { environnement })).cle);
    const employe = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    expect((await app.send(keys[0], 'POST', '/b2b/v1/employe', employe)).status).toBe(201);
    const read = keys.map(async (cle) => (await app.send(cle, 'GET', '/b2b/v1/employe/E-1')).status);
    expect(await Promise.all(read)).toEqual([200, 200, 404]);
    const { rows } = await app.database.query('SELECT 1 FROM tenant WHERE client_id = $1', [id]);
    expect(rows).toHaveLength(2);
  });

  it('ten first keys at once, in both environments, all work and make two data spaces', async () => {
    const { id } = await created();
    const keys = await Promise.all(
      Array.from({ length: 10 }, (_, n) => issued(id, { environnement: n % 2 ? 'staging' : 'production' })),
    );
    for (const { cle } of keys) expect((await app.send(cle, 'GET', '/b2b/v1/moi')).status).toBe(200);
    expect(new Set(keys.map(({ cle }) => cle)).size).toBe(10);
    expect((await app.database.query('SELECT 1 FROM tenant WHERE client_id = $1', [id])).rowCount).toBe(2);
  });

  it.each(
    named([
      // An administrator's key is made by the command only.
      [{ ...CLE, role: 'admin' }, { '/role': 'choice' }],
      [{ ...CLE, environnement: 'admin' }, { '/environnement': 'choice' }],
      [{ ...CLE, modules: ['chat'] }, { '/modules': 'choice' }],
      [{ ...CLE, expireLe: '2030-01-01T00:00:00' }, { '/expireLe': 'date' }],
      // A caller must not choose the key, because it would be known elsewhere.
      [{ ...CLE, cle: 'mdt_stg_mine' }, { '/cle': 'unknown' }],
      [{ ...CLE, prefixe: 'mdt' }, { '/prefixe': 'unknown' }],
    ]),
  )('400 for %s, and there is no key', async (_name, body, faults) => {
    const { id } = await created();
    expectFaults(await admin('POST', `/${id}/cles`, body), faults);
    expect((await admin('GET', `/${id}/cles`)).json).toEqual([]);
  });
});

describe('expireLe', () => {
  it.each([
    ['2030-01-31', '2030-01-31T00:00:00.000Z'],
    ['2030-01-31T08:00:00.5-05:00', '2030-01-31T13:00:00.500Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    [null, null],
  ])('%s is kept as %s', async (expireLe, kept) => {
    const { id } = await created();
    const { cle, ...item } = await issued(id, { expireLe });
    expect(item.expireLe).toBe(kept);
    expect((await admin('GET', `/${id}/cles`)).json).toEqual([item]);
    expect((await app.send(cle, 'GET', '/b2b/v1/moi')).status).toBe(200);
  });

  it('ends a key to the moment, although a replica has it cached', async () => {
    const { id } = await created();
    const expireLe = new Date(Date.now() + 1_200);
    const { cle } = await issued(id, { expireLe });
    const lasting = (await issued(id)).cle;
    const seen: [status: number, before: number][] = [];
    let answer: Answer;
    do {
      const asked = Date.now();
      answer = await app.send(cle, 'GET', '/b2b/v1/moi');
      seen.push([answer.status, asked - expireLe.getTime()]);
    } while (answer.status === 200 && Date.now() < expireLe.getTime() + 5_000);
    expectProblem(answer, 401, 'Cle.Invalide');
    expect(answer.json.detail).toContain('expired');
    expect(seen[0]![0]).toBe(200);
    // Nothing that was asked after the moment passed.
    expect(seen.filter(([status, after]) => status === 200 && after > 0)).toEqual([]);
    expect((await app.send(lasting, 'GET', '/b2b/v1/moi')).status).toBe(200);
  });
});

describe('GET /admin/v1/clients/{clientId}/cles', () => {
  it('lists this client’s keys of both environments, oldest first, and no other’s', async () => {
    const [one, other] = [await created(), await created()];
    expect((await admin('GET', `/${one.id}/cles`)).json).toEqual([]);
    const nom = (index: number) => ({
      nom: `Clé ${index}`,
      environnement: index % 2 ? 'production' : 'staging',
    });
    for (let index = 0; index < 4; index++) await issued(one.id, nom(index));
    await issued(other.id);
    const { json } = await admin('GET', `/${one.id}/cles`);
    expect(json).toMatchObject([nom(0), nom(1), nom(2), nom(3)]);
    for (const item of json) expect(item).not.toHaveProperty('cle');
  });

  it('returns the last use of a key, written at most once a minute', async () => {
    const { id } = await created();
    const used = async (): Promise<string | null> => (await admin('GET', `/${id}/cles`)).json[0].dernierUsage;
    const before = Date.now();
    const { id: cleId, cle } = await issued(id);
    await app.send(cle, 'GET', '/b2b/v1/moi');
    const first = await used();
    expect(Date.parse(first!)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(first!)).toBeLessThanOrEqual(Date.now());
    // A replica that has not cached the key asks the database again.
    const replica = await TestApp.start({ databaseUrl: app.config.databaseUrl });
    const age = async (seconds: number): Promise<string> => {
      await app.database.query(
        `UPDATE cle SET dernier_usage = now() - $2 * interval '1 second' WHERE id = $1`,
        [cleId, seconds],
      );
      return (await used())!;
    };
    const recent = await age(50);
    await replica.send(cle, 'GET', '/b2b/v1/moi');
    expect(await used()).toBe(recent);
    await replica.stop();
    const another = await TestApp.start({ databaseUrl: app.config.databaseUrl });
    const old = await age(61);
    await another.send(cle, 'GET', '/b2b/v1/moi');
    expect(Date.parse((await used())!)).toBeGreaterThan(Date.parse(old) + 60_000);
    await another.stop();
  });
});

describe('The use of a key', () => {
  it('is not noted when the key is refused', async () => {
    const { id } = await created();
    const expired = await issued(id, { expireLe: '2026-01-01' });
    const revoked = await issued(id);
    await admin('DELETE', `/${id}/cles/${revoked.id}`);
    for (const { cle } of [expired, revoked])
      expectProblem(await app.send(cle, 'GET', '/b2b/v1/moi'), 401, 'Cle.Invalide');
    const { json } = await admin('GET', `/${id}/cles`);
    expect(json).toMatchObject([{ dernierUsage: null }, { dernierUsage: null }]);
  });
});

describe('DELETE /admin/v1/clients/{clientId}/cles/{cleId}', () => {
  it('204 without a body; the key stays in the list with its date and is refused', async () => {
    const { id } = await created();
    const [{ id: cleId, cle, ...item }, second] = [await issued(id), await issued(id)];
    const before = Date.now();
    const answer = await admin('DELETE', `/${id}/cles/${cleId}`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { json } = await admin('GET', `/${id}/cles`);
    expect(json[0]).toEqual({ id: cleId, ...item, revoqueLe: expect.stringMatching(UTC) });
    expect(Math.abs(Date.parse(json[0].revoqueLe) - before)).toBeLessThan(5_000);
    expect(json[1].revoqueLe).toBeNull();
    const refused = await app.send(cle, 'GET', '/b2b/v1/moi');
    expectProblem(refused, 401, 'Cle.Invalide');
    // Rotation: the second key goes on.
    expect((await app.send(second.cle, 'GET', '/b2b/v1/moi')).status).toBe(200);
  });

  it('204 for a key that is revoked already, whose date stays the first one', async () => {
    const { id } = await created();
    const { id: cleId } = await issued(id);
    const revoked = async (): Promise<unknown> => (await admin('GET', `/${id}/cles`)).json[0].revoqueLe;
    await admin('DELETE', `/${id}/cles/${cleId}`);
    const first = await revoked();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await admin('DELETE', `/${id}/cles/${cleId}`)).status).toBe(204);
    expect(await revoked()).toBe(first);
  });

  it('404 Cle.NotFound for a key of another client, which still works, and for an unknown one', async () => {
    const [one, other] = [await created(), await created()];
    const { id: cleId, cle } = await issued(other.id);
    for (const id of [cleId, NOBODY, 'x', '%F0%9F%98%80'])
      expectProblem(await admin('DELETE', `/${one.id}/cles/${id}`), 404, 'Cle.NotFound');
    expect((await admin('GET', `/${other.id}/cles`)).json[0].revoqueLe).toBeNull();
    expect((await app.send(cle, 'GET', '/b2b/v1/moi')).status).toBe(200);
  });

  it('404 Client.NotFound before Cle.NotFound, when neither is known', async () => {
    expectProblem(await admin('DELETE', `/${NOBODY}/cles/${NOBODY}`), 404, 'Client.NotFound');
  });
});

describe('GET /b2b/v1/moi', () => {
  it('200 with exactly the client, the environment, the modules and the limits of the key', async () => {
    const nom = `${unique()} 100 % 🙂`;
    const { id } = await created({
      nom,
      modules: ['vote', 'carteMembre'],
      limiteParMinute: 77,
      quotaCourrielsParJour: 88,
    });
    const { cle } = await issued(id, { environnement: 'production' });
    const answer = await app.send(cle, 'GET', '/b2b/v1/moi');
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        clientId: id,
        client: nom,
        environnement: 'production',
        modules: ['vote', 'carteMembre'],
        limites: {
          requetesParMinute: 77,
          courrielsParJour: 88,
          tailleMaximale: 1_048_576,
          tailleMaximaleSync: 67_108_864,
          enregistrementsMaximauxSync: 250_000,
          enregistrementsImbriquesMaximauxSync: 400_000,
        },
      },
    ]);
  });

  it('200 with the service’s limit if the client has none', async () => {
    const { cle } = await issued((await created()).id);
    const { limites } = (await app.send(cle, 'GET', '/b2b/v1/moi')).json;
    expect(limites.requetesParMinute).toBe(app.config.rateLimitPerMinute);
  });

  it.each([
    // The modules of the client, of the key, and those that are left.
    [['carteMembre', 'vote'], null, ['carteMembre', 'vote']],
    [['carteMembre', 'vote'], ['vote'], ['vote']],
    [['carteMembre', 'vote'], ['vote', 'voteEnSeance'], ['vote']],
    [['carteMembre', 'vote'], [], []],
    [[], ['vote'], []],
    [[], null, []],
  ])('client %j and key %j: %j', async (modules, cleModules, left) => {
    const { id } = await created({ modules });
    const { cle, ...item } = await issued(id, { modules: cleModules });
    expect(item.modules).toEqual(cleModules);
    expect((await app.send(cle, 'GET', '/b2b/v1/moi')).json.modules).toEqual(left);
  });

  it('follows a change of the client’s name and modules within 5 s', async () => {
    const { id } = await created({ modules: ['vote'] });
    const { cle } = await issued(id);
    const moi = async (): Promise<unknown[]> => {
      const { client, modules } = (await app.send(cle, 'GET', '/b2b/v1/moi')).json;
      return [client, modules];
    };
    await moi();
    const nom = unique();
    await admin('PUT', `/${id}`, { nom, modules: ['carteMembre'] });
    const changed = performance.now();
    while ((await moi())[0] !== nom && performance.now() - changed < 10_000)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(performance.now() - changed).toBeLessThan(5_000);
    expect(await moi()).toEqual([nom, ['carteMembre']]);
  });
});

describe('one key, and lists of clients and keys', () => {
  it('a new key is found where Location says, without its secret, and is revoked only if it is as read', async () => {
    const { id } = await created();
    const { cle, ...item } = await issued(id);
    const address = `${CLIENTS}/${id}/cles/${item.id}`;
    const read = await app.send(app.adminKey, 'GET', address);
    expect([read.status, read.json]).toEqual([200, item]);
    expect(read.text).not.toContain(cle);
    const remove = (ifMatch: string): Promise<Answer> =>
      app.send(app.adminKey, 'DELETE', address, undefined, { 'If-Match': ifMatch });
    expectProblem(await remove('"stale"'), 412, 'Precondition.Echouee');
    expect((await remove(read.headers.get('etag')!)).status).toBe(204);
    expectProblem(
      await app.send(app.adminKey, 'GET', `${CLIENTS}/${id}/cles/${NOBODY}`),
      404,
      'Cle.NotFound',
    );
    const other = await created();
    expectProblem(await admin('GET', `/${other.id}/cles/${item.id}`), 404, 'Cle.NotFound');
  });

  /** Follows the links from a first page; each must lead to the next one until none is left. */
  async function pages(path: string): Promise<string[]> {
    const ids: string[] = [];
    for (let next: string | undefined = path; next;) {
      const answer: Answer = await app.send(app.adminKey, 'GET', next);
      expect([answer.status, answer.json.length]).toEqual([200, 2]);
      ids.push(...answer.json.map((item: { id: string }) => item.id));
      next = /<http:\/\/mandat\.test(.*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    return ids;
  }

  it('are paged by limite and curseur, in the order of creation', async () => {
    const { id } = await created();
    const keys = [];
    for (let index = 0; index < 6; index++) keys.push((await issued(id)).id);
    expect(await pages(`${CLIENTS}/${id}/cles?limite=2`)).toEqual(keys);
    const clients = (await admin('GET')).json.map((client: { id: string }) => client.id);
    if (clients.length % 2) clients.push((await created()).id);
    expect(await pages(`${CLIENTS}?limite=2`)).toEqual(clients);
    expectFaults(await admin('GET', '?curseur=%%'), { '?curseur': 'encoding' });
  });
});

import { depth } from '../setup/depth';
import type { Client } from 'pg';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { GUID, INSTANT, synced, times } from './synced';
import { lockWaits } from '../setup/lock-waits';

const PATH = '/b2b/v2/champ-utilisateur';
const JOUR = { idExterne: 'JOUR', libelle: 'De jour' };
const NUIT = { idExterne: 'NUIT', libelle: 'De nuit' };
const QUART = { nom: 'Quart', type: 'choix', obligatoire: false, choix: [JOUR, NUIT] };
const SURNOM = { nom: 'Surnom', type: 'texte', obligatoire: false, choix: [] };

/** A body in a test, valid or not. */
interface Sent {
  nom: string;
  type?: string;
  obligatoire?: boolean;
  choix?: unknown[];
}

let app: TestApp;
let tenant: TestTenant;
let rival: Client;

beforeAll(async () => {
  app = await TestApp.start();
  // A superuser's connection without time limits, which stops the service in the middle of its work.
  rival = await app.connect('-c deadlock_timeout=1h');
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await app.tenant();
});

const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  app.send(tenant, method, PATH + path, body, headers);
const post = (body: unknown, headers?: Record<string, string>) => send('POST', '', body, headers);
const put = (body: unknown, headers?: Record<string, string>) => send('PUT', '', body, headers);
const get = (nom: string) => send('GET', `/${encodeURIComponent(nom)}`);

async function made(champ: object = QUART): Promise<Answer> {
  const answer = await post(champ);
  expect(answer.status).toBe(201);
  return answer;
}

const employe = (IdExterne: string, ...valeurs: [champ: string, valeur: string | null][]) => ({
  ...{ IdExterne, Prenom: 'Zoé', Nom: 'Roy' },
  ValeursChampUtilisateur: valeurs.map(([NomChamp, Valeur]) => ({ NomChamp, Valeur })),
});
/** Sets or removes values of employees. */
const give = (IdExterne: string, ...valeurs: [champ: string, valeur: string | null][]) =>
  synced(app, tenant, { Employes: [employe(IdExterne, ...valeurs)] });
const valeursOf = async (idExterne: string): Promise<unknown> =>
  (await app.send(tenant, 'GET', `/b2b/v2/employe/${idExterne}`)).json?.valeursChampUtilisateur;

/** Returns the stored fields of the tenant, with their choices in order. */
async function stored(): Promise<string[]> {
  const { rows } = await app.database.query<{ champ: string }>(
    `SELECT concat_ws(' ', nom, type, obligatoire, (
       SELECT string_agg(id_externe || '=' || libelle, ' ' ORDER BY ordre) FROM choix_champ c
       WHERE c.tenant_id = f.tenant_id AND c.nom_champ = f.nom
     )) AS champ
     FROM champ_utilisateur f WHERE tenant_id = $1 ORDER BY date_creation, id_unique`,
    [tenant.tenantId],
  );
  return rows.map(({ champ }) => champ);
}

describe('POST /b2b/v2/champ-utilisateur', () => {
  it.each([
    ['texte', []],
    ['date', []],
    ['booleen', []],
    ['choix', [JOUR, NUIT]],
  ])(
    '201 defines a field of type %s, with Location and ETag, and reads back the same item',
    async (type, choix) => {
      const created = await post({ nom: 'Champ', type, ...(choix.length > 0 ? { choix } : {}) });
      expect([created.status, created.headers.get('location')]).toEqual([201, `${PATH}/Champ`]);
      const { idUnique, dateCreation } = created.json;
      expect([idUnique, dateCreation]).toEqual([expect.stringMatching(GUID), expect.stringMatching(INSTANT)]);
      expect(created.text).toBe(
        JSON.stringify({ nom: 'Champ', type, obligatoire: false, choix, idUnique, dateCreation }),
      );
      const read = await get('Champ');
      expect(read.text).toBe(created.text);
      expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
      expect(read.headers.get('etag')).toMatch(/^"[^"]+"$/);
      expect((await send('GET', '')).text).toBe(`[${created.text}]`);
    },
  );

  it('201 trims texts, takes either case of a first letter, and ignores the read-only properties of a read', async () => {
    const sent = {
      ...{ Nom: ' Quart ', Type: ' choix ', Obligatoire: true, idUnique: 'mine', DateCreation: 4 },
      Choix: [
        { IdExterne: ' NUIT ', Libelle: ' De nuit ' },
        { idExterne: 'JOUR', Libelle: 'De jour' },
      ],
    };
    expect((await made(sent)).json).toMatchObject({ ...QUART, obligatoire: true, choix: [NUIT, JOUR] });
    expect(await stored()).toEqual(['Quart choix t NUIT=De nuit JOUR=De jour']);
  });

  it.each([null, []])('201 with choix %j for a type without choices, and obligatoire null', async (choix) => {
    expect((await made({ nom: 'Surnom', type: 'texte', obligatoire: null, choix })).json).toMatchObject(
      SURNOM,
    );
  });

  it('201 with 1,000 choices, which keep their order; labels may be equal', async () => {
    const choix = times(1_000, (n) => ({ idExterne: `C-${(n * 7919) % 1_000}`, libelle: 'Le même' }));
    expect((await made({ ...QUART, choix })).json.choix).toEqual(choix);
    expect((await get('Quart')).json.choix).toEqual(choix);
  });

  it.each([
    'a/b',
    '100%',
    'a%2Fb',
    'où?',
    '#1',
    'Quart de  travail',
    '🙂👩',
    'ü+ü',
    'a;b=c&d',
    '"\\\'',
    '__proto__',
  ])('201 with the name %s, which the Location and every path take', async (nom) => {
    const created = await made({ ...QUART, nom, choix: [{ idExterne: nom, libelle: nom }] });
    const location = created.headers.get('location')!;
    expect(location).toBe(`${PATH}/${encodeURIComponent(nom)}`);
    expect((await app.send(tenant, 'GET', location)).text).toBe(created.text);
    await give('E-1', [nom, nom]);
    expect(await valeursOf('E-1')).toEqual([{ type: 'choix', nom, idExterneChoix: nom }]);
    await give('E-1', [nom, null]);
    expect((await app.send(tenant, 'PUT', location, { type: 'date' })).json).toMatchObject({
      nom,
      type: 'date',
    });
    expect((await app.send(tenant, 'DELETE', location)).status).toBe(204);
  });

  it.each<[string, unknown, Record<string, string>]>([
    ['a type in another case', { nom: 'C', type: 'Texte' }, { '/type': 'choice' }],
    ['a choice field without choix', { nom: 'C', type: 'choix' }, { '/choix': 'required' }],
    ['a choice field with choix null', { ...QUART, choix: null }, { '/choix': 'required' }],
    ['a choice field with no choice', { ...QUART, choix: [] }, { '/choix': 'required' }],
    ['a text field with choices', { ...SURNOM, choix: [JOUR] }, { '/choix': 'choice' }],
    ['a date field with choices', { ...SURNOM, type: 'date', choix: [JOUR] }, { '/choix': 'choice' }],
    ['a boolean field with choices', { ...SURNOM, type: 'booleen', choix: [JOUR] }, { '/choix': 'choice' }],
    ['a choice twice', { ...QUART, choix: [JOUR, JOUR] }, { '/choix/1/idExterne': 'duplicate' }],
    [
      'two choices twice, one after trimming',
      { ...QUART, choix: [JOUR, NUIT, { idExterne: ' JOUR ', libelle: 'L' }, NUIT] },
      { '/choix/2/idExterne': 'duplicate', '/choix/3/idExterne': 'duplicate' },
    ],
    ['an element that is text', { ...QUART, choix: [JOUR, 'NUIT'] }, { '/choix/1': 'type' }],
    ['an element that is null', { ...QUART, choix: [null, JOUR] }, { '/choix/0': 'type' }],
    ['an element that is a list', { ...QUART, choix: [JOUR, [NUIT]] }, { '/choix/1': 'type' }],
    [
      'elements without their properties',
      { ...QUART, choix: [JOUR, {}, { idExterne: '', libelle: 4 }] },
      {
        '/choix/1/idExterne': 'required',
        '/choix/1/libelle': 'required',
        '/choix/2/idExterne': 'required',
        '/choix/2/libelle': 'type',
      },
    ],
    [
      'elements with unknown properties and both casings',
      { ...QUART, choix: [JOUR, { ...NUIT, ordre: 2, 'a/b': 1 }, { ...NUIT, IdExterne: 'N' }] },
      { '/choix/1/ordre': 'unknown', '/choix/1/a~1b': 'unknown', '/choix/2/IdExterne': 'duplicate' },
    ],
    [
      'an element that is no object before one with a fault of its own',
      { ...QUART, choix: ['JOUR', JOUR, { idExterne: 'NUIT' }] },
      { '/choix/0': 'type', '/choix/2/libelle': 'required' },
    ],
    [
      'everything at once',
      { nom: 4, type: 'choix', obligatoire: 1, choix: [JOUR, { libelle: 'L' }], autre: 1 },
      { '/nom': 'type', '/obligatoire': 'type', '/choix/1/idExterne': 'required', '/autre': 'unknown' },
    ],
  ])('400 for %s, and writes nothing', async (_what, body, faults) => {
    expectFaults(await post(body), faults);
    expect(await stored()).toEqual([]);
  });
});

describe.each([
  ['the collection', (champ: Sent, headers?: Record<string, string>) => put(champ, headers)],
  [
    'its name',
    ({ nom, ...rest }: Sent, headers?: Record<string, string>) =>
      send('PUT', `/${encodeURIComponent(nom)}`, rest, headers),
  ],
])('PUT of a custom field under %s', (_where, replace) => {
  it('200 replaces type, obligation and choices; absent properties are cleared; name, id and creation stay', async () => {
    const before = (await made({ ...QUART, obligatoire: true })).json;
    const replaced = await replace({ nom: 'Quart', type: 'date' });
    expect([replaced.status, replaced.headers.get('location')]).toEqual([200, null]);
    expect(replaced.json).toEqual({ ...before, type: 'date', obligatoire: false, choix: [] });
    expect(replaced.text).toBe((await get('Quart')).text);
    expect(replaced.headers.get('etag')).toBe((await get('Quart')).headers.get('etag'));
    expect(await stored()).toEqual(['Quart date f']);
    expect((await replace({ ...QUART })).json).toEqual({ ...before, obligatoire: false });
  });

  it('labels and order of used choices change, choices are added, and an unused one is removed', async () => {
    const SOIR = { idExterne: 'SOIR', libelle: 'De soir' };
    await made({ ...QUART, choix: [JOUR, NUIT, SOIR] });
    await give('E-1', ['Quart', 'NUIT']);
    const choix = [{ idExterne: 'FIN', libelle: 'Fin de semaine' }, { ...NUIT, libelle: 'La nuit' }, JOUR];
    expect((await replace({ ...QUART, choix })).json).toMatchObject({ choix });
    expect(await stored()).toEqual(['Quart choix f FIN=Fin de semaine NUIT=La nuit JOUR=De jour']);
    expect(await valeursOf('E-1')).toEqual([{ type: 'choix', nom: 'Quart', idExterneChoix: 'NUIT' }]);
    const v1 = (await app.send(tenant, 'GET', '/b2b/v1/employe/E-1')).json;
    expect(v1.valeursChampUtilisateur[0].valeurChoix).toBe('La nuit');
    // Two choices exchange their labels and places.
    const exchanged = [
      { ...JOUR, libelle: 'La nuit' },
      { ...NUIT, libelle: 'De jour' },
    ];
    expect((await replace({ ...QUART, choix: exchanged })).json.choix).toEqual(exchanged);
  });

  it('409 Champ.ChoixUtilise while an employee has the choice, without a change; 200 afterwards', async () => {
    await made();
    await give('E-1', ['Quart', 'NUIT']);
    const without = { ...QUART, obligatoire: true, choix: [{ ...JOUR, libelle: 'Autre' }] };
    expectProblem(await replace(without), 409, 'Champ.ChoixUtilise');
    expect(await stored()).toEqual(['Quart choix f JOUR=De jour NUIT=De nuit']);
    expect(await valeursOf('E-1')).toHaveLength(1);
    await give('E-1', ['Quart', 'JOUR']);
    expect((await replace(without)).status).toBe(200);
    expect(await stored()).toEqual(['Quart choix t JOUR=Autre']);
  });

  it.each([
    ['Surnom', 'texte', 'Zo'],
    ['Quart', 'choix', 'NUIT'],
  ])(
    '409 Champ.TypeUtilise while an employee has a value of %s; other changes pass',
    async (nom, type, valeur) => {
      await made({ nom, type, ...(type === 'choix' ? { choix: [JOUR, NUIT] } : {}) });
      await give('E-1', [nom, valeur]);
      const before = await stored();
      expectProblem(await replace({ nom, type: 'date' }), 409, 'Champ.TypeUtilise');
      expect(await stored()).toEqual(before);
      const choix = type === 'choix' ? [NUIT] : [];
      expect((await replace({ nom, type, obligatoire: true, choix })).status).toBe(200);
      await synced(app, tenant, { Employes: [employe('E-2')] });
      expect((await app.send(tenant, 'DELETE', '/b2b/v1/employe/E-1')).status).toBe(204);
      expect((await replace({ nom, type: 'date' })).json).toMatchObject({
        type: 'date',
        choix: [],
      });
    },
  );

  it('another tenant’s values do not block changes', async () => {
    await made();
    const other = await app.tenant();
    await app.send(other, 'POST', PATH, QUART);
    await synced(app, other, { Employes: [employe('E-1', ['Quart', 'NUIT'])] });
    expect((await replace({ nom: 'Quart', type: 'texte' })).status).toBe(200);
  });

  it('400 with the errors of a POST, and no change', async () => {
    await made();
    expectFaults(await replace({ nom: 'Quart' }), { '/type': 'required' });
    expectFaults(await replace({ ...QUART, choix: [] }), { '/choix': 'required' });
    expectFaults(await replace({ ...QUART, type: 'texte' }), { '/choix': 'choice' });
    expectFaults(await replace({ ...QUART, choix: [JOUR, JOUR] }), { '/choix/1/idExterne': 'duplicate' });
    expectFaults(await replace({ ...QUART, choix: [JOUR, { ...NUIT, rang: 2 }] }), {
      '/choix/1/rang': 'unknown',
    });
    expectFaults(await replace({ ...QUART, choix: [JOUR, 4] }), { '/choix/1': 'type' });
    expect(await stored()).toEqual(['Quart choix f JOUR=De jour NUIT=De nuit']);
  });
});

describe('DELETE /b2b/v2/champ-utilisateur/:nom', () => {
  it.each([
    ['Surnom', 'texte', 'Zo'],
    ['Depuis', 'date', '2020-01-01'],
    ['Bilingue', 'booleen', 'false'],
    ['Quart', 'choix', 'NUIT'],
  ])('409 Champ.Utilise while an employee has a value of %s, 204 afterwards', async (nom, type, valeur) => {
    await made({ nom, type, ...(type === 'choix' ? { choix: [JOUR, NUIT] } : {}) });
    await give('E-1', [nom, valeur]);
    const before = await stored();
    expectProblem(await send('DELETE', `/${nom}`), 409, 'Champ.Utilise');
    expect(await stored()).toEqual(before);
    expect(await valeursOf('E-1')).toHaveLength(1);
    await give('E-1', [nom, null]);
    expect((await send('DELETE', `/${nom}`)).status).toBe(204);
    expect(await stored()).toEqual([]);
  });
});

describe('a field that changes during a sync that writes its values', () => {
  const write = (...valeurs: [string, string][]) =>
    app.send(tenant, 'POST', '/b2b/v2/sync', { Employes: [employe('E-1', ...valeurs)] });
  const WITHOUT_NUIT = { ...QUART, choix: [JOUR] };

  /** Runs `work` while the rival’s statement is uncommitted, and commits when the service waits for it. */
  async function during(statement: string, values: unknown[], work: () => Promise<Answer>): Promise<Answer> {
    await rival.query('BEGIN');
    await rival.query(statement, values);
    const answer = work();
    try {
      await lockWaits(app.database);
    } finally {
      await rival.query('COMMIT');
    }
    return answer;
  }

  it('a choice that is removed after the sync read the fields is that employee’s error, and no such value is stored', async () => {
    await made();
    const answer = await during(
      `DELETE FROM choix_champ WHERE tenant_id = $1 AND id_externe = 'NUIT'`,
      [tenant.tenantId],
      () => write(['Quart', 'NUIT']),
    );
    expect(answer.status).toBe(200);
    expect(answer.json.Employes).toMatchObject({ AddCount: 0, Erreurs: [{ IdUnique: 'E-1' }] });
    expect(await valeursOf('E-1')).toBeUndefined();
  });

  it('a field that is deleted after the sync read the fields is that employee’s error', async () => {
    await made(SURNOM);
    const answer = await during(
      `DELETE FROM champ_utilisateur WHERE tenant_id = $1 AND nom = 'Surnom'`,
      [tenant.tenantId],
      () => write(['Surnom', 'Zo']),
    );
    expect(answer.status).toBe(200);
    expect(answer.json.Employes).toMatchObject({ AddCount: 0, Erreurs: [{ IdUnique: 'E-1' }] });
  });

  it('a field whose type changes after the sync read the fields is written with its new type', async () => {
    await made(SURNOM);
    const answer = await during(
      `UPDATE champ_utilisateur SET type = 'booleen' WHERE tenant_id = $1`,
      [tenant.tenantId],
      () => write(['Surnom', 'true']),
    );
    expect(answer.status).toBe(200);
    expect(answer.json.Employes).toMatchObject({ AddCount: 1, Erreurs: [] });
    expect(await valeursOf('E-1')).toEqual([{ type: 'booleen', nom: 'Surnom', valeur: true }]);
  });

  /** An uncommitted write of a sync. */
  const VALUE = `INSERT INTO valeur_champ_employe (tenant_id, id_externe_employe, nom_champ, type, id_externe_choix)
                 VALUES ($1, 'E-1', 'Quart', 'choix', 'NUIT')`;

  it.each<[string, string, () => Promise<Answer>]>([
    ['the removal of the choice', 'Champ.ChoixUtilise', () => put(WITHOUT_NUIT)],
    ['another type', 'Champ.TypeUtilise', () => put({ nom: 'Quart', type: 'texte' })],
    ['the deletion of the field', 'Champ.Utilise', () => send('DELETE', '/Quart')],
  ])('%s waits for a value that is being written, and then fails with %s', async (_what, code, change) => {
    await made();
    await give('E-1');
    expectProblem(await during(VALUE, [tenant.tenantId], change), 409, code);
    expect(await stored()).toEqual(['Quart choix f JOUR=De jour NUIT=De nuit']);
    expect(await valeursOf('E-1')).toEqual([{ type: 'choix', nom: 'Quart', idExterneChoix: 'NUIT' }]);
  });

  it.each<[string, () => Promise<Answer>]>([
    ['the choice is removed', () => put(WITHOUT_NUIT)],
    ['the type changes', () => put({ nom: 'Quart', type: 'texte' })],
    ['the field is deleted', () => send('DELETE', '/Quart')],
  ])('%s at the same time: one of the two wins, and every value has its choice', async (_what, change) => {
    for (let round = 0; round < depth(6, 15); round++) {
      tenant = await app.tenant();
      await made();
      const started = round % 2 ? [change(), write(['Quart', 'NUIT'])] : [write(['Quart', 'NUIT']), change()];
      const answers = await Promise.all(started);
      const [changed, sync] = (round % 2 ? answers : answers.reverse()) as [Answer, Answer];
      expect(sync.status).toBe(200);
      const refused = sync.json.Employes.Erreurs.length === 1;
      const changes = changed.status === 200 || changed.status === 204;
      if (!changes) expect(changed.status).toBe(409);
      const isChoice = { type: 'choix', nom: 'Quart', idExterneChoix: 'NUIT' };
      const isText = { type: 'texte', nom: 'Quart', valeur: 'NUIT' };
      const valeurs = await valeursOf('E-1');
      const champ = (await get('Quart')).json;
      // As a text the value is still valid, so both may succeed.
      if (refused) expect([changes, valeurs]).toEqual([true, undefined]);
      else if (changes) expect([champ.type, valeurs]).toEqual(['texte', [isText]]);
      else expect([champ.choix, valeurs]).toEqual([[JOUR, NUIT], [isChoice]]);
    }
  });
});

describe('The custom fields of a data space', () => {
  const choix = (count: number, libelle: string) => times(count, (n) => ({ idExterne: `${n}`, libelle }));
  const insert = (count: number) =>
    app.database.query(
      `INSERT INTO champ_utilisateur (tenant_id, nom, type, obligatoire)
       SELECT $1, 'Champ ' || n, 'texte', false FROM generate_series(1, $2::int) n`,
      [tenant.tenantId, count],
    );

  it('are at most 1,000, also if two requests define one at the same time', async () => {
    await insert(999);
    const answers = await Promise.all(times(2, (n) => send('POST', '', { ...SURNOM, nom: `Surnom ${n}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    const refused = answers.find(({ status }) => status === 400)!;
    expect(refused.json).toMatchObject({
      code: 'Requete.Invalide',
      detail: expect.stringContaining('at most 1,000 custom fields') as string,
    });
    expect((await send('GET', '')).json).toHaveLength(1_000);
  });

  it('have at most 2 MiB of names and choices; those of before can be read and reduced', async () => {
    await insert(10);
    await app.database.query(
      `INSERT INTO champ_utilisateur (tenant_id, nom, type, obligatoire) VALUES ($1, 'Quart', 'choix', false)`,
      [tenant.tenantId],
    );
    await app.database.query(
      `INSERT INTO choix_champ (tenant_id, nom_champ, id_externe, libelle, ordre)
       SELECT $1, 'Quart', n::text, repeat('é', 255), n FROM generate_series(1, 4000) n`,
      [tenant.tenantId],
    );
    const refused = await send('POST', '', { ...QUART, nom: 'Poste' });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({
      code: 'Requete.Invalide',
      errors: [{ pointer: '', code: 'length', detail: expect.stringContaining('2,097,152 bytes') as string }],
    });
    expect((await send('GET', '/Quart')).json.choix).toHaveLength(4_000);
    expect((await send('PUT', '', { ...QUART, choix: choix(500, 'é') })).status).toBe(200);
    expect((await send('PUT', '', { ...QUART, choix: choix(1_000, 'é') })).status).toBe(200);
    expect((await send('POST', '', { ...QUART, nom: 'Poste' })).status).toBe(201);
  });
});

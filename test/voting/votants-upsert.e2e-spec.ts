import { randomUUID } from 'node:crypto';
import { refusing } from '../adhesion/support/data-space';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { replacing } from '../membership/rows-read';
import { synced, times } from '../membership/synced';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { VotantsService } from '../../libs/voting/src/roll/application/votants.service';
import { TEST_ACTOR } from '../setup/actor';
import type { Answer } from '../setup/test-app';
import { app, campaigns, elsewhere, newSpace, replica, spaceOfEachTest } from './support/scene';
import { deleteEmployee, size, UNIONS_AND_EMPLOYEES, versions, voters } from './support/roll';

type Loose = Record<string, unknown>;

let id: string;

spaceOfEachTest({ sync: UNIONS_AND_EMPLOYEES, withReplica: true });
beforeEach(async () => {
  id = await campaigns.draft();
});

const NAMED = { Prenom: 'Zoé', Nom: 'Roy' };
const READ = { AVote: false, EtatCourriel: null, StatutCourriel: null, RaisonCourriel: null };
const FULL = {
  ...{ Identifiant: 'ELECTEUR-1', Prenom: 'Marie-Ève', Nom: "L'Écuyer", Courriel: 'm@example.org' },
  ...{ EmployeIdExterne: 'E-1', SyndicatIdExterne: 'SYN-1', EmployeurIdentifiantExterne: 'EMP-1' },
  ...{ ADroitDeVote: true, Poids: 1.5 },
};

const upsert = (body: unknown, headers?: Record<string, string>): Promise<Answer> =>
  campaigns.send('POST', `/${id}/votants/upsert`, body, headers);
const read = async (votant: string): Promise<Loose> =>
  (await campaigns.sent('GET', `/${id}/votants/${votant}`)).json;
const journal = (): Promise<object[]> =>
  campaigns.rows(`SELECT objet_id FROM journal WHERE tenant_id = $1 AND action = 'votant.enregistrer'`);

describe('one record', () => {
  it('without VotantId, or null: 201, Location and the voter, with the right to vote and the weight 1', async () => {
    for (const none of [{}, { VotantId: null }, { ADroitDeVote: null, Poids: null }]) {
      const record = { ...NAMED, ...none };
      const { status, headers, text, json } = await upsert(record);
      expect([status, json]).toMatchObject([201, { ...NAMED, ADroitDeVote: true, AVote: false, Poids: 1 }]);
      expect(headers.get('location')).toBe(`/b2b/v1/campagnes/${id}/votants/${json.VotantId}`);
      const located = await app.send(campaigns.tenant, 'GET', headers.get('location')!);
      expect([located.status, located.text]).toEqual([200, text]);
    }
    expect(await size(id)).toBe(3);
    expect(await journal()).toEqual(times(3, () => ({ objet_id: id })));
  });

  it('with VotantId: 200, and only the properties that are sent change', async () => {
    const VotantId = await campaigns.votant(id, FULL);
    const changes = {
      ...{ Identifiant: 'ELECTEUR-2', Prenom: 'Ève', Nom: 'Roy', Courriel: 'e@example.org' },
      ...{ EmployeIdExterne: 'E-2', SyndicatIdExterne: 'SYN-2', EmployeurIdentifiantExterne: 'EMP-2' },
      ...{ ADroitDeVote: false, Poids: 3 },
    };
    let expected: Loose = { VotantId, ...FULL, ...READ };
    for (const [name, value] of Object.entries(changes)) {
      expected = { ...expected, [name]: value };
      const { status, headers, json } = await upsert({ VotantId: VotantId.toUpperCase(), [name]: value });
      expect([status, headers.get('location'), json]).toEqual([200, null, expected]);
      expect(await read(VotantId)).toEqual(expected);
    }
    expect(await size(id)).toBe(1);
  });

  it('null clears optional properties and leaves the others as they are', async () => {
    const VotantId = await campaigns.votant(id, FULL);
    const kept = { Prenom: null, Nom: '', ADroitDeVote: null, Poids: null };
    expect((await upsert({ VotantId, ...kept })).json).toEqual({ VotantId, ...FULL, ...READ });
    const cleared = {
      ...{ Identifiant: null, Courriel: null },
      ...{ EmployeIdExterne: null, SyndicatIdExterne: null, EmployeurIdentifiantExterne: null },
    };
    expect((await upsert({ VotantId, ...cleared })).json).toEqual({
      ...{ VotantId, ...FULL, ...cleared, ...READ },
    });
    // Other voters can use the cleared values.
    const { Identifiant, EmployeIdExterne } = FULL;
    expect((await upsert({ Identifiant, EmployeIdExterne })).status).toBe(201);
  });

  it('a voter that is sent back as read is not written; AVote is ignored', async () => {
    const VotantId = await campaigns.votant(id, FULL);
    const before = await versions();
    for (const record of [await read(VotantId), { VotantId }, { VotantId, AVote: true, Poids: '1.50' }]) {
      expect([(await upsert(record)).status, await versions()]).toEqual([200, before]);
    }
    expect((await upsert({ ...NAMED, AVote: true })).json.AVote).toBe(false);
  });

  it('is written without a temporary table, which a list uses', async () => {
    const usesTable = async (work: () => Promise<unknown>): Promise<boolean> => {
      const sent: string[] = [];
      await replacing((text, send) => (sent.push(text), send()), work);
      expect(sent.join('\n')).toContain('MERGE INTO votant');
      return sent.some((text) => text.includes('FROM stage_votant'));
    };
    expect(await usesTable(() => upsert(FULL))).toBe(false);
    expect(await usesTable(() => upsert([NAMED]))).toBe(true);
    expect(await size(id)).toBe(2);
  });

  it('a new voter takes missing names and the address from the employee; a known one keeps its own', async () => {
    const shown = async (record: Loose): Promise<unknown[]> => {
      const { Prenom, Nom, Courriel } = (await upsert(record)).json;
      return [Prenom, Nom, Courriel];
    };
    expect(await shown({ EmployeIdExterne: 'E-1' })).toEqual(['Luc', 'Côté', 'luc@example.org']);
    expect(await shown({ EmployeIdExterne: 'E-2', Nom: 'Gagné' })).toEqual(['Ève', 'Gagné', null]);
    const VotantId = await campaigns.votant(id);
    expect(await shown({ VotantId, EmployeIdExterne: 'E-3' })).toEqual(['Zoé', 'Roy', null]);
    const [, , third] = await voters(id);
    expect(third).toMatchObject({ VotantId, EmployeIdExterne: 'E-3' });
  });

  it('takes names in either casing of their first letter, and not in both', async () => {
    expect((await upsert({ prenom: 'Zoé', nom: 'Roy', poids: 2 })).json).toMatchObject({
      ...NAMED,
      Poids: 2,
    });
    expectFaults(await upsert({ ...NAMED, nom: 'Roy' }), '/nom duplicate');
  });

  it('400 with the code reference for an identifier that is unknown or of another tenant', async () => {
    const theirs = await newSpace(UNIONS_AND_EMPLOYEES);
    await synced(app, theirs.tenant, {
      Syndicats: [
        { IdentifiantExterne: 'LEUR', Nom: 'S', Employeurs: [{ IdentifiantExterne: 'LEUR', Nom: 'E' }] },
      ],
      Employes: [{ IdExterne: 'LEUR', ...NAMED }],
    });
    const VotantId = await campaigns.votant(id, FULL);
    const before = await versions();
    for (const name of ['EmployeIdExterne', 'SyndicatIdExterne', 'EmployeurIdentifiantExterne']) {
      for (const value of ['LEUR', 'syn-1', 'X'])
        for (const of of [NAMED, { VotantId }])
          expectFaults(await upsert({ ...of, [name]: value }), `/${name} reference`);
    }
    expect(await versions()).toEqual(before);
  });

  it('404 Votant.NotFound for a VotantId that the campaign does not have; no row changes', async () => {
    const theirs = await newSpace(UNIONS_AND_EMPLOYEES);
    const strangers = [
      await theirs.votant(await theirs.draft()),
      await campaigns.votant(await campaigns.draft()),
      randomUUID(),
    ];
    const before = [await versions(), await versions(theirs)];
    for (const VotantId of strangers) {
      expectProblem(await upsert({ VotantId, Nom: 'Volé' }), 404, 'Votant.NotFound');
    }
    expect([await versions(), await versions(theirs)]).toEqual(before);
  });

  it.each([
    ['Identifiant', 'ELECTEUR-1', 'Votant.IdentifiantDejaUtilise', 'Give its VotantId to change it'],
    ['EmployeIdExterne', 'E-1', 'Votant.EmployeDejaInscrit', 'Give the VotantId of that voter to change it'],
  ])(
    '%s of another voter of the campaign is 409, and no voter is made or changed',
    async (name, value, code, remedy) => {
      const first = await campaigns.votant(id, { ...NAMED, [name]: value });
      const second = await campaigns.votant(id);
      const before = await versions();
      expectProblem(await upsert({ ...NAMED, [name]: value }), 409, code, remedy);
      expectProblem(await upsert({ VotantId: second, [name]: value }), 409, code, remedy);
      expect(await versions()).toEqual(before);
      // Permitted: its own value; in another campaign; after the deletion of its voter.
      expect((await upsert({ VotantId: first, [name]: value })).status).toBe(200);
      await campaigns.votant(await campaigns.draft(), { [name]: value });
      await campaigns.sent('DELETE', `/${id}/votants/${first}`);
      expect((await upsert({ VotantId: second, [name]: value })).json[name]).toBe(value);
    },
  );

  it('Identifiants differ in their casing', async () => {
    for (const Identifiant of ['a', 'A', 'é', 'É']) await campaigns.votant(id, { Identifiant });
    expect(await size(id)).toBe(4);
  });

  it('409 Votant.AVote after the ballot for a change of identifier, employee, union, employer, weight or right; names may change', async () => {
    id = await campaigns.opened();
    const VotantId = await campaigns.votant(id, FULL);
    await campaigns.markVoted(id, VotantId);
    const before = await versions();
    const changes: Loose[] = [
      ...[{ ADroitDeVote: false }, { Poids: 2 }, { Poids: '1.5001' }, { Nom: 'X', Poids: 1 }],
      ...[{ EmployeIdExterne: 'E-2' }, { EmployeIdExterne: null }],
      ...[{ Identifiant: 'X' }, { Identifiant: null }],
      ...[{ SyndicatIdExterne: 'SYN-2' }, { SyndicatIdExterne: null }],
      ...[{ EmployeurIdentifiantExterne: 'EMP-2' }, { EmployeurIdentifiantExterne: null }],
    ];
    for (const change of changes) {
      const alone = await upsert({ VotantId, ...change });
      expectProblem(alone, 409, 'Votant.AVote');
      // SQL decides about a list, the entity about a single voter.
      const { Erreurs } = (await upsert([{ VotantId, ...change }])).json;
      expect(Erreurs).toEqual([{ Index: 0, Code: 'Votant.AVote', Message: alone.json.detail }]);
    }
    expect(await versions()).toEqual(before);
    const same = [{ Poids: '1.50' }, { Poids: 1.5 }, { ADroitDeVote: true }, { Poids: null }, FULL];
    for (const record of same) {
      expect((await upsert({ VotantId, ...record })).status).toBe(200);
      expect((await upsert([{ VotantId, ...record }])).json.Erreurs).toEqual([]);
    }
    expect(await versions()).toEqual(before);
    const names = { Prenom: 'Ève', Nom: 'Gagné', Courriel: null };
    const renamed = (await upsert({ VotantId, ...names })).json;
    expect(renamed).toEqual({ VotantId, ...FULL, ...names, ...READ, AVote: true });
    // The identifier stays taken, which prevents a second vote under it.
    const again = await upsert({ ...NAMED, Identifiant: FULL.Identifiant });
    expectProblem(again, 409, 'Votant.IdentifiantDejaUtilise');
  });

  it('a reference to a deleted employer or union passes as long as it does not change', async () => {
    const gone = { EmployeurIdentifiantExterne: 'GONE', SyndicatIdExterne: 'GONE' };
    await synced(app, campaigns.tenant, {
      Syndicats: [
        { IdentifiantExterne: 'GONE', Nom: 'S', Employeurs: [{ IdentifiantExterne: 'GONE', Nom: 'E' }] },
      ],
    });
    const VotantId = await campaigns.votant(id, { ...FULL, ...gone });
    const other = await campaigns.votant(id);
    for (const table of ['syndicat', 'employeur']) {
      await app.database.query(`DELETE FROM ${table} WHERE tenant_id = $1 AND id_externe = 'GONE'`, [
        campaigns.tenant.tenantId,
      ]);
    }
    const record = { VotantId, ...FULL, ...gone };
    expect((await upsert({ ...record, Nom: 'Gagné' })).json).toMatchObject({ ...gone, Nom: 'Gagné' });
    expect((await upsert([record])).json).toEqual({ NombreCrees: 0, NombreModifies: 1, Erreurs: [] });
    for (const [name, value] of Object.entries(gone)) {
      expectFaults(await upsert({ VotantId: other, [name]: value }), `/${name} reference`);
    }
  });
});

/** Codes of faults, with a value and the properties that reject it. */
const BAD: [code: string, value: unknown, ...names: string[]][] = [
  ['uuid', 'x', 'VotantId'],
  ['length', `${randomUUID()}0`, 'VotantId'],
  ['length', 'x'.repeat(256), 'Identifiant', 'Nom', 'EmployeIdExterne', 'SyndicatIdExterne'],
  ['length', '😀'.repeat(256), 'Prenom', 'EmployeurIdentifiantExterne'],
  ['characters', 'a\u0000', 'VotantId', 'Identifiant', 'Courriel', 'SyndicatIdExterne'],
  ['characters', '\ud83d', 'Prenom', 'Nom', 'EmployeurIdentifiantExterne'],
  ['type', 7, 'VotantId', 'Identifiant', 'Prenom', 'Courriel', 'EmployeIdExterne', 'ADroitDeVote'],
  ['type', [], 'Nom', 'SyndicatIdExterne', 'EmployeurIdentifiantExterne', 'ADroitDeVote'],
  ['type', 'true', 'ADroitDeVote'],
  ['type', true, 'Poids', 'Prenom'],
  ['email', 'nobody', 'Courriel'],
  ['email', 'a@b', 'Courriel'],
  ...[0, 'un', 1.00001].map((weight): [string, unknown, string] => ['range', weight, 'Poids']),
  ['unknown', null, 'Inconnu', 'idUnique', 'votantid'],
];
const FAULTS = BAD.flatMap(([code, value, ...names]) => names.map((name) => ({ name, value, code })));

describe('a record that breaks the form', () => {
  it('alone is 400 with a pointer; in a list it is the error of that record only', async () => {
    const bad = FAULTS.map(({ name, value }) => ({ ...NAMED, [name]: value }));
    for (const [index, { name, value, code }] of FAULTS.entries()) {
      const faults = expectProblem(await upsert(bad[index]), 400, 'Requete.Invalide');
      expect({ value, faults }).toEqual({ value, faults: { [`/${name}`]: code } });
    }
    expectFaults(await upsert({}), '/Prenom required, /Nom required');
    expectFaults(await upsert({ Prenom: '', VotantId: null, Nom: 'Roy' }), '/Prenom required');
    const several = await upsert({ Nom: 7, Courriel: 'x', Poids: 0 });
    expectFaults(several, '/Nom type, /Courriel email, /Poids range');
    expect(await size(id)).toBe(0);
    const { status, json } = await upsert(bad.flatMap((record) => [record, NAMED]));
    expect([status, json.NombreCrees, json.NombreModifies]).toEqual([200, bad.length, 0]);
    for (const [index, { Message, ...error }] of json.Erreurs.entries()) {
      expect(error).toEqual({ Index: 2 * index, Code: 'Requete.Invalide' });
      const { name } = FAULTS[index]!;
      expect(Message).toMatch(name === 'Courriel' ? /Courriel|invalid e-mail/ : name);
      expect(Message.length).toBeLessThan(500);
    }
    expect(json.Erreurs).toHaveLength(bad.length);
    expect(await size(id)).toBe(bad.length);
  });

  it('a value of another type in a list is the error of its record; text that is no JSON is 400', async () => {
    const garbage = [null, 0, -1.5, true, false, '', 'E-1', '😀', [], [{}], [[[]]], {}, { length: 3 }];
    const { status, json } = await upsert([NAMED, ...garbage, NAMED]);
    expect([status, json.NombreCrees, json.NombreModifies]).toEqual([200, 2, 0]);
    expect(json.Erreurs.map(({ Index, Code }: Loose) => [Index, Code])).toEqual(
      garbage.map((_, index) => [index + 1, 'Requete.Invalide']),
    );
    const sound = JSON.stringify(NAMED);
    for (const rest of [',{]', ',]', '', ',{"Nom":tru}]', ']]'])
      expectFaults(await upsert(`[${sound}${rest}`), 'json');
    for (const body of ['null', '7', '"x"']) expectFaults(await upsert(body), 'type');
    expect(await size(id)).toBe(2);
  });
});

describe('a list of records', () => {
  it('become voters in their order, also if PostgreSQL joins them with the roll in another one', async () => {
    const { tenantId } = campaigns.tenant;
    const names = times(3_000, (n) => `Roy ${n}`);
    const records = names.map((Nom) => ({ Prenom: 'Zoé', Nom }));
    await campaigns.sent('POST', `/${id}/votants/upsert`, records.slice(0, 2_900));
    await app.database.query('ANALYZE votant');
    const transactions = app.app.get(Transactions);
    await transactions.run({ tenantId }, async () => {
      await transactions.client().query('SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off');
      await app.app.get(VotantsService).upsertAll(tenantId, TEST_ACTOR, id, records.slice(2_900));
    });
    expect((await voters(id)).map(({ Nom }) => Nom as string)).toEqual(names);
  });

  it('without records is 200 with zeros', async () => {
    expect((await upsert([])).text).toBe('{"NombreCrees":0,"NombreModifies":0,"Erreurs":[]}');
  });

  it('records of every kind: counts add up; errors have the order sent and the codes of single records', async () => {
    id = await campaigns.opened();
    const known = await campaigns.votant(id, { Identifiant: 'PRIS' });
    const voted = await campaigns.votant(id, { EmployeIdExterne: 'E-1' });
    await campaigns.markVoted(id, voted);
    const bad: [Loose, code: string, message: string][] = [
      [{ VotantId: randomUUID(), Nom: 'X' }, 'Votant.NotFound', 'VotantId'],
      [{ Prenom: 'Zoé' }, 'Requete.Invalide', 'Nom is required'],
      [{ EmployeIdExterne: 'X' }, 'Requete.Invalide', 'EmployeIdExterne names no employee'],
      [{ ...NAMED, SyndicatIdExterne: 'X' }, 'Requete.Invalide', 'SyndicatIdExterne names no union'],
      [
        ...([{ VotantId: known, EmployeurIdentifiantExterne: 'X' }, 'Requete.Invalide'] as const),
        'EmployeurIdentifiantExterne names no employer',
      ],
      [{ ...NAMED, Identifiant: 'PRIS' }, 'Votant.IdentifiantDejaUtilise', 'Identifiant'],
      [{ EmployeIdExterne: 'E-1' }, 'Votant.EmployeDejaInscrit', 'employee'],
      [{ VotantId: voted, Poids: 2 }, 'Votant.AVote', 'voted'],
    ];
    const before = await size(id);
    for (const [record, code] of bad) expect((await upsert(record)).json.code).toBe(code);
    const alone = await journal();
    const { status, json } = await upsert(bad.flatMap(([record]) => [NAMED, record]));
    // Two records name one voter: the first failed, so the second is no duplicate.
    expect([status, json.NombreCrees, json.NombreModifies]).toEqual([200, bad.length, 0]);
    expect(json.Erreurs).toEqual(
      bad.map(([, Code, message], index) => ({
        ...{ Index: 2 * index + 1, Code, Message: expect.stringContaining(message) },
      })),
    );
    expect((await size(id)) - before).toBe(bad.length);
    // A list has one entry in the audit trail.
    expect(await journal()).toHaveLength(alone.length + 1);
  });

  it('with two records of one voter writes the first; the second is an error', async () => {
    const VotantId = await campaigns.votant(id);
    const { json } = await upsert([
      { VotantId, Nom: 'Un' },
      { ...NAMED, Identifiant: 'X', Nom: 'Un' },
      { EmployeIdExterne: 'E-1', Nom: 'Un' },
      { VotantId: VotantId.toUpperCase(), Nom: 'Deux' },
      { ...NAMED, Identifiant: ' X ', Nom: 'Deux' },
      { EmployeIdExterne: 'E-1', Nom: 'Deux' },
      { ...NAMED, Identifiant: 'x', Nom: 'Un' },
    ]);
    expect(json).toEqual({
      ...{ NombreCrees: 3, NombreModifies: 1 },
      Erreurs: [
        { Index: 3, Code: 'Requete.Invalide', Message: expect.stringContaining('VotantId') },
        { Index: 4, Code: 'Votant.IdentifiantDejaUtilise', Message: expect.stringContaining('Identifiant') },
        { Index: 5, Code: 'Votant.EmployeDejaInscrit', Message: expect.stringContaining('EmployeIdExterne') },
      ],
    });
    expect((await voters(id)).map(({ Nom }) => Nom)).toEqual(['Un', 'Un', 'Un', 'Un']);
    expect(await size(id)).toBe(4);
  });

  it('10,000 invalid and 1,000 valid records: 10,000 errors, in the order sent', async () => {
    const bad = (index: number): unknown =>
      [
        null,
        { Prenom: 'Zoé' },
        { ...NAMED, Courriel: 'nobody' },
        { ...NAMED, SyndicatIdExterne: 'X' },
        { VotantId: randomUUID() },
        { ...NAMED, Identifiant: 'V-0' },
      ][index % 6];
    const good = times(1_000, (index) => ({ ...NAMED, Identifiant: `V-${index}` }));
    const { status, json } = await upsert([good[0], ...times(10_000, bad), ...good.slice(1)]);
    expect([status, json.NombreCrees, json.NombreModifies, json.Erreurs.length]).toEqual([
      200, 1_000, 0, 10_000,
    ]);
    const codes = [
      ...['Requete.Invalide', 'Requete.Invalide', 'Requete.Invalide', 'Requete.Invalide'],
      ...['Votant.NotFound', 'Votant.IdentifiantDejaUtilise'],
    ];
    expect(json.Erreurs.map(({ Index, Code }: Loose) => [Index, Code])).toEqual(
      times(10_000, (index) => [index + 1, codes[index % 6]]),
    );
    expect(await size(id)).toBe(1_000);
  });

  it('with records far apart is one transaction: the failure of the last one undoes the first', async () => {
    const good = ['FIRST', 'A', 'B', 'LAST'].map((Identifiant) => JSON.stringify({ ...NAMED, Identifiant }));
    const body = `[${good[0]}${',0'.repeat(99_998)},${good.slice(1).join()}]`;
    await app.database.query(
      `CREATE FUNCTION refuse_last() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN IF NEW.identifiant = 'LAST' THEN RAISE 'refused'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER refuse_last BEFORE INSERT ON votant FOR EACH ROW EXECUTE FUNCTION refuse_last()`,
    );
    expectProblem(await upsert(body), 500, 'Service.ErreurInterne');
    expect([await size(id), await journal()]).toEqual([0, []]);
    await app.database.query('DROP FUNCTION refuse_last CASCADE');
    const { json } = await upsert(body);
    expect([json.NombreCrees, json.NombreModifies, json.Erreurs.length]).toEqual([4, 0, 99_998]);
    expect(await size(id)).toBe(4);
  });

  it('413 for 250,001 records, and nothing is written', async () => {
    const body = `[${JSON.stringify(NAMED)}${',0'.repeat(250_000)}]`;
    expectProblem(await upsert(body), 413, 'Requete.TropVolumineuse');
    expect(await size(id)).toBe(0);
  });

  it.each(['votant', 'journal'])(
    'is one transaction: if %s rejects a row, no record is written',
    async (table) => {
      const VotantId = await campaigns.votant(id);
      const before = await versions();
      const records = [{ VotantId, Nom: 'Gagné' }, ...times(500, () => NAMED)];
      const answer = await refusing(app, table, () => upsert(records));
      expectProblem(answer, 500, 'Service.ErreurInterne');
      expect(answer.text).not.toContain('refused');
      expect(await versions()).toEqual(before);
      expect(await size(id)).toBe(1);
      expect((await upsert(records)).json).toEqual({ NombreCrees: 500, NombreModifies: 1, Erreurs: [] });
      expect(await size(id)).toBe(501);
    },
  );
});

describe('Idempotency-Key', () => {
  it.each<[string, unknown]>([
    ['one record', NAMED],
    ['a list', [NAMED, 0, NAMED]],
  ])('%s sent twice with one key is written once, with equal responses', async (_what, body) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const [first, second] = [await upsert(body, headers), await upsert(body, headers)];
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await size(id)).toBe(Array.isArray(body) ? 2 : 1);
    expectProblem(await upsert([NAMED], headers), 422, 'Idempotence.CleReutilisee');
  });
});

describe('at once, over two replicas', () => {
  it.each([
    [{ ...NAMED, Identifiant: 'X' }, 'Votant.IdentifiantDejaUtilise'],
    [{ EmployeIdExterne: 'E-1' }, 'Votant.EmployeDejaInscrit'],
  ])('one of twenty equal records %j is 201, nineteen are 409 %s', async (record, code) => {
    const answers = await Promise.all(
      times(20, (index) => (index % 2 ? campaigns : elsewhere).send('POST', `/${id}/votants/upsert`, record)),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(19);
    for (const answer of refused) expectProblem(answer, 409, code);
    expect(await size(id)).toBe(1);
  });

  it('overlapping lists during deletions of their employees: no error, no duplicate, a correct count', async () => {
    const COUNT = 400;
    const Employes = times(COUNT, (index) => ({ IdExterne: `R-${index}`, ...NAMED }));
    await synced(app, campaigns.tenant, { Employes });
    const records = Employes.map(({ IdExterne }) => ({
      EmployeIdExterne: IdExterne,
      Identifiant: IdExterne,
    }));
    const path = `/${id}/votants/upsert`;
    let deleted = 0;
    let created = 0;
    for (let round = 0; round < 5; round++) {
      const lists = times(6, (index) =>
        (index % 2 ? campaigns : elsewhere).send('POST', path, index % 3 ? records : [...records].reverse()),
      );
      const deletions = times(40, async (index) => {
        // The deletions last as long as the lists.
        await new Promise((resolve) => setTimeout(resolve, 5 * index));
        return deleteEmployee(`R-${(round * 40 + index * 7) % COUNT}`, index % 2 ? app : replica);
      });
      for (const { status, json } of await Promise.all(lists)) {
        expect({ status, code: json.code }).toEqual({ status: 200, code: undefined });
        const { NombreCrees, NombreModifies, Erreurs } = json;
        expect(NombreCrees + NombreModifies + Erreurs.length).toBe(COUNT);
        created += NombreCrees;
      }
      for (const { status } of await Promise.all(deletions)) {
        expect([204, 404]).toContain(status);
        if (status === 204) deleted++;
      }
    }
    expect(deleted).toBeGreaterThan(50);
    const all = await voters(id);
    const named = all.map(({ EmployeIdExterne }) => EmployeIdExterne);
    expect(new Set(named).size).toBe(named.length);
    // In a draft, voters are deleted with their employees.
    const left = await campaigns.rows<{ id: string }>(
      `SELECT id_externe AS id FROM employe WHERE tenant_id = $1 AND id_externe LIKE 'R-%'`,
    );
    expect(left).toHaveLength(COUNT - deleted);
    expect([...named].sort()).toEqual(left.map((row) => row.id).sort());
    expect(created).toBeGreaterThanOrEqual(COUNT - deleted);
    expect(await size(id)).toBe(COUNT - deleted);
  });
});

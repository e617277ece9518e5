import type { Client } from 'pg';
import { LifecycleService } from '../../libs/voting/src';
import { ListeElectoraleRepository } from '../../libs/voting/src/roll/persistence/liste-electorale.repository';
import { VotantsBulk } from '../../libs/voting/src/roll/persistence/votants.bulk';
import { expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import { app, campaigns, elsewhere, spaceOfFile } from './support/scene';
import { deleteEmployee, size } from './support/roll';
import { lockWaits } from '../setup/lock-waits';

// A lock of another connection stops each race at the point where it was once lost.

let other: Client;

spaceOfFile({
  sync: {
    Syndicats: [
      {
        ...{ IdentifiantExterne: 'SYN-1', Nom: 'Syndicat Un' },
        Employeurs: [{ IdentifiantExterne: 'EMP-1', Nom: 'Usine' }],
      },
    ],
    Employes: times(10, (index) => ({
      ...{ IdExterne: `E-${index}`, Prenom: 'Zoé', Nom: 'Roy' },
      Emplois: [{ IdentifiantExterne: 'J-1', IdentifiantExterneEmployeur: 'EMP-1', Matricule: '1' }],
      Adhesions: [{ SyndicatIdExterne: 'SYN-1', DateAdhesion: '2020-01-01' }],
    })),
  },
  withReplica: true,
});
beforeAll(async () => {
  other = await app.connect();
});

const tenantId = (): string => campaigns.tenant.tenantId;

const INSERT = `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, identifiant, employe_id_externe, a_droit_de_vote, poids)
  VALUES ($1, $2, 'Zoé', 'Roy', $3, $4, true, 1)`;

/** Runs statements in a transaction of another connection. @returns a function that commits it */
async function holding(
  ...statements: [text: string, ...values: unknown[]][]
): Promise<() => Promise<unknown>> {
  await other.query('BEGIN');
  for (const [text, ...values] of statements) await other.query(text, values);
  return () => other.query('COMMIT');
}

/** Runs `work` while a deletion has locked the employee and has not ended. */
async function whileDeleting(employe: string, work: () => Promise<Answer>): Promise<Answer> {
  const release = await holding([
    'SELECT FROM emploi WHERE tenant_id = $1 AND id_externe_employe = $2 FOR UPDATE',
    tenantId(),
    employe,
  ]);
  const deleted = deleteEmployee(employe);
  await lockWaits(app.database);
  const answer = work();
  await lockWaits(app.database, 2);
  await release();
  expect((await deleted).status).toBe(204);
  return answer;
}

describe('A roll that is written', () => {
  it('409 Votant.AVote if the ballot comes before the upsert has the row', async () => {
    const id = await campaigns.opened();
    const VotantId = await campaigns.votant(id);
    const release = await holding(
      ['SELECT FROM campagne WHERE tenant_id = $1 AND id_unique = $2 FOR KEY SHARE', tenantId(), id],
      ['UPDATE votant SET a_vote = true WHERE tenant_id = $1 AND id_unique = $2', tenantId(), VotantId],
    );
    const change = { VotantId, Poids: 5, ADroitDeVote: false };
    const upsert = campaigns.send('POST', `/${id}/votants/upsert`, change);
    await lockWaits(app.database);
    await release();
    expectProblem(await upsert, 409, 'Votant.AVote');
    const { json } = await campaigns.sent('GET', `/${id}/votants/${VotantId}`);
    expect(json).toMatchObject({ AVote: true, Poids: 1, ADroitDeVote: true });
  });

  it('409 Votant.AVote for another employee after the ballot, because the first could be enrolled again', async () => {
    const id = await campaigns.opened();
    const VotantId = await campaigns.votant(id, { EmployeIdExterne: 'E-0' });
    await campaigns.markVoted(id, VotantId);
    for (const EmployeIdExterne of [null, 'E-1']) {
      const answer = await campaigns.send('POST', `/${id}/votants/upsert`, { VotantId, EmployeIdExterne });
      expectProblem(answer, 409, 'Votant.AVote');
    }
    const list = await campaigns.sent('POST', `/${id}/liste-electorale`, { EmployesIdExternes: ['E-0'] });
    expect(list.json).toMatchObject({ NombreAjoutes: 0, NombreDejaPresents: 1 });
  });

  it('a list leaves out an employee who is deleted meanwhile', async () => {
    const id = await campaigns.draft();
    const criteria = { SyndicatsIdExternes: ['SYN-1'] };
    const before = (await campaigns.rows('SELECT FROM employe WHERE tenant_id = $1')).length;
    const list = await whileDeleting('E-2', () =>
      campaigns.send('POST', `/${id}/liste-electorale`, criteria),
    );
    expect([list.status, list.json.NombreAjoutes]).toEqual([201, before - 1]);
    expect(await size(id)).toBe(before - 1);
  });

  it('an upsert rejects only the record of an employee who is deleted meanwhile', async () => {
    const id = await campaigns.draft();
    const records = [{ EmployeIdExterne: 'E-3' }, { EmployeIdExterne: 'E-4' }];
    const upsert = await whileDeleting('E-3', () => campaigns.send('POST', `/${id}/votants/upsert`, records));
    expect(upsert.status).toBe(200);
    expect(upsert.json).toMatchObject({
      NombreCrees: 1,
      Erreurs: [{ Index: 0, Code: 'Requete.Invalide', Message: 'EmployeIdExterne names no employee' }],
    });
    expect(await size(id)).toBe(1);
  });

  it.each([
    ['E-5', { Prenom: 'Ève', Nom: 'Côté' }],
    ['E-6', { Poids: 2 }],
  ])('404 Votant.NotFound for the voter that the deletion of %s deletes meanwhile', async (employe, rest) => {
    const id = await campaigns.draft();
    const VotantId = await campaigns.votant(id, { EmployeIdExterne: employe });
    const release = await holding([
      'SELECT FROM campagne WHERE tenant_id = $1 AND id_unique = $2 FOR SHARE',
      tenantId(),
      id,
    ]);
    // The deletion has deleted the voter, and waits to update the count.
    const deleted = deleteEmployee(employe);
    await lockWaits(app.database);
    const upsert = campaigns.send('POST', `/${id}/votants/upsert`, { VotantId, ...rest });
    await lockWaits(app.database, 2);
    await release();
    expect((await deleted).status).toBe(204);
    expectProblem(await upsert, 404, 'Votant.NotFound');
    expect(await size(id)).toBe(0);
  });

  it('one lock holds a campaign, whatever the case of its id in the path', async () => {
    const id = await campaigns.draft();
    const list = times(3_000, (index) => ({ Identifiant: `I-${index}`, Prenom: 'Zoé', Nom: 'Roy' }));
    const answers = await Promise.all([
      campaigns.send('POST', `/${id}/votants/upsert`, list),
      elsewhere.send('POST', `/${id.toUpperCase()}/votants/upsert`, list),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map(({ json }) => json.NombreCrees).sort()).toEqual([0, 3_000]);
    expect(await size(id)).toBe(3_000);
    const voter = { Prenom: 'Z', Nom: 'R' };
    const made = await campaigns.sent('POST', `/${id.toUpperCase()}/votants/upsert`, voter);
    expect(made.headers.get('location')).toBe(`/b2b/v1/campagnes/${id}/votants/${made.json.VotantId}`);
  });

  it('a publication does not wait while a long list is read', async () => {
    const id = await campaigns.ready();
    const { stage } = VotantsBulk.prototype;
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const isRead = new Promise<void>((resolve) => {
      jest.spyOn(VotantsBulk.prototype, 'stage').mockImplementation(async function (
        this: VotantsBulk,
        records,
      ) {
        const staged = await stage.call(this, records);
        resolve();
        await released;
        return staged;
      });
    });
    const upsert = campaigns.send('POST', `/${id}/votants/upsert`, [{ Prenom: 'Zoé', Nom: 'Roy' }]);
    await isRead;
    const published = await campaigns.send('POST', `/${id}/publier`);
    release();
    jest.restoreAllMocks();
    expect(published.status).toBe(200);
    expect((await upsert).json).toMatchObject({ NombreCrees: 1, Erreurs: [] });
  });
});

describe('A roll written during a swap of identifiers: each voter has the right name', () => {
  const renamed = (...pairs: [ancien: string, nouveau: string][]): Promise<Answer> =>
    app.send(
      campaigns.tenant,
      'POST',
      '/b2b/v2/employe/nouveaux-identifiants',
      pairs.map(([ancien, nouveau]) => ({ ancien, nouveau })),
    );
  const swap = (): Promise<Answer> => renamed(['E-7', 'E-8'], ['E-8', 'E-7']);
  /** Voters with a name that is not their employee's. */
  const mixed = (id: string): Promise<unknown[]> =>
    campaigns.rows(
      `SELECT v.prenom, e.prenom FROM votant v JOIN employe e ON e.tenant_id = v.tenant_id AND e.id_externe = v.employe_id_externe
       WHERE v.tenant_id = $1 AND v.campagne_id = $2 AND v.prenom <> e.prenom`,
      id,
    );
  beforeEach(async () => {
    await campaigns.rows(`UPDATE employe SET prenom = id_unique::text WHERE tenant_id = $1`);
  });

  const criteria = { SyndicatsIdExternes: ['SYN-1'] };
  it.each([
    ['an electoral list', () => Promise.resolve(criteria), 'liste-electorale'],
    [
      'differences',
      async (id: string) => {
        await campaigns.sent('POST', `/${id}/liste-electorale`, criteria);
        await campaigns.rows('DELETE FROM votant WHERE tenant_id = $1 AND campagne_id = $2', id);
        const { json } = await campaigns.sent('GET', `/${id}/liste-electorale/ecarts`);
        return { empreinte: json.empreinte, natures: ['AAjouter'] };
      },
      'liste-electorale/ecarts/appliquer',
    ],
  ])('%s', async (_what, bodyOf, path) => {
    const id = await campaigns.draft();
    const body = await bodyOf(id);
    const { addVoters } = ListeElectoraleRepository.prototype;
    let swapped: Promise<Answer>;
    jest.spyOn(ListeElectoraleRepository.prototype, 'addVoters').mockImplementationOnce(async function (
      this: ListeElectoraleRepository,
      ...of
    ) {
      swapped = swap();
      await Promise.race([swapped, lockWaits(app.database)]);
      return addVoters.apply(this, of);
    });
    const written = await campaigns.send('POST', `/${id}/${path}`, body);
    jest.restoreAllMocks();
    expect(written.status).toBeLessThan(300);
    expect((await swapped!).status).toBe(200);
    expect(await mixed(id)).toEqual([]);
  });

  it('an upsert that waits for a swap and meets another renaming', async () => {
    const id = await campaigns.draft();
    // An uncommitted voter stops the upsert in the middle of its writing.
    const release = await holding(
      [INSERT, tenantId(), id, 'V-1', 'E-9'],
      ['SAVEPOINT swap'],
      // It stops the swap before its last part.
      ['SELECT FROM membership WHERE tenant_id = $1 FOR UPDATE', tenantId()],
    );
    const swapped = swap();
    await lockWaits(app.database);
    const written = elsewhere.send('POST', `/${id}/votants/upsert`, [
      { Identifiant: 'V-1', EmployeIdExterne: 'E-7' },
    ]);
    await lockWaits(app.database, 2);
    await other.query('ROLLBACK TO SAVEPOINT swap');
    expect((await swapped).status).toBe(200);
    await lockWaits(app.database);
    const again = renamed(['E-7', 'N-7'], ['E-0', 'E-7']);
    await Promise.race([again, lockWaits(app.database, 2)]);
    await other.query('ROLLBACK');
    await release();
    expect([(await again).status, (await written).json.Erreurs]).toEqual([200, []]);
    expect(await mixed(id)).toEqual([]);
  });
});

describe('Autovacuum, which counts no rows before they are committed', () => {
  /** Whether the application holds the lock that blocks autovacuum of the table. */
  const isKeptOff = async (): Promise<boolean> => {
    const { rowCount } = await app.database.query(
      `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE relation = 'votant'::regclass AND mode = 'ShareUpdateExclusiveLock' AND granted
         AND datname = current_database() AND application_name LIKE 'mandat %'`,
    );
    return rowCount === 1;
  };

  it.each<[what: string, many: boolean, path: string, body: unknown]>([
    [
      'is blocked by an upsert of more rows than PostgreSQL has counted',
      true,
      'votants/upsert',
      times(2_000, (index) => ({ Identifiant: `V-${index}`, Prenom: 'Zoé', Nom: 'Roy' })),
    ],
    [
      'is not blocked by an upsert of one row',
      false,
      'votants/upsert',
      [{ Identifiant: 'V-1', Prenom: 'Zoé', Nom: 'Roy' }],
    ],
    ['is blocked by an electoral list', true, 'liste-electorale', { EmployesIdExternes: ['E-9'] }],
  ])('%s', async (_what, many, path, body) => {
    await app.database.query('DELETE FROM votant');
    await app.database.query('VACUUM ANALYZE votant');
    const id = await campaigns.draft();
    // An uncommitted row stops the writer in the middle of its writing.
    const release = await holding([INSERT, tenantId(), id, 'V-1', 'E-9']);
    const written = campaigns.send('POST', `/${id}/${path}`, body);
    await lockWaits(app.database);
    expect(await isKeptOff()).toBe(many);
    await other.query('ROLLBACK');
    await release();
    expect((await written).status).toBeLessThan(300);
    expect(await isKeptOff()).toBe(false);
  });
});

describe('The clock', () => {
  it('skips a locked campaign, and announces it when it is free', async () => {
    const ids = [await campaigns.scheduled(), await campaigns.scheduled(), await campaigns.scheduled()];
    await app.database.query(
      `UPDATE campagne SET ouverture_du_vote_utc = now() - interval '1 minute' WHERE id_unique = ANY ($1)`,
      [ids],
    );
    const release = await holding(['SELECT FROM campagne WHERE id_unique = $1 FOR UPDATE', ids[0]]);
    const clock = app.app.get(LifecycleService, { strict: false });
    await clock.tellAllDue();
    const opened = async (id: string): Promise<boolean> =>
      (await campaigns.events(id)).includes('campagne.ouverte');
    expect(await Promise.all(ids.map(opened))).toEqual([false, true, true]);
    await release();
    await clock.tellAllDue();
    expect(await Promise.all(ids.map(opened))).toEqual([true, true, true]);
  });
});

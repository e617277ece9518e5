import type { INestApplication } from '@nestjs/common';
import type { Client } from 'pg';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { EngagementsService, SealingService } from '../../libs/voting/src';
import { refusing } from '../adhesion/support/data-space';
import { eventually } from '../http/expect-problem';
import { synced, times } from '../membership/synced';
import { startWorker } from '../setup/test-worker';
import * as scene from './support/scene';
import { app, campaigns, spaceOfFile, stats, unchanged, votes } from './support/scene';
import type { Vote } from './support/votes';
import { lockWaits } from '../setup/lock-waits';

const VOTERS = 40;

let rival: Client;

spaceOfFile({
  own: 'a worker runs',
  sync: {
    Syndicats: [
      {
        ...{ IdentifiantExterne: 'SYN-1', Nom: 'Un' },
        Employeurs: [{ IdentifiantExterne: 'EMP-1', Nom: 'Usine' }],
      },
      { IdentifiantExterne: 'SYN-2', Nom: 'Deux' },
    ],
    Employes: times(10, (index) => ({ IdExterne: `E-${index}`, Prenom: 'Zoé', Nom: 'Roy' })),
  },
});
beforeAll(async () => {
  rival = await app.connect();
});

const seal = ({ id }: Vote): Promise<boolean> => scene.seal(id);

const RANKED = {
  ...{ Titre: 'Bureau', Type: 'Election', EstPreferentiel: true },
  Options: ['A', 'B', 'C'].map((Libelle) => ({ Libelle })),
};

/** A closed vote by half of its voters, some of them employees, of two unions and of none. */
async function closed(question: object = RANKED, voters = VOTERS): Promise<Vote> {
  const vote = await votes.opened(voters, question, (n) => ({
    ...(n % 3 < 2 ? { SyndicatIdExterne: `SYN-${(n % 3) + 1}` } : {}),
    ...(n % 2 ? { EmployeurIdentifiantExterne: 'EMP-1' } : {}),
    ...(n < 10 ? { EmployeIdExterne: `E-${n}` } : {}),
    Poids: (n % 4) + 0.5,
  }));
  for (const voter of times(voters / 2, (n) => n * 2)) await votes.voted(vote, voter, voter % 3 ? 1 : 0);
  await campaigns.sent('POST', `/${vote.id}/fermer`);
  return vote;
}

/** All responses of the statistics of a vote, as text. */
async function told({ id }: Vote): Promise<string[]> {
  const unions = ['', 'syndicatIdExterne=SYN-1', 'syndicatIdExterne=SYN-2', 'syndicatIdExterne=SYN-9'];
  const filters = unions.flatMap((one) => [one, `${one}&employeurIdentifiantExterne=EMP-1`]);
  const answers = await Promise.all(filters.map((filter) => campaigns.sent('GET', `/${id}/stats?${filter}`)));
  return answers.map(({ text }) => text);
}

const roll = async ({ id }: Vote): Promise<string> =>
  (await campaigns.sent('GET', `/${id}/votants?limite=1000`)).text;

/** Rows of a table with their row versions, in physical order. */
const lying = (table: string, { id }: Vote): Promise<{ row: string; xmin: string }[]> =>
  campaigns.rows(
    `SELECT to_jsonb(t)::text AS row, xmin::text FROM ${table} t WHERE tenant_id = $1 AND campagne_id = $2 ORDER BY ctid`,
    id,
  );

const idOf = (row: Record<string, string>): string => row.id_unique!;
const digestOf = (row: Record<string, string>): string => row.empreinte!;

const isSealed = async ({ id }: Vote): Promise<boolean> => {
  const [row] = await campaigns.rows<{ sealed: boolean }>(
    'SELECT urne_scellee AS sealed FROM campagne WHERE tenant_id = $1 AND id_unique = $2',
    id,
  );
  return row!.sealed;
};

/** Blocks each write of a row of a table. @returns a function that releases the writers */
async function stopping(table: string, event = 'INSERT'): Promise<() => Promise<void>> {
  await app.database.query(
    `CREATE FUNCTION stopped() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN PERFORM pg_advisory_xact_lock_shared(77); RETURN NEW; END $$`,
  );
  await app.database.query(
    `CREATE TRIGGER stopped BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION stopped()`,
  );
  await rival.query('SELECT pg_advisory_lock(77)');
  return async () => {
    await rival.query('SELECT pg_advisory_unlock_all()');
    // A released writer is still in the trigger.
    await app.database.query('DROP FUNCTION stopped CASCADE');
  };
}

describe('sealing a ballot box', () => {
  it('rewrites roll, ballots and receipts in one transaction and in orders without a vote, and keeps all data', async () => {
    const vote = await closed();
    const TABLES = ['votant', 'bulletin', 'recu'];
    const before = await Promise.all(TABLES.map((table) => lying(table, vote)));
    // The control: before the sealing each ballot has its own transaction.
    expect(new Set(before[1]!.map(({ xmin }) => xmin)).size).toBe(VOTERS / 2);
    const shown = await roll(vote);
    expect(await seal(vote)).toBe(true);
    const after = await Promise.all(TABLES.map((table) => lying(table, vote)));
    expect(new Set(after.flat().map(({ xmin }) => xmin)).size).toBe(1);
    const content = (rows: { row: string }[], isBallot: boolean): unknown[] =>
      rows.map(({ row }) => {
        const { id_unique, ...rest } = JSON.parse(row);
        // The sealing also gives receipts their places.
        delete rest.place;
        return JSON.stringify(isBallot ? rest : { id_unique, ...rest });
      });
    // The identifiers of ballots are new and random; the two other orders follow from the rows.
    const orders = [(row: Record<string, string>) => row.date_creation! + row.id_unique!, idOf, digestOf];
    TABLES.forEach((table, index) => {
      const rows = after[index]!.map(({ row }) => orders[index]!(JSON.parse(row)));
      expect(rows).toEqual(rows.toSorted());
      const [old, now] = [before[index]!, after[index]!].map((rows) => content(rows, table === 'bulletin'));
      expect(now!.toSorted()).toEqual(old!.toSorted());
      expect(now).not.toEqual(old);
    });
    const ids = (rows: { row: string }[]): Set<string> =>
      new Set(rows.map(({ row }) => idOf(JSON.parse(row))));
    expect([...ids(before[1]!)].filter((id) => ids(after[1]!).has(id))).toEqual([]);
    expect(await roll(vote)).toBe(shown);
  });

  it('rewrites the receipts of earlier checkpoints, too: after those that it places, each in the order of digests', async () => {
    const vote = await votes.opened(VOTERS, RANKED);
    for (const voter of times(12, (n) => n)) await votes.voted(vote, voter, 0);
    await app.app.get(EngagementsService).round(campaigns.tenant.tenantId, vote.id);
    const first = await lying('recu', vote);
    expect(new Set(first.map(({ xmin }) => xmin)).size).toBe(1);
    expect(first.map(({ row }) => JSON.parse(row).place)).toEqual(times(12, (n) => n));
    for (const voter of times(VOTERS - 12, (n) => 12 + n)) await votes.voted(vote, voter, 0);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    await seal(vote);
    const rows = await lying('recu', vote);
    expect(new Set(rows.map(({ xmin }) => xmin)).size).toBe(1);
    const receipts = rows.map(({ row }) => JSON.parse(row) as { empreinte: string; place: number });
    const [placed, earlier] = [receipts.slice(0, VOTERS - 12), receipts.slice(VOTERS - 12)];
    expect(placed.map(({ place }) => place)).toEqual(times(VOTERS - 12, (n) => 12 + n));
    expect(earlier.map(({ place }) => place)).toEqual(times(12, (n) => n));
    for (const group of [placed, earlier]) {
      const digests = group.map(({ empreinte }) => empreinte);
      expect(digests).toEqual(digests.toSorted());
    }
  });

  it.each([
    ['ranked', RANKED],
    ['plain', { Titre: 'Q', Type: 'ChoixLibre', MaxReponses: 2, Options: RANKED.Options }],
  ])('keeps the bytes of the result of a %s question with each filter', async (_what, question) => {
    const vote = await closed(question);
    const before = await told(vote);
    expect(await seal(vote)).toBe(true);
    expect(await told(vote)).toEqual(before);
    // Statistics of a sealed box do not read the roll.
    await app.database.query(
      `UPDATE votant SET a_vote = false, syndicat_id_externe = NULL WHERE campagne_id = $1`,
      [vote.id],
    );
    expect(await told(vote)).toEqual(before);
    await campaigns.sent('POST', `/${vote.id}/archiver`);
    expect(await told(vote)).toEqual(
      before.map((text) => text.replace('"etat":"Termine"', '"etat":"Archive"')),
    );
  });

  it.each(['participation', 'votant', 'depouillement', 'bulletin', 'recu'])(
    '%s rejects rows: nothing changes, and the next round seals the box',
    async (table) => {
      const vote = await closed();
      await unchanged(() => expect(refusing(app, table, () => seal(vote))).rejects.toThrow('refused'));
      expect(await seal(vote)).toBe(true);
    },
  );

  it('changes no row if its connection is cut in the middle', async () => {
    const vote = await closed();
    await unchanged(async () => {
      const release = await stopping('recu');
      const sealing = seal(vote);
      sealing.catch(() => undefined);
      const waiting = await lockWaits(app.database);
      await app.database.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid', [waiting]);
      await expect(sealing).rejects.toThrow();
      await release();
    });
    expect(await seal(vote)).toBe(true);
    expect(await seal(vote)).toBe(false);
  });

  it('is done by one of two workers; the other does not wait', async () => {
    const vote = await closed();
    const release = await stopping('recu');
    const first = seal(vote);
    await lockWaits(app.database);
    expect(await seal(vote)).toBe(false);
    await release();
    expect(await first).toBe(true);
  });

  it('has no time limits of requests, which apply again after it', async () => {
    const vote = await closed(RANKED, 4);
    await app.database.query(
      `CREATE FUNCTION tells() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE '% % %', current_setting('transaction_timeout'), current_setting('statement_timeout'),
         current_setting('lock_timeout'); END $$`,
    );
    await app.database.query(
      'CREATE TRIGGER tells BEFORE INSERT ON recu FOR EACH ROW EXECUTE FUNCTION tells()',
    );
    await expect(seal(vote)).rejects.toThrow('0 30min 20s');
    await app.database.query('DROP FUNCTION tells CASCADE');
    expect(await seal(vote)).toBe(true);
    const transactions = app.app.get(Transactions);
    const limits = transactions.run({ tenantId: campaigns.tenant.tenantId }, () =>
      transactions
        .client()
        .query(
          `SELECT current_setting('transaction_timeout') AS one, current_setting('statement_timeout') AS other`,
        ),
    );
    expect((await limits).rows).toEqual([{ one: '110s', other: '30s' }]);
  });

  it('seals nothing while a vote is open', async () => {
    const vote = await votes.opened(2);
    await votes.voted(vote, 0);
    expect(await seal(vote)).toBe(false);
    expect(await isSealed(vote)).toBe(false);
  });

  it.each([
    ['votant', 'INSERT'],
    ['campagne', 'UPDATE OF urne_scellee'],
  ])(
    'and the deletion of an employee who voted both take effect (sealing stopped at %s)',
    async (table, event) => {
      const idExterne = `E-${table}`;
      await synced(app, campaigns.tenant, {
        Employes: [{ IdExterne: idExterne, Prenom: 'Max', Nom: 'Roy' }],
      });
      const vote = await votes.opened(3, {}, (n) => (n === 1 ? { EmployeIdExterne: idExterne } : {}));
      await votes.voted(vote, 1);
      await campaigns.sent('POST', `/${vote.id}/fermer`);
      const release = await stopping(table, event);
      const sealing = seal(vote);
      await lockWaits(app.database);
      const deletion = app.send(campaigns.tenant, 'DELETE', `/b2b/v1/employe/${idExterne}`);
      await lockWaits(app.database, 2);
      await release();
      expect(await sealing).toBe(true);
      expect((await deletion).status).toBe(204);
      const voters = JSON.parse(await roll(vote)) as { AVote: boolean; EmployeIdExterne: string | null }[];
      expect(voters.map(({ AVote, EmployeIdExterne }) => [AVote, EmployeIdExterne])).toEqual([
        [false, null],
        [true, null],
        [false, null],
      ]);
    },
  );

  it('a sealed campaign without ballots can be deleted', async () => {
    const vote = await votes.opened(2);
    await campaigns.sent('POST', `/${vote.id}/fermer`);
    expect(await seal(vote)).toBe(true);
    await campaigns.sent('DELETE', `/${vote.id}`);
    const left = await campaigns.rows(
      'SELECT FROM participation WHERE tenant_id = $1 AND campagne_id = $2',
      vote.id,
    );
    expect(left).toEqual([]);
  });

  it('removes the dead rows of roll, ballots and receipts from the files', async () => {
    await closed();
    const vacuumed = async (): Promise<number> =>
      (
        await app.database.query<{ count: number }>(
          `SELECT sum(vacuum_count)::int AS count FROM pg_stat_user_tables WHERE relname IN ('votant', 'bulletin', 'recu')`,
        )
      ).rows[0]!.count;
    const before = await vacuumed();
    const sealing = app.app.get(SealingService);
    await sealing.sealAllDue();
    await sealing.removeDeadRows();
    await eventually(
      async () => (await vacuumed()) === before + 3 || undefined,
      'That the tables are vacuumed',
    );
    // The control: without a sealing there are no dead rows.
    await sealing.sealAllDue();
    await sealing.removeDeadRows();
    expect(await vacuumed()).toBe(before + 3);
  });

  it('postpones a box that cannot be sealed, and seals the others', async () => {
    const [broken, sound] = [await closed(RANKED, 4), await closed(RANKED, 4)];
    const put = await campaigns.rows<{ id: string }>(
      `DELETE FROM bulletin WHERE tenant_id = $1 AND campagne_id = $2 RETURNING id_unique AS id`,
      broken.id,
    );
    expect(put).toHaveLength(2);
    const sealing = app.app.get(SealingService);
    const of = jest.spyOn(sealing, 'seal');
    await expect(sealing.sealAllDue()).rejects.toThrow('do not agree');
    expect(await isSealed(sound)).toBe(true);
    of.mockClear();
    await sealing.sealAllDue();
    expect(of.mock.calls.filter(([, id]) => id === broken.id)).toEqual([]);
    of.mockRestore();
  });
});

describe('the worker', () => {
  let workers: INestApplication[] = [];
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    workers = [];
  });

  it('closes and seals the box of a vote that ends by its date, by one worker of two', async () => {
    const vote = await votes.opened(4);
    await votes.voted(vote, 2, 1);
    await campaigns.rows(
      `UPDATE campagne SET fermeture_du_vote_utc = clock_timestamp() WHERE tenant_id = $1 AND id_unique = $2`,
      vote.id,
    );
    workers = [await startWorker(app.config), await startWorker(app.config)];
    await eventually(async () => (await isSealed(vote)) || undefined, 'That the box is sealed');
    const { questions } = await stats(vote.id);
    expect(questions[0].Options.map(({ Votes: count }: { Votes: number }) => count)).toEqual([0, 1]);
    expect(await votes.box(vote.id)).toHaveLength(1);
  });
});

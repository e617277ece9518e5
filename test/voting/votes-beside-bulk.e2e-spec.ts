import { Client } from 'pg';
import { eventually } from '../http/expect-problem';
import { times } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import { app, campaigns, spaceOfFile, votes } from './support/scene';
import { ballot, type Vote } from './support/votes';

const VOTERS = 10;

let rival: Client;

spaceOfFile();
beforeAll(async () => {
  rival = new Client({ connectionString: app.config.databaseUrl });
  await rival.connect();
  await rival.query(`
    CREATE FUNCTION stopped() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(78); RETURN NEW; END $$;
    CREATE TRIGGER stopped BEFORE UPDATE ON votant FOR EACH ROW WHEN (NEW.a_vote = OLD.a_vote) EXECUTE FUNCTION stopped()`);
});
afterAll(() => rival.end());

/** Stops a bulk write of all voters at the first row that it writes, until `work` is done. */
async function during<T>(vote: Vote, change: object, work: () => Promise<T>): Promise<[T, Answer]> {
  await rival.query('SELECT pg_advisory_lock(78)');
  const records = vote.voters.map((VotantId) => ({ VotantId, ...change }));
  const writing = campaigns.send('POST', `/${vote.id}/votants/upsert`, records);
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  try {
    await eventually(async () => (await app.database.query(waiting)).rowCount || undefined, 'The bulk write');
    return [await work(), await writing];
  } finally {
    await rival.query('SELECT pg_advisory_unlock_all()');
  }
}

/** Casts all ballots, and lets the bulk write go on once all but the one are in whose row it holds. */
async function allCast(vote: Vote): Promise<number[]> {
  let taken = 0;
  const cast = times(VOTERS, async (voter) => {
    const { status } = await votes.cast(vote.id, ballot(vote, voter));
    taken++;
    return status;
  });
  await eventually(() => taken >= VOTERS - 1 || undefined, 'That the others vote');
  expect(taken).toBe(VOTERS - 1);
  await rival.query('SELECT pg_advisory_unlock_all()');
  return Promise.all(cast);
}

describe('voters whose roll is being written', () => {
  it('vote until their own row is written', async () => {
    const vote = await votes.opened(VOTERS);
    const [statuses, written] = await during(vote, { Nom: 'Côté' }, () => allCast(vote));
    expect(statuses).toEqual(times(VOTERS, () => 201));
    expect(written.json).toEqual({ NombreCrees: 0, NombreModifies: VOTERS, Erreurs: [] });
  });

  it('keep the weight with which they have voted: the bulk write tells of them, and writes the others', async () => {
    const vote = await votes.opened(VOTERS);
    const [statuses, written] = await during(vote, { Poids: 2 }, () => allCast(vote));
    expect(statuses).toEqual(times(VOTERS, () => 201));
    const { NombreModifies, Erreurs } = written.json;
    expect(NombreModifies).toBe(1);
    expect(Erreurs.map(({ Code }: { Code: string }) => Code)).toEqual(
      times(VOTERS - 1, () => 'Votant.AVote'),
    );
    const weights = (rows: { poids: string }[]): string[] => rows.map(({ poids }) => poids).sort();
    const roll = await campaigns.rows<{ poids: string }>(
      'SELECT poids::text FROM votant WHERE tenant_id = $1 AND campagne_id = $2',
      vote.id,
    );
    expect(weights(await votes.box(vote.id))).toEqual(weights(roll));
  });
});

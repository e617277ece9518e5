import type { Client } from 'pg';
import { eventually } from '../http/expect-problem';
import { synced, times } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import { employee, membership, union } from '../sync/support';
import { app, campaigns, spaceOfFile, votes } from './support/scene';
import { ballot, type Vote } from './support/votes';

const VOTERS = 10;

let rival: Client;

spaceOfFile({ own: 'changes the schema' });
beforeAll(async () => {
  rival = await app.connect();
  await rival.query(`
    CREATE FUNCTION stopped() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(78); RETURN NEW; END $$;
    CREATE TRIGGER stopped BEFORE UPDATE ON votant FOR EACH ROW WHEN (NEW.a_vote = OLD.a_vote) EXECUTE FUNCTION stopped();
    CREATE TRIGGER stopped_new BEFORE INSERT ON votant FOR EACH ROW EXECUTE FUNCTION stopped()`);
});

/** Changes all voters by a bulk write. */
const changing =
  (vote: Vote, change: object): (() => Promise<Answer>) =>
  () =>
    campaigns.send(
      'POST',
      `/${vote.id}/votants/upsert`,
      vote.voters.map((VotantId) => ({ VotantId, ...change })),
    );

/** Stops a bulk write at the first row that it writes, until `work` is done. */
async function during<T>(write: () => Promise<Answer>, work: () => Promise<T>): Promise<[T, Answer]> {
  await rival.query('SELECT pg_advisory_lock(78)');
  const writing = write();
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
  try {
    await eventually(async () => (await app.database.query(waiting)).rowCount || undefined, 'The bulk write');
    return [await work(), await writing];
  } finally {
    await rival.query('SELECT pg_advisory_unlock_all()');
  }
}

/** Casts all ballots, and lets the bulk write continue once all are cast except that of the voter whose row it has locked. */
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
    const [statuses, written] = await during(changing(vote, { Nom: 'Côté' }), () => allCast(vote));
    expect(statuses).toEqual(times(VOTERS, () => 201));
    expect(written.json).toEqual({ NombreCrees: 0, NombreModifies: VOTERS, Erreurs: [] });
  });

  it('keep the weight with which they have voted: the bulk write reports them and writes the others', async () => {
    const vote = await votes.opened(VOTERS);
    const [statuses, written] = await during(changing(vote, { Poids: 2 }), () => allCast(vote));
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

  it('vote while the differences of the roll are applied and newcomers are added, also those who are changed or removed', async () => {
    const name = (n: number): string => `E-${n}`;
    const write = (count: number, Nom: string, DateFin: string | null): Promise<Answer> =>
      synced(app, campaigns.tenant, {
        Employes: times(count, (n) =>
          employee(name(n), { Nom, Adhesions: [membership('SYN-1', '2020-01-01', n % 2 ? DateFin : null)] }),
        ),
      });
    await synced(app, campaigns.tenant, { Syndicats: [union('SYN-1', [])] });
    await write(VOTERS, 'Roy', null);
    const id = await campaigns.draft();
    await campaigns.question(id);
    await campaigns.sent('POST', `/${id}/liste-electorale`, { SyndicatsIdExternes: ['SYN-1'] });
    for (const step of ['publier', 'ouvrir']) await campaigns.sent('POST', `/${id}/${step}`);
    const [question] = (await campaigns.sent('GET', `/${id}/questions`)).json;
    const roll = (await campaigns.sent('GET', `/${id}/votants`)).json as { VotantId: string }[];
    await write(VOTERS + 1, 'Côté', '2021-01-01');
    const ecarts = `/${id}/liste-electorale/ecarts`;
    const { empreinte } = (await campaigns.sent('GET', ecarts)).json;
    const natures = ['AAjouter', 'ARetirer', 'AModifier'];
    const vote = { id, question, voters: roll.map(({ VotantId }) => VotantId) };
    const [statuses, applied] = await during(
      () => campaigns.send('POST', `${ecarts}/appliquer`, { empreinte, natures }),
      async () => {
        const cast = await Promise.all(times(VOTERS, (n) => votes.cast(id, ballot(vote, n))));
        await rival.query('SELECT pg_advisory_unlock_all()');
        return cast.map(({ status }) => status);
      },
    );
    expect(statuses).toEqual(times(VOTERS, () => 201));
    expect(applied.json).toEqual({ nombreAjoutes: 1, nombreRetires: 0, nombreModifies: 0 });
  });
});

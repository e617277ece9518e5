import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { DossierBuilderService, EngagementsService, SealingService } from '../../libs/voting/src';
import { times } from '../membership/synced';
import { depth, SEED } from '../setup/depth';
import { seeded } from '../setup/seeded';
import { TestApp } from '../setup/test-app';
import { logged } from '../setup/logged';
import { download, filesIn, linesOf } from './support/bundle';
import { type Vote, Votes } from './support/votes';

const VOTERS = depth(150, 400);
/** Distance from a half that the share of heads of `VOTERS` coins does not exceed in a million runs of this test. */
const CHANCE = 4.9 / (2 * Math.sqrt(VOTERS));
const NOT_ALLOWED = '42501';
const random = seeded(SEED);

type Guesses = ReadonlyMap<string, string>;

/** The files that a partner downloads after the sealing. */
interface Published {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly emargement: Buffer;
}

/** Options that the attacker prescribes to a voter in the second question. Each voter, given by number, has other ones. */
const markOf = (voter: number): number[] => times(9, (bit) => bit).filter((bit) => ((voter + 1) >> bit) & 1);

/** The answers to a question, in the order of its file. */
const answersIn = ({ files }: Published, question: string): string[] =>
  linesOf<{ bulletins: number; reponse: number[] }>(files.get(`questions/${question}.ndjson`)).flatMap(
    ({ bulletins, reponse }) => times(bulletins, () => reponse.join()),
  );

/** The 32 bytes after each other, in hex. */
const digestsIn = (file: Buffer): string[] => file.toString('hex').match(/.{64}/g) ?? [];

/**
 * An attacker that acts as the role of the processes in the tenant's own data space, for as long as the vote lasts. It can
 * send any statement at any time, and knows the source of the service. It tries to find the choice of each voter.
 */
class Attacker {
  /** Voters in the order in which they voted, as the roll showed it vote by vote. */
  readonly sequence: string[] = [];
  /** Digests of receipts, each with the voter who had voted when it appeared. */
  private readonly receipts = new Map<string, string>();
  private readonly byCounts = new Map<string, string>();
  private counts = new Map<string, number>();

  private constructor(
    private readonly client: Client,
    private readonly votes: Votes,
    private readonly vote: Vote,
  ) {}

  static async connect(app: TestApp, votes: Votes, vote: Vote): Promise<Attacker> {
    const client = await app.connect();
    await client.query('SET ROLE mandat_app');
    await client.query(`SELECT set_config('app.tenant_id', $1, false)`, [votes.campaigns.tenant.tenantId]);
    return new Attacker(client, votes, vote);
  }

  leave(): Promise<void> {
    return this.client.end();
  }

  /** Called after each vote: reads which voter has voted, and all counts that there are. */
  async watch(): Promise<void> {
    const { rows } = await this.client.query<{ id: string }>(
      'SELECT id_unique AS id FROM votant WHERE campagne_id = $1 AND a_vote AND id_unique <> ALL ($2)',
      [this.vote.id, this.sequence],
    );
    const [voter] = rows.map(({ id }) => id);
    if (rows.length !== 1) throw new Error(`${rows.length} have voted since.`);
    this.sequence.push(voter!);
    const { rows: receipts } = await this.client.query<{ digest: string }>(
      `SELECT digest FROM recu, encode(empreinte, 'hex') digest WHERE campagne_id = $1 AND digest <> ALL ($2)`,
      [this.vote.id, [...this.receipts.keys()]],
    );
    for (const { digest } of receipts) this.receipts.set(digest, voter!);
    const before = this.counts;
    this.counts = await this.count();
    for (const [answer, count] of this.counts)
      if (count > (before.get(answer) ?? 0)) this.byCounts.set(voter!, answer);
  }

  private async count(): Promise<Map<string, number>> {
    const { rows } = await this.client.query<{ reponse: string; count: number }>(
      `SELECT reponse, bulletins::int AS count FROM urne_compter($1)
       UNION ALL SELECT reponse, bulletins::int FROM urne_compter_par($1, 'SYN-1', NULL)`,
      [this.vote.id],
    );
    const counts = new Map(rows.map(({ reponse, count }) => [reponse, count]));
    const { json } = await this.votes.campaigns.sent('GET', `/${this.vote.id}/stats`);
    json.questions[0].Options.forEach(({ Votes: count }: { Votes: number }, place: number) =>
      counts.set(`${place}`, count),
    );
    return counts;
  }

  /** The guesses of each attack; empty where PostgreSQL denies the attacker access. */
  async guesses(): Promise<Map<string, Guesses>> {
    const found = new Map<string, Guesses>([['counts after each vote', this.byCounts]]);
    found.set(
      'the transaction that wrote both',
      await this.pairs(
        `SELECT v.id_unique AS voter, b.reponses[1] AS answer FROM votant v JOIN bulletin b ON b.xmin = v.xmin
         WHERE v.campagne_id = $1 AND b.campagne_id = $1`,
      ),
    );
    const { rows } = await this.client.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'bulletin'::regclass AND NOT attisdropped
         AND attnum <> 0 AND attname NOT IN ('tableoid', 'tenant_id', 'campagne_id')`,
    );
    for (const { name } of rows)
      found.set(`the order of ${name}`, await this.inOrder(`ORDER BY b.${name}::text`));
    found.set('the order of ctid', await this.inOrder('ORDER BY b.ctid'));
    return found;
  }

  private inOrder(order: string): Promise<Guesses> {
    return this.pairs(
      `SELECT s.voter, b.answer FROM unnest($2::text[]) WITH ORDINALITY s (voter, place)
       JOIN (SELECT reponses[1] AS answer, row_number() OVER (${order}) AS place FROM bulletin b WHERE campagne_id = $1) b
       USING (place)`,
      this.sequence,
    );
  }

  /** The voters in each order that a bundle may have from their ballots. */
  orders(published: Published): Map<string, readonly string[]> {
    const { files, emargement } = published;
    const leaves = new Map(
      linesOf<{ Sel: string; VotantId: string }>(emargement).map(({ Sel, ...line }) => {
        const leaf = createHash('sha256').update('\0').update(Sel, 'base64url').update(canonicalize(line)!);
        return [leaf.digest('hex'), line.VotantId];
      }),
    );
    const marks = new Map(this.vote.voters.map((voter, number) => [markOf(number).join(), voter]));
    return new Map<string, readonly string[]>([
      ['votes', this.sequence],
      ['recus.bin', digestsIn(files.get('recus.bin')!).map((digest) => this.receipts.get(digest)!)],
      ['liste.bin', digestsIn(files.get('liste.bin')!).map((leaf) => leaves.get(leaf)!)],
      ['answers to another question', answersIn(published, '01').map((mark) => marks.get(mark)!)],
    ]);
  }

  /** Takes the answers of a bundle in the order of voters. */
  guessesIn(published: Published): Map<string, Guesses> {
    const answers = answersIn(published, '00');
    return new Map(
      [...this.orders(published)].map(([order, voters]) => [
        order,
        new Map(voters.map((voter, place) => [voter, answers[place]!])),
      ]),
    );
  }

  private async pairs(text: string, ...values: unknown[]): Promise<Guesses> {
    try {
      const { rows } = await this.client.query<{ voter: string; answer: string }>(text, [
        this.vote.id,
        ...values,
      ]);
      return new Map(rows.map(({ voter, answer }) => [voter, answer]));
    } catch (error) {
      if ((error as { code?: string }).code === NOT_ALLOWED) return new Map();
      throw error;
    }
  }

  /**
   * Every value that the role can read in columns that are not hidden, by table. The hidden columns of other tables are
   * numbers of transactions, which any role may ask for at any time.
   */
  async visible(): Promise<Map<string, Set<string>>> {
    const { rows: tables } = await this.client.query<{ name: string; columns: string }>(
      `SELECT relname AS name, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
       FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT attisdropped AND attnum > 0
         AND has_column_privilege(c.oid, attnum, 'SELECT')
       GROUP BY 1`,
    );
    const seen = new Map<string, Set<string>>();
    for (const { name, columns } of tables) {
      const { rows } = await this.client.query<{ text: string }>(
        `SELECT to_jsonb(r)::text AS text FROM (SELECT ${columns} FROM ${name}) r`,
      );
      seen.set(name, new Set(rows.map(({ text }) => text)));
    }
    return seen;
  }
}

/** A vote by all voters, watched by an attacker. */
class Election {
  /** The choice of each voter. */
  private readonly chosen = new Map<string, string>();

  private constructor(
    readonly app: TestApp,
    readonly votes: Votes,
    readonly vote: Vote,
    readonly attacker: Attacker,
  ) {}

  /** @param isMarked whether there is a second question, in which the attacker has prescribed each voter's answer */
  static async prepare(app: TestApp, isMarked = false): Promise<Election> {
    const votes = await Votes.of(app);
    await app.send(votes.campaigns.tenant, 'POST', '/b2b/v2/sync', {
      Syndicats: [{ IdentifiantExterne: 'SYN-1', Nom: 'S' }],
    });
    const Options = times(9, (n) => ({ Libelle: `${n}` }));
    const marks = { Titre: 'Marques', Type: 'ChoixLibre', MaxReponses: 9, Options };
    const voter = (): object => ({ SyndicatIdExterne: 'SYN-1' });
    const vote = await votes.opened(VOTERS, {}, voter, isMarked ? [marks] : []);
    return new Election(app, votes, vote, await Attacker.connect(app, votes, vote));
  }

  /** All voters vote, in a random order and for random options. The log of receipts grows after every 40 votes. */
  async hold(): Promise<void> {
    const order = times(VOTERS, (voter) => ({ voter, key: random() })).sort(
      (one, other) => one.key - other.key,
    );
    for (const [index, { voter }] of order.entries()) {
      if (index % 40 === 39) await this.engage();
      const option = Math.floor(random() * 2);
      this.chosen.set(this.vote.voters[voter]!, `${option}`);
      await this.cast(voter, option);
      await this.attacker.watch();
    }
  }

  private async cast(voter: number, option: number): Promise<void> {
    const { id, voters, question, others = [] } = this.vote;
    const marks = others.map(({ Id, Options }) => ({
      QuestionId: Id,
      Options: markOf(voter).map((place) => Options[place]!.Id),
    }));
    const Reponses = [{ QuestionId: question.Id, Options: [question.Options[option]!.Id] }, ...marks];
    const { status, text } = await this.votes.cast(id, { VotantId: voters[voter], Reponses });
    if (status !== 201) throw new Error(text);
  }

  /** The worker's round, as if the last checkpoint were a minute old. */
  private async engage(): Promise<void> {
    await this.app.database.query(
      `UPDATE engagement SET date_creation = date_creation - interval '1 minute'`,
    );
    await this.app.app.get(EngagementsService).round(this.votes.campaigns.tenant.tenantId, this.vote.id);
  }

  async close(): Promise<void> {
    await this.votes.campaigns.sent('POST', `/${this.vote.id}/fermer`);
  }

  async seal(): Promise<void> {
    const { tenantId } = this.votes.campaigns.tenant;
    if (!(await this.app.app.get(SealingService).seal(tenantId, this.vote.id)))
      throw new Error('Not sealed.');
  }

  /** Closes and seals the box, and builds the bundle. */
  async publish(): Promise<Published> {
    await this.close();
    await this.seal();
    const { tenantId, cle } = this.votes.campaigns.tenant;
    await this.app.app.get(DossierBuilderService).build(tenantId, this.vote.id);
    const bytesOf = async (rest: string): Promise<Buffer> =>
      (await download(this.app, cle, `/b2b/v1/campagnes/${this.vote.id}/${rest}`)).bytes;
    return {
      files: await filesIn(await bytesOf('dossier/archive')),
      emargement: await bytesOf('emargement'),
    };
  }

  /** Returns the same bundle with the ballots of the first question one by one, in the order of their voters. */
  inOrder({ files, emargement }: Published, voters: readonly string[]): Published {
    const lines = voters.map((voter) => `{"bulletins":1,"reponse":[${this.chosen.get(voter)}]}\n`);
    const first = ['questions/00.ndjson', Buffer.from(lines.join(''))] as const;
    return { files: new Map([...files, first]), emargement };
  }

  /** The share of voters that each way of attack is right about. Where an attack has no guess, it tosses a coin. */
  async scores(published?: Published): Promise<Map<string, number>> {
    const scores = new Map<string, number>();
    const found = published ? this.attacker.guessesIn(published) : await this.attacker.guesses();
    for (const [attack, guesses] of found) {
      const right = [...this.chosen].filter(
        ([voter, answer]) => (guesses.get(voter) ?? `${Math.floor(random() * 2)}`) === answer,
      );
      scores.set(attack, right.length / VOTERS);
    }
    return scores;
  }

  /** Attacks that are better, or worse, than chance. */
  async successes(published?: Published): Promise<string[]> {
    const scores = [...(await this.scores(published))];
    return scores.filter(([, score]) => Math.abs(score - 0.5) > CHANCE).map(([attack]) => attack);
  }
}

let app: TestApp;
let election: Election;

beforeEach(async () => {
  app = await TestApp.own('sees all tenants');
});
afterEach(async () => {
  await election.attacker.leave();
  await app.stop();
});

const without = (rows: ReadonlySet<string>, others: ReadonlySet<string>): string[] =>
  [...rows].filter((row) => !others.has(row));

/** Breaks a protection, as a superuser. */
const breaking = (text: string): Promise<unknown> => app.database.query(text);

const READ_ALL = 'GRANT SELECT ON votant, bulletin TO mandat_app';

describe(`an attacker with the application’s role, against ${VOTERS} voters`, () => {
  it('is right no more often than by chance: while the vote is open, once it is closed, and once the box is sealed', async () => {
    election = await Election.prepare(app);
    await election.hold();
    expect(await election.successes()).toEqual([]);
    await election.close();
    expect(await election.successes()).toEqual([]);
    await election.seal();
    expect(await election.successes()).toEqual([]);
  }, 120_000);

  it('is not even right once the box is sealed if it could read all columns of roll and ballots', async () => {
    election = await Election.prepare(app);
    await election.hold();
    await election.close();
    await election.seal();
    await breaking(READ_ALL);
    expect(await election.successes()).toEqual([]);
  }, 120_000);

  it('is right no more often than by chance with the bundle and the roll, if it also prescribed answers to another question', async () => {
    election = await Election.prepare(app, true);
    await election.hold();
    const published = await election.publish();
    const orders = election.attacker.orders(published);
    for (const voters of orders.values())
      expect([...voters].sort()).toEqual([...election.vote.voters].sort());
    expect(await election.successes(published)).toEqual([]);
    // The negative control: bundles with receipts, voters or other answers in the order of the ballots.
    for (const [order, voters] of orders) {
      const scores = await election.scores(election.inOrder(published, voters));
      expect([order, scores.get(order)]).toEqual([order, 1]);
    }
  }, 120_000);

  it('sees of a vote that somebody has voted and the digest of a receipt, and nothing else', async () => {
    election = await Election.prepare(app);
    const { attacker, vote, votes } = election;
    for (const voter of times(10, (n) => n)) {
      const before = await attacker.visible();
      await votes.voted(vote, voter, voter % 2);
      const after = await attacker.visible();
      const added = [...after].flatMap(([table, rows]) =>
        without(rows, before.get(table)!).map((text) => [table, JSON.parse(text)]),
      );
      const removed = [...before].flatMap(([table, rows]) =>
        without(rows, after.get(table)!).map((text) => [table, JSON.parse(text)]),
      );
      const [, old] = removed[0] as [string, object];
      expect(removed).toEqual([
        ['votant', expect.objectContaining({ id_unique: vote.voters[voter], a_vote: false })],
      ]);
      expect(added).toHaveLength(2);
      expect(added).toEqual(
        expect.arrayContaining([
          ['votant', { ...old, a_vote: true }],
          [
            'recu',
            {
              tenant_id: votes.campaigns.tenant.tenantId,
              campagne_id: vote.id,
              empreinte: expect.stringMatching(/^\\x[0-9a-f]{64}$/),
              place: null,
            },
          ],
        ]),
      );
    }
  });
});

describe('negative control: the same attacker', () => {
  it('where it may read all columns: is always right by the transaction, and by the order of rows', async () => {
    await breaking(READ_ALL);
    election = await Election.prepare(app);
    await election.hold();
    const scores = await election.scores();
    expect(scores.get('the transaction that wrote both')).toBe(1);
    expect(scores.get('the order of ctid')).toBe(1);
  }, 120_000);

  it('where sealing keeps the order: is still right by the order of rows', async () => {
    const { rows } = await app.database.query<{ text: string }>(
      `SELECT pg_get_functiondef('urne_sceller'::regproc) AS text`,
    );
    // The order is given, because it would otherwise depend on how PostgreSQL finds the ballots. They are the first to be rewritten.
    await breaking(
      rows[0]!.text
        .replace('RETURNING b.*', 'RETURNING b.*, b.ctid AS place')
        .replace('ORDER BY n.nouveau', 'ORDER BY n.place'),
    );
    await breaking(READ_ALL);
    election = await Election.prepare(app);
    await election.hold();
    await election.close();
    await election.seal();
    expect((await election.scores()).get('the order of ctid')).toBe(1);
  }, 120_000);

  it('where ballots are numbered, or have a time: is right by their order', async () => {
    await breaking('ALTER TABLE bulletin ALTER COLUMN id_unique SET DEFAULT uuidv7()');
    await breaking(`ALTER TABLE bulletin ADD COLUMN moment timestamptz NOT NULL DEFAULT clock_timestamp()`);
    await breaking(READ_ALL);
    election = await Election.prepare(app);
    await election.hold();
    const scores = await election.scores();
    expect(scores.get('the order of id_unique')).toBe(1);
    expect(scores.get('the order of moment')).toBe(1);
  }, 120_000);

  it('where an open box can be counted: is right by the counts', async () => {
    const { rows } = await app.database.query<{ text: string }>(
      `SELECT pg_get_functiondef('urne_compter'::regproc) AS text`,
    );
    await breaking(rows[0]!.text.replace('THEN RETURN;', 'THEN NULL;'));
    election = await Election.prepare(app);
    await election.hold();
    expect((await election.scores()).get('counts after each vote')).toBe(1);
  }, 120_000);
});

describe('the log of the service, at its most talkative', () => {
  it('says nothing of voters, choices and receipts', async () => {
    const receipts: string[] = [];
    const written = await logged(async () => {
      const loud = await TestApp.start({ logLevel: 'trace', databaseUrl: app.config.databaseUrl });
      election = await Election.prepare(loud);
      const { vote, votes } = election;
      for (const voter of times(10, (n) => n)) receipts.push(await votes.voted(vote, voter, voter % 2));
      await votes.cast(vote.id, { VotantId: vote.voters[0], Reponses: [{ QuestionId: vote.question.Id }] });
      await election.close();
      await election.seal();
      await votes.campaigns.sent('GET', `/${vote.id}/votants/${vote.voters[0]}`);
      await loud.stop();
    });
    const { vote } = election;
    const log = written.join('');
    const tells = (needle: string): boolean => log.includes(needle);
    // The controls: the ballots' requests are in it, by their route, and identifiers that are in it are found.
    expect(written.filter((line) => line.includes('/plateforme/v1/campagnes/:id/bulletins"'))).toHaveLength(
      11,
    );
    expect(tells(election.votes.campaigns.tenant.tenantId)).toBe(true);
    const secrets = [...vote.voters, ...vote.question.Options.map(({ Id }) => Id), ...receipts];
    expect(secrets.filter(tells)).toEqual([]);
  }, 60_000);
});

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Campagne } from '../../libs/voting/src/campagne/domain/campagne.entity';
import {
  ACTIVE,
  ETAT,
  folded,
  hasEnded,
  hasOpened,
} from '../../libs/voting/src/campagne/persistence/campagne.sql';
import { sqlFunctions } from '../../libs/platform/src/database/functions';
import { SEED } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import { Campaigns } from './support/campaigns';
import { Votes } from './support/votes';

let app: TestApp;
let campaigns: Campaigns;

beforeAll(async () => {
  app = await TestApp.start();
  campaigns = new Campaigns(app, await app.tenant());
});
afterAll(() => app.stop());

async function now(): Promise<Date> {
  return (await app.database.query<{ at: Date }>('SELECT clock_timestamp() AS at')).rows[0]!.at;
}

describe('the state in SQL and in the domain', () => {
  const NOW = 'statement_timestamp()';

  it('agree on any facts, as reads answer them', async () => {
    const offset = fc.oneof(fc.integer({ min: -2_000, max: 2_000 }), fc.integer({ min: -1e11, max: 1e11 }));
    const facts = fc.record({ one: offset, other: offset, publiee: fc.boolean(), archivee: fc.boolean() });
    const start = Date.now();
    const known = new Map<string, Campagne>();
    for (const [n, { one, other, publiee, archivee }] of fc
      .sample(facts, { numRuns: 400, seed: SEED })
      .entries()) {
      const [ouvertureDuVoteUtc, fermetureDuVoteUtc] = [one, other]
        .sort((a, b) => a - b)
        .map((ms) => new Date(start + ms)) as [Date, Date];
      const id = randomUUID();
      known.set(
        id,
        Object.assign(new Campagne(), { ouvertureDuVoteUtc, fermetureDuVoteUtc, publiee, archivee }),
      );
      await app.database.query(
        `INSERT INTO campagne (tenant_id, id_unique, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc,
           ordre_reponses_aleatoire, publiee, archivee) VALUES ($1, $2, $3, $3, $4, $5, false, $6, $7)`,
        [campaigns.tenant.tenantId, id, `c-${n}`, ouvertureDuVoteUtc, fermetureDuVoteUtc, publiee, archivee],
      );
    }
    const seen = new Set<string>();
    // Again and again while the dates near to now are passing.
    do {
      const before = await now();
      const { json } = await campaigns.sent('GET');
      const after = await now();
      expect(json).toHaveLength(400);
      for (const { id, etat, estPublie, estArchive } of json) {
        const campagne = known.get(id)!;
        expect([campagne.etat(before), campagne.etat(after)]).toContain(etat);
        expect(estPublie).toBe(['Planifie', 'VoteOuvert', 'Termine'].includes(etat));
        expect(estArchive).toBe(etat === 'Archive');
        seen.add(etat);
      }
    } while (Date.now() < start + 2_500);
    expect([...seen].sort()).toEqual(['Archive', 'Brouillon', 'Planifie', 'Termine', 'VoteOuvert']);
    // The filter uses conditions of indexes, which must hold for all campaigns of the state.
    const { json } = await campaigns.sent('GET');
    for (const etat of seen) {
      const ids = (items: { id: string; etat: string }[]) =>
        items.filter((one) => one.etat === etat).map(({ id }) => id);
      expect(ids((await campaigns.sent('GET', `?etat=${etat}`)).json)).toEqual(ids(json));
    }
  });

  /** A campaign with its dates in ms from a moment. */
  interface Facts {
    readonly opening: number;
    readonly length: number;
    readonly publiee: boolean;
    readonly archivee: boolean;
    readonly urneClose: boolean;
  }

  const AT = new Date('2027-03-01T13:00:00.000Z');

  const campagneOf = ({ opening, length, ...flags }: Facts): Campagne =>
    Object.assign(new Campagne(), {
      ouvertureDuVoteUtc: new Date(AT.getTime() + opening),
      fermetureDuVoteUtc: new Date(AT.getTime() + opening + length),
      ...flags,
    });

  /** Facts for which the SQL and the domain differ. */
  async function differences(
    facts: readonly Facts[],
    [opened, ended]: readonly [string, string] = [hasOpened(NOW), hasEnded(NOW)],
  ): Promise<Facts[]> {
    const columns = facts.map(campagneOf);
    const [etat, active, hasBegun, isOver] = [
      ETAT,
      ACTIVE.replaceAll(/\bc\./g, 'campagne.'),
      opened,
      ended,
    ].map((sql) => sql.replaceAll(NOW, '$1::timestamptz'));
    const { rows } = await app.database.query<
      Record<'active' | 'opened' | 'ended', boolean> & { etat: string }
    >(
      `SELECT ${etat} AS etat, ${active} AS active, ${hasBegun} AS opened, ${isOver} AS ended
       FROM unnest($2::timestamptz(3)[], $3::timestamptz(3)[], $4::boolean[], $5::boolean[], $6::boolean[]) WITH ORDINALITY
         campagne (ouverture_du_vote_utc, fermeture_du_vote_utc, publiee, archivee, urne_close, n) ORDER BY n`,
      [
        AT,
        columns.map((one) => one.ouvertureDuVoteUtc),
        columns.map((one) => one.fermetureDuVoteUtc),
        columns.map((one) => one.publiee),
        columns.map((one) => one.archivee),
        columns.map((one) => one.urneClose),
      ],
    );
    return facts.filter((_facts, n) => {
      const campagne = columns[n]!;
      const expected = campagne.etat(AT);
      const row = rows[n]!;
      return (
        row.etat !== expected ||
        row.active !== ['Planifie', 'VoteOuvert'].includes(expected) ||
        row.opened !== campagne.hasOpened(AT) ||
        row.ended !== campagne.hasEnded(AT)
      );
    });
  }

  const flags = { publiee: fc.boolean(), archivee: fc.boolean(), urneClose: fc.boolean() };
  const borders = [-2, -1, 0, 1, 2].flatMap((opening) =>
    [0, 1, 2, 3].flatMap((length) =>
      [false, true].flatMap((publiee) =>
        [false, true].flatMap((archivee) =>
          [false, true].map((urneClose) => ({ opening, length, publiee, archivee, urneClose })),
        ),
      ),
    ),
  );
  const near = fc.record({
    ...flags,
    opening: fc.integer({ min: -50, max: 50 }),
    length: fc.nat({ max: 50 }),
  });
  const any = fc.record({
    ...flags,
    opening: fc.integer({ min: -1e11, max: 1e11 }),
    length: fc.nat({ max: 1e11 }),
  });
  const sampled = [near, any].flatMap((facts) => fc.sample(facts, { numRuns: 5_000, seed: SEED }));

  it('agree to the millisecond for campaigns at their borders, and for 10,000 random ones', async () => {
    expect(ETAT).toContain(NOW);
    expect(ACTIVE).toContain(NOW);
    expect(await differences([...borders, ...sampled])).toEqual([]);
  });

  it.each([
    ['a vote that is still open at its closing', 'fermeture END', `fermeture + interval '1 ms' END`],
    ['a vote that opens a moment late', 'ARRAY[ouverture,', `ARRAY[ouverture + interval '1 ms',`],
    [
      'a closed box that still takes ballots',
      'CASE WHEN urne_close THEN ouverture ELSE fermeture END',
      'fermeture',
    ],
    ['a draft before an archived campaign', "WHEN archivee THEN 'Archive'", ''],
  ])('the comparison finds %s', async (_name, rule, broken) => {
    const definition = sqlFunctions().find(({ name }) => name === 'campagne_etat')!.definition;
    expect(definition).toContain(rule);
    await app.database.query('BEGIN');
    await app.database.query(definition.replace(rule, broken));
    expect((await differences(borders)).length).toBeGreaterThan(0);
    await app.database.query('ROLLBACK');
  });

  it.each<[string, [string, string]]>([
    ['an opening that counts a moment late', [hasOpened(NOW).replace('<=', '<'), hasEnded(NOW)]],
    ['an end that counts a moment late', [hasOpened(NOW), hasEnded(NOW).replace('<=', '<')]],
    ['a draft whose vote has opened', [hasOpened(NOW).replace('publiee', 'true'), hasEnded(NOW)]],
  ])('the comparison finds %s', async (_name, conditions) => {
    expect((await differences(borders, conditions)).length).toBeGreaterThan(0);
  });

  it('PostgreSQL inlines the state into queries', async () => {
    const { rows } = await app.database.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (VERBOSE) SELECT ${ETAT} FROM campagne WHERE ${ACTIVE.replaceAll(/\bc\./g, 'campagne.')}`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('CASE WHEN');
    expect(plan).not.toContain('campagne_etat');
  });
});

describe('a ballot', () => {
  it('is taken exactly while the domain calls the vote open', async () => {
    const votes = await Votes.of(app, campaigns);
    const vote = await votes.opened(1);
    const offset = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -1e9, max: 1e9 }));
    const facts = fc.record({
      ...{ one: offset, other: offset },
      ...{ publiee: mostly(true), archivee: mostly(false), urneClose: mostly(false) },
    });
    const outcomes = new Set<boolean>();
    for (const { one, other, urneClose, ...flags } of fc.sample(facts, { numRuns: 300, seed: SEED })) {
      const start = (await now()).getTime();
      const [ouvertureDuVoteUtc, fermetureDuVoteUtc] = [one, other]
        .sort((a, b) => a - b)
        .map((ms) => new Date(start + ms)) as [Date, Date];
      const campagne = Object.assign(new Campagne(), {
        ...{ ouvertureDuVoteUtc, fermetureDuVoteUtc, urneClose },
        ...flags,
      });
      await app.database.query('BEGIN');
      await app.database.query(`SELECT set_config('app.tenant_id', $1, true)`, [campaigns.tenant.tenantId]);
      await app.database.query(
        `UPDATE campagne SET ouverture_du_vote_utc = $2, fermeture_du_vote_utc = $3, publiee = $4, archivee = $5,
           urne_fermee_par = CASE WHEN $6::boolean THEN '3'::xid8 END WHERE id_unique = $1`,
        [vote.id, ouvertureDuVoteUtc, fermetureDuVoteUtc, flags.publiee, flags.archivee, urneClose],
      );
      const before = await now();
      const { rows } = await app.database.query<{ isCast: boolean }>(
        `SELECT urne_voter($1, $2, 1, '{0}', sha256('receipt')) AS "isCast"`,
        [vote.id, vote.voters[0]],
      );
      const after = await now();
      await app.database.query('ROLLBACK');
      // A vote of some milliseconds may open and close in between.
      const between = [ouvertureDuVoteUtc].filter((at) => before < at && at < after);
      const expected = [before, ...between, after].map((at) => campagne.etat(at) === 'VoteOuvert');
      expect(expected).toContain(rows[0]!.isCast);
      outcomes.add(rows[0]!.isCast);
    }
    expect(outcomes.size).toBe(2);
  });
});

/** A boolean that is usually `value`. */
function mostly(value: boolean): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: 4 }).map((n) => (n === 0 ? !value : value));
}

describe('titles without their case', () => {
  /** The expression of the column, as PostgreSQL shows it. */
  const expressionOf = async (table: string): Promise<string> =>
    (
      await app.database.query<{ text: string }>(
        `SELECT pg_get_expr(adbin, adrelid) AS text FROM pg_attrdef
         WHERE adrelid = $1::regclass AND adnum = (
           SELECT attnum FROM pg_attribute WHERE attrelid = adrelid AND attname = 'titre_compare')`,
        [table],
      )
    ).rows[0]!.text;

  it.each([
    ['those of the column', folded('titre'), true],
    ['another expression differs', `lower(${folded('titre')})`, false],
  ])('the expression of filters and of title checks: %s', async (_what, expression, isEqual) => {
    await app.database.query(
      `CREATE TEMPORARY TABLE plie (titre text, titre_compare text COLLATE "C" GENERATED ALWAYS AS (${expression}) STORED)`,
    );
    expect((await expressionOf('plie')) === (await expressionOf('campagne'))).toBe(isEqual);
    await app.database.query('DROP TABLE plie');
  });
});

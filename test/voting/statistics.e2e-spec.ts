import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expectProblem } from '../http/expect-problem';
import { statementsOf } from '../membership/plans';
import { times } from '../membership/synced';
import { depth } from '../setup/depth';
import type { Answer } from '../setup/test-app';
import { endedVote, type Question } from './support/ended-vote';
import { decimal, recount } from './support/recount';
import { app, campaigns, newSpace, seal, spaceOfEachTest, stats } from './support/scene';

const ELECTIONS = depth(16, 1_000);
/** Every fourth box is sealed, and its statistics are compared again. */
const SEALED = 4;

spaceOfEachTest();

type Item = Answer['json'];

/** A voter with its choices, which are undefined without a ballot. */
interface Elector {
  readonly syndicat: string | null;
  readonly employeur: string | null;
  readonly weight: string;
  /** Places of the chosen options for each question, in order of preference; empty for an abstention. */
  readonly choices?: readonly (readonly number[])[];
}

interface Election {
  readonly questions: readonly Question[];
  readonly electors: readonly Elector[];
}

const question: fc.Arbitrary<Question> = fc.record({
  options: fc.integer({ min: 1, max: 5 }),
  isRanked: fc.boolean(),
  seats: fc.integer({ min: 1, max: 3 }),
});

const election: fc.Arbitrary<Election> = fc
  .array(question, { minLength: 1, maxLength: 3 })
  .chain((questions) => {
    const choices = fc.tuple(
      ...questions.map(({ options }) => fc.shuffledSubarray(times(options, (place) => place))),
    );
    const elector = (unions: readonly (string | null)[]) =>
      fc.record({
        syndicat: fc.constantFrom(...unions),
        employeur: fc.constantFrom('EMP-1', 'EMP-2', null),
        weight: fc.constantFrom('1', '1', '2', '0.5', '12.3456'),
        choices: fc.option(choices, { nil: undefined, freq: 5 }),
      }) as fc.Arbitrary<Elector>;
    return fc
      .constantFrom(['SYN-1', 'SYN-2', null], ['SYN-1', 'SYN-2'])
      .chain((unions) => fc.array(elector(unions), { minLength: 1, maxLength: 14, size: 'max' }))
      .map((electors) => ({ questions, electors }));
  });

const held = ({ questions, electors }: Election): ReturnType<typeof endedVote> =>
  endedVote(
    questions,
    electors.map(({ choices, weight, ...rest }) => ({
      ...{ ...rest, poids: weight },
      reponses: choices?.map((places, index) =>
        (questions[index]!.isRanked ? places : places.toSorted()).join(','),
      ),
    })),
  );

const FILTERS = [undefined, 'SYN-1', 'SYN-2', 'SYN-NONE'].flatMap((syndicat) =>
  [undefined, 'EMP-1', 'EMP-2', 'EMP-NONE'].map((employeur) => ({ syndicat, employeur })),
);

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
const rounded = (value: number): number => Math.round(value * 100 + 1e-9) / 100;

/** The expected statistics, computed from the electors. */
function naive({ questions, electors }: Election, { syndicat, employeur }: (typeof FILTERS)[number]): object {
  const counted = electors.filter(
    (one) => (syndicat ?? one.syndicat) === one.syndicat && (employeur ?? one.employeur) === one.employeur,
  );
  const voted = counted.filter(({ choices }) => choices !== undefined);
  return {
    totalVotants: counted.length,
    totalVotantsAvecDroitDeVote: counted.length,
    votantsAyantVote: voted.length,
    tauxParticipation: counted.length === 0 ? 0 : rounded((voted.length / counted.length) * 100),
    questions: questions.map(({ isRanked, options }, index) => {
      const expressed = voted.filter(({ choices }) => choices![index]!.length > 0);
      const whole = sum(expressed.map(({ weight }) => Number(weight)));
      return {
        Exprimes: expressed.length,
        Abstentions: voted.length - expressed.length,
        Options: times(options, (place) => {
          const chose = expressed.filter(({ choices }) => {
            const chosen = choices![index]!;
            return isRanked ? chosen[0] === place : chosen.includes(place);
          });
          const weight = sum(chose.map((one) => Number(one.weight)));
          return {
            Votes: chose.length,
            PoidsTotal: Math.round(weight * 10_000) / 10_000,
            Pourcentage: whole === 0 ? 0 : rounded((weight / whole) * 100),
          };
        }),
      };
    }),
  };
}

/** The figures that unions add up to. */
const countersOf = ({
  totalVotants,
  totalVotantsAvecDroitDeVote,
  votantsAyantVote,
  questions,
}: Item): number[] => [
  ...[totalVotants, totalVotantsAvecDroitDeVote, votantsAyantVote],
  ...questions.flatMap(({ Exprimes, Abstentions, Options }: Item) => [
    ...[Exprimes, Abstentions],
    ...Options.flatMap(({ Votes, PoidsTotal }: Item) => [Votes, PoidsTotal]),
  ]),
];

const figuresOf = (item: Item): object => ({
  totalVotants: item.totalVotants,
  totalVotantsAvecDroitDeVote: item.totalVotantsAvecDroitDeVote,
  votantsAyantVote: item.votantsAyantVote,
  tauxParticipation: item.tauxParticipation,
  questions: item.questions.map(({ Exprimes, Abstentions, Options }: Item) => ({
    ...{ Exprimes, Abstentions },
    Options: Options.map(({ Votes, PoidsTotal, Pourcentage }: Item) => ({ Votes, PoidsTotal, Pourcentage })),
  })),
});

describe(`the statistics of ${ELECTIONS} random elections`, () => {
  it('equal a naive recount with every pair of filters and in every round, and unions add up to the whole', async () => {
    const elections = fc.sample(election, ELECTIONS);
    let divided = 0;
    for (const [number, one] of elections.entries()) {
      const { id, options } = await held(one);
      // The first request closes the box of a vote that has ended by its date.
      await stats(id);
      const seed = (await campaigns.item(id)).graineDepartage as string;
      const check = async (filter: (typeof FILTERS)[number]): Promise<Item> => {
        const query = new URLSearchParams({
          ...(filter.syndicat ? { syndicatIdExterne: filter.syndicat } : {}),
          ...(filter.employeur ? { employeurIdentifiantExterne: filter.employeur } : {}),
        });
        const item = await stats(id, `?${query.toString()}`);
        expect(figuresOf(item)).toEqual(naive(one, filter));
        const isWhole = filter.syndicat === undefined && filter.employeur === undefined;
        one.questions.forEach(({ isRanked, seats }, index) => {
          const asked = item.questions[index];
          expect('Tours' in asked).toBe(isRanked && isWhole);
          if (!asked.Tours) return;
          const ballots = one.electors.flatMap(({ choices, weight }) =>
            choices ? [{ choices: choices[index]!.map((place) => options[index]![place]!), weight }] : [],
          );
          const drawn = asked.Tours.find(({ Departage }: Item) => Departage?.Graine)?.Departage.Graine;
          expect(drawn ?? seed).toBe(seed);
          const rounds = recount(options[index]!, seats, ballots, { seed, id: asked.QuestionId });
          expect(
            asked.Tours.map(({ Seuil, Elus, Epuises }: Item) => [Seuil, Elus.toSorted(), Epuises]),
          ).toEqual(
            rounds.map(({ threshold, elected, exhausted }) => [
              decimal(threshold),
              elected.toSorted(),
              decimal(exhausted),
            ]),
          );
        });
        return item;
      };
      const items = await Promise.all(FILTERS.map(check));
      if (one.electors.every(({ syndicat }) => syndicat !== null)) {
        const of = (syndicat?: string): number[] =>
          countersOf(items[FILTERS.findIndex((each) => each.syndicat === syndicat && !each.employeur)]);
        const [whole, first, second] = [of(), of('SYN-1'), of('SYN-2')];
        expect(first.map((value, index) => Math.round((value + second[index]!) * 10_000) / 10_000)).toEqual(
          whole,
        );
        divided++;
      }
      if (number % SEALED > 0) continue;
      expect(await seal(id)).toBe(true);
      await Promise.all(FILTERS.map(check));
    }
    expect(divided).toBeGreaterThan(ELECTIONS / 4);
  }, 900_000);
});

describe('GET /b2b/v1/campagnes/:id/stats', () => {
  const open = { questions: [{ isRanked: false, seats: 1, options: 2 }] } as const;
  const elector = (syndicat: string | null, place?: number): Elector => ({
    ...{ syndicat, employeur: null, weight: '1' },
    ...(place === undefined ? {} : { choices: [[place]] }),
  });

  it('404 Campagne.NotFound if it is unknown or of another tenant', async () => {
    const { id } = await held({ ...open, electors: [elector(null)] });
    expectProblem(await campaigns.send('GET', `/${randomUUID()}/stats`), 404, 'Campagne.NotFound');
    const stranger = await newSpace();
    expectProblem(await stranger.send('GET', `/${id}/stats`), 404, 'Campagne.NotFound');
  });

  it('400 for an unknown filter', async () => {
    const { id } = await held({ ...open, electors: [elector(null)] });
    expect((await campaigns.send('GET', `/${id}/stats?syndicat=SYN-1`)).status).toBe(400);
  });

  it('200 without answers before the end of the vote, even if results of open votes are shown', async () => {
    const id = await campaigns.opened();
    const hidden = { Exprimes: null, Abstentions: null, Options: [] };
    const shown = { etat: 'VoteOuvert', resultatsVisibles: false, questions: [hidden] };
    expect(await stats(id)).toMatchObject(shown);
    await campaigns.setFlags({ resultatsVoteActifVisibles: true });
    expect(await stats(id)).toMatchObject({ resultatsVisibles: true, questions: [hidden] });
  });

  it('200 closes the box of a vote that has ended by its date, without a worker', async () => {
    const { id } = await held({ ...open, electors: [elector(null, 0)] });
    const isClosed = () =>
      campaigns.rows('SELECT urne_close AS closed FROM campagne WHERE tenant_id = $1 AND id_unique = $2', id);
    expect(await isClosed()).toEqual([{ closed: false }]);
    expect((await stats(id)).questions[0].Options.map(({ Votes }: Item) => Votes)).toEqual([1, 0]);
    expect(await isClosed()).toEqual([{ closed: true }]);
  });

  it('200 reads only the campaign of a sealed vote whose statistics are kept, and the voters of a filter again', async () => {
    const { id } = await held({
      ...open,
      electors: [elector('SYN-1', 0), elector('SYN-2', 1), elector(null)],
    });
    const before = await stats(id);
    expect(await seal(id)).toBe(true);
    expect(await stats(id)).toEqual(before);
    const sent = await statementsOf(async () => {
      expect(await stats(id)).toEqual(before);
    });
    const reads = sent.map(
      ({ text }) => /FROM (?:participation|votant|urne_depouiller|campagne)/.exec(text)?.[0],
    );
    expect(reads.filter(Boolean)).toEqual(['FROM campagne']);
    const { totalVotants, votantsAyantVote } = await stats(id, '?syndicatIdExterne=SYN-1');
    expect([before.totalVotants, totalVotants, votantsAyantVote]).toEqual([3, 1, 1]);

    // As if a failover had lost the closure, and the box had been closed again with other ballots.
    const alter = (ballots: number) =>
      app.database.query(
        `SET session_replication_role = replica;
         UPDATE participation SET ayant_vote = ${ballots} WHERE campagne_id = '${id}' AND syndicat_id_externe = 'SYN-1';
         RESET session_replication_role`,
      );
    const closeAgain = (columns: string) =>
      campaigns.rows(`UPDATE campagne SET ${columns} WHERE tenant_id = $1 AND id_unique = $2`, id);
    await alter(0);
    expect((await stats(id)).votantsAyantVote).toBe(2);
    await closeAgain(`urne_fermee_par = '3'`);
    expect((await stats(id)).votantsAyantVote).toBe(1);

    // A participation that lacks voters, as a late standby would have it, is not kept.
    await closeAgain(`urne_fermee_par = '4', nombre_votants = 4`);
    expect((await stats(id)).votantsAyantVote).toBe(1);
    await alter(1);
    expect((await stats(id)).votantsAyantVote).toBe(2);
  });

  it('with a threshold, filtered results are hidden before the sealing; then whole classes of ballots are shown', async () => {
    await campaigns.setFlags({ seuilAnonymat: 3 });
    const electors = [
      ...times(2, () => elector('TWO', 0)),
      ...times(3, () => elector('THREE', 1)),
      ...times(9, () => elector('NINE', 0)),
    ];
    const { id } = await held({ ...open, electors });
    const visible = async (query: string): Promise<unknown> => {
      const { resultatsVisibles, questions, totalVotants } = await stats(id, query);
      return [totalVotants, resultatsVisibles, questions[0].Options.length, questions[0].Exprimes];
    };
    const FILTERED = ['', ...['TWO', 'THREE', 'NINE', 'NONE'].map((one) => `?syndicatIdExterne=${one}`)];
    const look = (): Promise<unknown[]> => Promise.all(FILTERED.map(visible));
    const hidden = (voters: number): unknown[] => [voters, false, 0, null];
    expect(await look()).toEqual([[14, true, 2, 14], hidden(2), hidden(3), hidden(9), hidden(0)]);
    expect(await seal(id)).toBe(true);
    // Two ballots are too few: they form one class with the smallest other group.
    const shown = (voters: number): unknown[] => [voters, true, 2, voters];
    expect(await look()).toEqual([shown(14), hidden(2), hidden(3), shown(9), shown(0)]);
    const { id: other } = await held({
      ...open,
      electors: electors.filter(({ syndicat }) => syndicat !== 'THREE'),
    });
    for (const isSealed of [false, true]) {
      const hidden = await stats(other, '?syndicatIdExterne=NINE');
      expect([hidden.resultatsVisibles, hidden.questions[0].Options]).toEqual([false, []]);
      if (!isSealed) expect(await seal(other)).toBe(true);
    }
  });
});

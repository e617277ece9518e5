import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { ClientsService } from '../../libs/clients/src';
import { SealingService } from '../../libs/voting/src';
import { expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { TEST_ACTOR } from '../setup/actor';
import { depth } from '../setup/depth';
import { type Answer, TestApp } from '../setup/test-app';
import { Campaigns } from './support/campaigns';
import { decimal, recount } from './support/recount';

const ELECTIONS = depth(40, 1_000);
/** Of so many elections, the box of one is sealed, and the statistics are asked for again. */
const SEALED = 4;

let app: TestApp;
let campaigns: Campaigns;

beforeAll(async () => {
  app = await TestApp.start();
  campaigns = new Campaigns(app, await app.tenant());
});
afterAll(() => app.stop());

type Item = Answer['json'];

const stats = async (id: string, query = ''): Promise<Item> =>
  (await campaigns.sent('GET', `/${id}/stats${query}`)).json;

/** What one voter is and chose; `choices` undefined where the voter has not voted. */
interface Elector {
  readonly syndicat: string | null;
  readonly employeur: string | null;
  readonly weight: string;
  /** For each question the places of options, most wanted first; none is an abstention. */
  readonly choices?: readonly (readonly number[])[];
}

interface Question {
  readonly type: 'Proposition' | 'ChoixLibre' | 'Election';
  readonly isRanked: boolean;
  readonly seats: number;
  readonly options: number;
}

interface Election {
  readonly questions: readonly Question[];
  readonly electors: readonly Elector[];
}

const question: fc.Arbitrary<Question> = fc
  .record({
    options: fc.integer({ min: 1, max: 5 }),
    isRanked: fc.boolean(),
    seats: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ options, isRanked, seats }) => ({ type: 'Election', isRanked, seats, options }) as const);

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

/** Makes a campaign whose vote has ended, with its rows as votes leave them. @returns its id and the ids of its options */
async function held({ questions, electors }: Election): Promise<{ id: string; options: string[][] }> {
  const id = randomUUID();
  const ids = questions.map((one) => times(one.options, () => randomUUID()));
  const asked = questions.map(() => randomUUID());
  const voters = JSON.stringify(
    electors.map(({ syndicat, employeur, weight, choices }) => ({
      ...{ syndicat, employeur, poids: weight },
      reponses:
        choices?.map((places, index) =>
          (questions[index]!.isRanked ? places : places.toSorted()).join(','),
        ) ?? null,
    })),
  );
  await campaigns.rows(
    `WITH campagne AS (
       INSERT INTO campagne (tenant_id, id_unique, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc,
         ordre_reponses_aleatoire, publiee, ouverture_annoncee, fermeture_annoncee)
       VALUES ($1, $2::uuid, $2::uuid::text, $2::uuid::text, '2020-01-01Z', '2020-01-02Z', false, true, true, true)
     ), question AS (
       INSERT INTO question (tenant_id, campagne_id, id_unique, ordre, titre, type, est_preferentiel,
         ordre_reponses_aleatoire, min_reponses, nombre_elus)
       SELECT $1::uuid, $2::uuid, id, ordre, 'Q' || ordre, 'Election', ranked, 0, 1, seats
       FROM unnest($3::uuid[], $4::boolean[], $5::integer[]) WITH ORDINALITY q (id, ranked, seats, ordre)
     ), option AS (
       INSERT INTO option (tenant_id, question_id, id_unique, ordre, libelle)
       SELECT $1::uuid, question, id, ordre, 'O' || ordre FROM unnest($6::uuid[], $7::uuid[], $8::integer[]) o (question, id, ordre)
     )
     INSERT INTO votant (tenant_id, campagne_id, prenom, nom, syndicat_id_externe, employeur_identifiant_externe,
       a_droit_de_vote, a_vote, poids)
     SELECT $1::uuid, $2::uuid, 'Zoé', 'Roy', syndicat, employeur, true, reponses IS NOT NULL, poids
     FROM jsonb_to_recordset($9) v (syndicat text, employeur text, poids numeric, reponses jsonb)`,
    ...[id, asked, questions.map(({ isRanked }) => isRanked), questions.map(({ seats }) => seats)],
    ids.flatMap((options, index) => options.map(() => asked[index])),
    ids.flat(),
    ids.flatMap((options) => options.map((_, place) => place + 1)),
    voters,
  );
  await campaigns.copyStructure(id);
  await campaigns.rows(
    `WITH ballot AS (
       SELECT * FROM jsonb_to_recordset($3) v (syndicat text, employeur text, poids numeric, reponses jsonb) WHERE reponses IS NOT NULL
     ), receipt AS (
       INSERT INTO recu (tenant_id, campagne_id, empreinte) SELECT $1::uuid, $2::uuid, sha256(gen_random_uuid()::text::bytea) FROM ballot
     )
     INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
     SELECT $1::uuid, $2::uuid, syndicat, employeur, poids, ARRAY(SELECT jsonb_array_elements_text(reponses)) FROM ballot`,
    ...[id, voters],
  );
  return { id, options: ids };
}

const FILTERS = [undefined, 'SYN-1', 'SYN-2', 'SYN-NONE'].flatMap((syndicat) =>
  [undefined, 'EMP-1', 'EMP-2', 'EMP-NONE'].map((employeur) => ({ syndicat, employeur })),
);

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);
const rounded = (value: number): number => Math.round(value * 100 + 1e-9) / 100;

/** The statistics as they should be, from the electors alone. */
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

/** Everything that unions add up to. */
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

const told = (item: Item): object => ({
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
  it('equal a naive recount under every pair of filters, rounds of ranked questions too, and unions add up to the whole', async () => {
    const elections = fc.sample(election, ELECTIONS);
    let divided = 0;
    for (const [number, one] of elections.entries()) {
      const { id, options } = await held(one);
      // The first who asks closes the box of a vote that the clock has ended.
      await stats(id);
      const seed = (await campaigns.item(id)).graineDepartage as string;
      const check = async (filter: (typeof FILTERS)[number]): Promise<Item> => {
        const query = new URLSearchParams({
          ...(filter.syndicat ? { syndicatIdExterne: filter.syndicat } : {}),
          ...(filter.employeur ? { employeurIdentifiantExterne: filter.employeur } : {}),
        });
        const item = await stats(id, `?${query.toString()}`);
        expect(told(item)).toEqual(naive(one, filter));
        const isWhole = filter.syndicat === undefined && filter.employeur === undefined;
        one.questions.forEach(({ isRanked, seats }, index) => {
          const asked = item.questions[index];
          expect('Tours' in asked).toBe(isRanked && isWhole);
          if (!asked.Tours) return;
          const ballots = one.electors.flatMap(({ choices, weight }) =>
            choices ? [{ choices: choices[index]!.map((place) => options[index]![place]!), weight }] : [],
          );
          const told = asked.Tours.find(({ Departage }: Item) => Departage?.Graine)?.Departage.Graine;
          expect(told ?? seed).toBe(seed);
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
      expect(await app.app.get(SealingService).seal(campaigns.tenant.tenantId, id)).toBe(true);
      await Promise.all(FILTERS.map(check));
    }
    expect(divided).toBeGreaterThan(ELECTIONS / 4);
  }, 900_000);
});

describe('GET /b2b/v1/campagnes/:id/stats', () => {
  const open = { questions: [{ type: 'Election', isRanked: false, seats: 1, options: 2 }] } as const;
  const elector = (syndicat: string | null, place?: number): Elector => ({
    ...{ syndicat, employeur: null, weight: '1' },
    ...(place === undefined ? {} : { choices: [[place]] }),
  });

  it('404 Campagne.NotFound for one that is unknown or of another tenant', async () => {
    const { id } = await held({ ...open, electors: [elector(null)] });
    expectProblem(await campaigns.send('GET', `/${randomUUID()}/stats`), 404, 'Campagne.NotFound');
    const stranger = new Campaigns(app, await app.tenant());
    expectProblem(await stranger.send('GET', `/${id}/stats`), 404, 'Campagne.NotFound');
  });

  it('400 for a filter that is not known', async () => {
    const { id } = await held({ ...open, electors: [elector(null)] });
    expect((await campaigns.send('GET', `/${id}/stats?syndicat=SYN-1`)).status).toBe(400);
  });

  it('tells nothing of the answers before the vote has ended, also where results of open votes are shown', async () => {
    const id = await campaigns.opened();
    const hidden = { Exprimes: null, Abstentions: null, Options: [] };
    expect(await stats(id)).toMatchObject({
      etat: 'VoteOuvert',
      resultatsVisibles: false,
      questions: [hidden],
    });
    await app.app
      .get(ClientsService)
      .update(
        TEST_ACTOR,
        campaigns.tenant.clientId,
        { drapeaux: { resultatsVoteActifVisibles: true } },
        () => undefined,
      );
    expect(await stats(id)).toMatchObject({ resultatsVisibles: true, questions: [hidden] });
    await app.app
      .get(ClientsService)
      .update(
        TEST_ACTOR,
        campaigns.tenant.clientId,
        { drapeaux: { resultatsVoteActifVisibles: false } },
        () => undefined,
      );
  });

  it('waits for the votes that are under way when the clock has ended the vote and no worker runs', async () => {
    const { id } = await held({ ...open, electors: [elector(null, 0)] });
    const [before] = await campaigns.rows<{ closed: boolean }>(
      'SELECT urne_close AS closed FROM campagne WHERE tenant_id = $1 AND id_unique = $2',
      id,
    );
    expect(before!.closed).toBe(false);
    expect((await stats(id)).questions[0].Options.map(({ Votes }: Item) => Votes)).toEqual([1, 0]);
    const [after] = await campaigns.rows<{ closed: boolean }>(
      'SELECT urne_close AS closed FROM campagne WHERE tenant_id = $1 AND id_unique = $2',
      id,
    );
    expect(after!.closed).toBe(true);
  });

  it('with a threshold tells nothing filtered before the sealing, and then what whole classes of ballots make up', async () => {
    const space = new Campaigns(app, await app.tenant());
    await app.app
      .get(ClientsService)
      .update(TEST_ACTOR, space.tenant.clientId, { drapeaux: { seuilAnonymat: 3 } }, () => undefined);
    const previous = campaigns;
    campaigns = space;
    try {
      const electors = [
        ...times(2, () => elector('TWO', 0)),
        ...times(3, () => elector('THREE', 1)),
        ...times(9, () => elector('NINE', 0)),
      ];
      const { id } = await held({ ...open, electors });
      const sealed = (campagne: string): Promise<boolean> =>
        app.app.get(SealingService).seal(space.tenant.tenantId, campagne);
      const visible = async (query: string): Promise<unknown> => {
        const { resultatsVisibles, questions, totalVotants } = await stats(id, query);
        return [totalVotants, resultatsVisibles, questions[0].Options.length, questions[0].Exprimes];
      };
      const look = async (): Promise<unknown[]> => [
        await visible(''),
        await visible('?syndicatIdExterne=TWO'),
        await visible('?syndicatIdExterne=THREE'),
        await visible('?syndicatIdExterne=NINE'),
        await visible('?syndicatIdExterne=NONE'),
      ];
      const hidden = (voters: number): unknown[] => [voters, false, 0, null];
      expect(await look()).toEqual([[14, true, 2, 14], hidden(2), hidden(3), hidden(9), hidden(0)]);
      expect(await sealed(id)).toBe(true);
      // Two are too few, and are one class with the smallest other one.
      expect(await look()).toEqual([
        ...[[14, true, 2, 14], hidden(2), hidden(3)],
        ...[
          [9, true, 2, 9],
          [0, true, 2, 0],
        ],
      ]);
      const { id: other } = await held({
        ...open,
        electors: electors.filter(({ syndicat }) => syndicat !== 'THREE'),
      });
      for (const seal of [false, true]) {
        const hidden = await stats(other, '?syndicatIdExterne=NINE');
        expect([hidden.resultatsVisibles, hidden.questions[0].Options]).toEqual([false, []]);
        if (!seal) expect(await sealed(other)).toBe(true);
      }
    } finally {
      campaigns = previous;
    }
  });
});

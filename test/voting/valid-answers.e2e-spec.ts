import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import {
  type AnsweredQuestion,
  answersOf,
  type CheckedAnswers,
} from '../../libs/voting/src/ballot/domain/bulletin.rules';
import { BulletinRepository } from '../../libs/voting/src/ballot/persistence/bulletin.repository';
import { sqlFunctions } from '../../libs/platform/src/database/functions';
import { times } from '../membership/synced';
import { depth, SEED } from '../setup/depth';
import { app, spaceOfFile, votes } from './support/scene';

spaceOfFile();

/** Questions of each kind, with their number of options. */
const KINDS = [
  { options: 2, EstPreferentiel: false, MinReponses: 1, MaxReponses: 1 },
  { options: 1, EstPreferentiel: false, MinReponses: 1, MaxReponses: 1 },
  { options: 5, EstPreferentiel: false, MinReponses: 1, MaxReponses: 3 },
  { options: 4, EstPreferentiel: false, MinReponses: 2, MaxReponses: 2 },
  { options: 12, EstPreferentiel: false, MinReponses: 3, MaxReponses: 12 },
  { options: 3, EstPreferentiel: true, MinReponses: 1 },
  { options: 4, EstPreferentiel: true, MinReponses: 2, MaxReponses: 3 },
  { options: 12, EstPreferentiel: true, MinReponses: 1, MaxReponses: 12 },
];

/** Chosen places of the options of one question; none is an abstention. A place may be that of no option. */
type Choice = readonly number[];
/** An answer to each question, and sometimes to fewer or more. */
type Ballot = readonly Choice[];

let campagneId: string;
let questions: readonly AnsweredQuestion[];

beforeAll(async () => {
  const asked = KINDS.map(({ options, ...kind }, n) => ({
    ...{ Titre: `Q${n}`, Type: 'ChoixLibre', ...kind },
    Options: times(options, (option) => ({ Libelle: `O${option}` })),
  }));
  const vote = await votes.opened(1, asked[0], undefined, asked.slice(1));
  campagneId = vote.id;
  const { tenantId } = votes.campaigns.tenant;
  questions = (await app.app.get(BulletinRepository).votedOn(tenantId, campagneId))!.questions;
  expect(questions.map(({ options }) => options.length / 36)).toEqual(KINDS.map(({ options }) => options));
});

const optionsOf = ({ options }: AnsweredQuestion): string[] => options.match(/.{36}/g)!;

/** Returns the domain check of a ballot. */
function domainAnswers(ballot: Ballot, rule = answersOf): CheckedAnswers {
  const reponses = ballot.map((choice, place) => {
    const question = questions[place];
    const ids = question ? optionsOf(question) : [];
    return {
      QuestionId: question?.id ?? randomUUID(),
      Options: choice.map((one) => ids[one] ?? randomUUID()),
      Abstention: choice.length === 0,
    };
  });
  return rule(questions, reponses);
}

/** The stored form of a ballot, valid or not. */
function storedForm(ballot: Ballot): string[] {
  return ballot.map((choice, place) => {
    const isRanked = questions[place]?.isRanked ?? false;
    return (isRanked ? choice : choice.toSorted((one, other) => one - other)).join(',');
  });
}

/** Whether the database takes ballots of new voters in this form, with changed functions if any are given. */
async function castAll(forms: readonly string[][], changed: readonly string[] = []): Promise<boolean[]> {
  const { tenantId } = votes.campaigns.tenant;
  const voters = forms.map(() => randomUUID());
  await app.database.query('BEGIN');
  try {
    for (const definition of changed) await app.database.query(definition);
    await app.database.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenantId]);
    await app.database.query(
      `INSERT INTO votant (tenant_id, campagne_id, id_unique, identifiant, prenom, nom, a_droit_de_vote, poids)
       SELECT $1, $2, id, id, 'Zoé', 'Roy', true, 1 FROM unnest($3::uuid[]) id`,
      [tenantId, campagneId, voters],
    );
    const { rows } = await app.database.query<{ isCast: boolean }>(
      `SELECT urne_voter($1, voter, 1, ARRAY(SELECT jsonb_array_elements_text(form)), sha256(voter::text::bytea)) AS "isCast"
       FROM ROWS FROM (unnest($2::uuid[]), jsonb_array_elements($3)) WITH ORDINALITY g (voter, form, n) ORDER BY n`,
      [campagneId, voters, JSON.stringify(forms)],
    );
    return rows.map(({ isCast }) => isCast);
  } finally {
    await app.database.query('ROLLBACK');
  }
}

const choiceOf = ({ options }: { readonly options: number }): fc.Arbitrary<Choice> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.shuffledSubarray(times(options, (n) => n)) },
    { weight: 1, arbitrary: fc.constant([]) },
    // Sometimes a place twice or that of no option.
    { weight: 1, arbitrary: fc.array(fc.nat({ max: options }), { maxLength: options + 1 }) },
  );

/** A ballot with one or two arbitrary answers and abstentions otherwise. Many of these are valid. */
const ballots: fc.Arbitrary<Ballot> = fc
  .record({
    answers: fc.tuple(...KINDS.map(choiceOf)),
    any: fc.array(fc.nat({ max: KINDS.length - 1 }), { minLength: 1, maxLength: 2 }),
    length: fc.oneof(
      { weight: 12, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.constantFrom(-1, 1) },
    ),
  })
  .map(({ answers, any, length }) =>
    times(KINDS.length + length, (place) => (any.includes(place) ? (answers[place] ?? []) : [])),
  );

const sampled = fc.sample(ballots, { numRuns: depth(200, 10_000), seed: SEED });

/** Ballots enough to find a rule that differs. */
const some = sampled.slice(0, 600);

/** Ballots for which the domain and the database differ. */
async function differences(
  given = sampled,
  { rule = answersOf, changed = [] }: { rule?: typeof answersOf; changed?: readonly string[] } = {},
): Promise<Ballot[]> {
  const checked = given.map((ballot) => domainAnswers(ballot, rule));
  const forms = given.map((ballot, n) => {
    const one = checked[n]!;
    return 'answers' in one ? [...one.answers] : storedForm(ballot);
  });
  const cast = await castAll(forms, changed);
  return given.filter((_ballot, n) => 'answers' in checked[n]! !== cast[n]);
}

/** A function of the ballot box with one part replaced. */
function broken(name: string, part: string, other: string): string[] {
  const { definition } = sqlFunctions().find((one) => one.name === name)!;
  expect(definition.split(part)).toHaveLength(2);
  return [definition.replace(part, () => other)];
}

describe('valid answers in the domain and in the database', () => {
  it('agree on random ballots, of which many are valid and many are not', async () => {
    expect(await differences()).toEqual([]);
    const valid = sampled.filter((ballot) => 'answers' in domainAnswers(ballot)).length;
    expect(valid).toBeGreaterThan(sampled.length / 5);
    expect(valid).toBeLessThan((4 * sampled.length) / 5);
  });

  it('agree on any text that is stored as an answer', async () => {
    const texts = fc.sample(
      fc
        .array(fc.constantFrom('0', '1', '2', '3', '10', '00', '01', ',', ',', ',', ' ', '-'), {
          maxLength: 6,
        })
        .map((parts) => parts.join('')),
      { numRuns: depth(200, 10_000), seed: SEED },
    );
    const [choices, ranking] = [4, 7];
    const expected = texts.flatMap((text) =>
      [choices, ranking].map((place) => {
        const choice = text === '' ? [] : text.split(',').map((one) => (one === '' ? -1 : Number(one)));
        const checked = domainAnswers(KINDS.map((_kind, one) => (one === place ? choice : [])));
        return 'answers' in checked && checked.answers[place] === text;
      }),
    );
    const forms = texts.flatMap((text) =>
      [choices, ranking].map((place) => KINDS.map((_kind, one) => (one === place ? text : ''))),
    );
    expect(await castAll(forms)).toEqual(expected);
    expect(new Set(expected).size).toBe(2);
  });

  it.each<[string, string, string, string]>([
    ['one answer too few', 'urne_voter', 'q.min_reponses <= 1 AND', ''],
    ['the option after the last, alone', 'urne_voter', '< q.nombre_options', '<= q.nombre_options'],
    ['an answer to no question', 'urne_voter', 'count(*) = cardinality($4)', 'count(*) <= cardinality($4)'],
    ['too few options', 'urne_choisir', 'BETWEEN min_reponses AND', 'BETWEEN 1 AND'],
    ['too many options', 'urne_choisir', 'AND max_reponses AND', 'AND max_reponses + 1 AND'],
    ['an option twice', 'urne_choisir', 'count(DISTINCT c.place) = count(*)', 'true'],
    ['the option after the last', 'urne_choisir', '< nombre_options', '<= nombre_options'],
    ['a ranking that must be sorted', 'urne_choisir', '(est_preferentiel OR', '(false OR'],
  ])('a database that differs is found: %s', async (_what, name, part, other) => {
    expect((await differences(some, { changed: broken(name, part, other) })).length).toBeGreaterThan(0);
  });

  it.each<[string, (question: AnsweredQuestion) => Partial<AnsweredQuestion>]>([
    ['one option is always enough', () => ({ minReponses: 1 })],
    ['one option too many', ({ maxReponses }) => ({ maxReponses: maxReponses + 1 })],
    ['choices are not sorted', () => ({ isRanked: true })],
  ])('a domain that differs is found: %s', async (_what, change) => {
    const rule: typeof answersOf = (asked, reponses) =>
      answersOf(
        asked.map((one) => ({ ...one, ...change(one) })),
        reponses,
      );
    expect((await differences(some, { rule })).length).toBeGreaterThan(0);
  });
});

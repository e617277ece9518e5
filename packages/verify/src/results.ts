import { hash } from 'node:crypto';
import { type Answers, Sums } from './answers.js';
import { type Manifest, type Question, questionFile, RESULTS, type Vote } from './bundle.js';
import { type Findings } from './findings.js';
import { decimalOf, type Fraction } from './fraction.js';
import { countRanked, type Round, type Tie } from './ranked.js';

/** A ten-thousandth counts 100 millionths: ranked weights are shown with six decimals. */
const MILLIONTHS = 100n;

export const weightText = (tenThousandths: bigint): string => decimalOf(tenThousandths, 4);
const shownWeight = (weight: Fraction): string => decimalOf(weight.rounded(MILLIONTHS), 6);
const isShown = (weight: Fraction): boolean => weight.rounded(MILLIONTHS) > 0n;

/** Returns the share in percent with two decimals, half up; 0 of nothing. */
export function percentage(part: bigint, whole: bigint): string {
  return whole === 0n ? '0' : decimalOf((part * 20_000n + whole) / (2n * whole), 2);
}

export const seedOf = ({ graineDepartage, grainePartenaire }: Vote): string =>
  grainePartenaire === null ? graineDepartage : `${graineDepartage}:${grainePartenaire}`;

/** Returns the function that draws one of several options, by their places. */
function drawOf(question: Question, seed: string): (purpose: number, among: readonly number[]) => number {
  const digestOf = (purpose: number, option: number): string =>
    hash('sha256', `${seed}:${question.QuestionId}:${purpose}:${question.Options[option]!.OptionId}`, 'hex');
  return (purpose, among) =>
    among.reduce((one, other) => (digestOf(purpose, other) < digestOf(purpose, one) ? other : one));
}

export interface Draw {
  readonly among: readonly number[];
  readonly chosen: number;
}

/** Returns the elected options of an election that is not ranked, in their order. */
export function electedOf(
  sums: Sums,
  options: number,
  seats: number,
  draw: (purpose: number, among: readonly number[]) => number,
): { elected: number[]; draws: Draw[] } {
  const weightOf = (option: number): bigint => sums.options.get(option)?.weight ?? 0n;
  let rest = Array.from({ length: options }, (_, option) => option).filter((option) => weightOf(option) > 0n);
  const elected: number[] = [];
  const draws: Draw[] = [];
  while (elected.length < seats && rest.length > 0) {
    const most = rest.map(weightOf).reduce((one, other) => (other > one ? other : one));
    const equal = rest.filter((option) => weightOf(option) === most);
    const taken = equal.length <= seats - elected.length ? equal : [draw(elected.length + 1, equal)];
    if (taken !== equal) draws.push({ among: equal, chosen: taken[0]! });
    elected.push(...taken);
    rest = rest.filter((option) => !taken.includes(option));
  }
  return { elected, draws };
}

const figuresOf = ({ Options }: Question, sums: Sums, option: number): object => {
  const { votes, weight } = sums.options.get(option) ?? { votes: 0, weight: 0n };
  return {
    OptionId: Options[option]!.OptionId,
    Votes: votes,
    PoidsTotal: weightText(weight),
    Pourcentage: percentage(weight, sums.expressedWeight),
  };
};

/** Returns the figures of a question in a filter; undefined for an unanswered question, which version 2 leaves out. */
function filteredOf(question: Question, sums: Sums, version: number): object | undefined {
  const isSparse = version > 1;
  if (isSparse && sums.expressed === 0) return undefined;
  const places = isSparse
    ? [...sums.options.keys()].sort((one, other) => one - other)
    : [...question.Options.keys()];
  return {
    QuestionId: question.QuestionId,
    Exprimes: sums.expressed,
    Abstentions: sums.ballots - sums.expressed,
    Options: places.map((option) => figuresOf(question, sums, option)),
  };
}

function roundItem(question: Question, seed: string, round: Round, index: number): object {
  const idOf = (option: number): string => question.Options[option]!.OptionId;
  const listed = (weights: ReadonlyMap<number, Fraction>): object[] =>
    [...weights]
      .filter(([, weight]) => isShown(weight))
      .sort(([one], [other]) => one - other)
      .map(([option, weight]) => ({ OptionId: idOf(option), Poids: shownWeight(weight) }));
  const tieItem = ({ among, chosen, round: decisive }: Tie): object => ({
    Entre: among.map(idOf),
    Choisi: idOf(chosen),
    Tour: decisive,
    Graine: decisive === null ? seed : null,
  });
  const { threshold, weights, elected, eliminated, exhausted, transfer, tie } = round;
  return {
    Tour: index + 1,
    Seuil: shownWeight(threshold),
    Decompte: listed(weights),
    Elus: elected.map(idOf),
    Elimines: eliminated === undefined ? [] : [idOf(eliminated)],
    Epuises: shownWeight(exhausted),
    Transferts: transfer
      ? [{ De: idOf(transfer.from), Vers: listed(transfer.to), Epuise: shownWeight(transfer.exhausted) }]
      : [],
    ...(tie ? { Departage: tieItem(tie) } : {}),
  };
}

/** A recounted question: the item of `tout`, and the names of methods that fit it. */
export interface Recounted {
  readonly item: Record<string, unknown>;
  readonly sums: Sums;
  readonly methods: readonly string[];
}

/** Counts a question, and records rankings that have more options than those at which the ballots rested. */
export function recount(vote: Vote, place: number, answers: Answers, findings: Findings): Recounted {
  const question = vote.questions[place]!;
  const { QuestionId, Titre, Type, EstPreferentiel, NombreElus, Decimales, Options } = question;
  const seed = seedOf(vote);
  const draw = drawOf(question, seed);
  const idOf = (option: number): string => Options[option]!.OptionId;
  const sums = new Sums();
  for (const one of answers.classes) sums.addAll(one);
  const item: Record<string, unknown> = {
    ...{ QuestionId, Titre, Type, EstPreferentiel },
    Exprimes: sums.expressed,
    Abstentions: sums.ballots - sums.expressed,
    Options: Options.map(({ Libelle }, option) => ({ ...figuresOf(question, sums, option), Libelle })),
  };
  const seats = NombreElus ?? 1;
  if (!EstPreferentiel) {
    if (Type === 'Election') {
      const { elected, draws } = electedOf(sums, Options.length, seats, draw);
      item['Elus'] = elected.map(idOf);
      item['Departages'] = draws.map(({ among, chosen }) => ({
        ...{ Entre: among.map(idOf), Choisi: idOf(chosen), Tour: null, Graine: seed },
      }));
    }
    return { item, sums, methods: [] };
  }
  const unit = 10n ** BigInt(4 - Decimales);
  const { rounds, rests } = countRanked(Options.length, seats, unit, answers.rankings, draw);
  for (const [index, { options }] of answers.rankings.entries())
    if (rests[index]!.length < options.length)
      findings.differs(
        questionFile(place),
        'ranking without the options at which no ballot rested',
        rests[index],
        options,
      );
  item['Tours'] = rounds.map((round, index) => roundItem(question, seed, round, index));
  if (Type === 'Election') item['Elus'] = rounds.flatMap(({ elected }) => elected.map(idOf));
  const several = ['VoteUniqueTransferable', 'VoteUniqueTransferableArrondi'];
  return { item, sums, methods: seats === 1 ? ['VoteAlternatif'] : several };
}

/** Returns the sums of each filter that consists of whole classes, by its key; null if it divides a class. */
export function filtersOf(vote: Vote): Map<string, number[] | null> {
  const found = new Map<string, Map<number, number>>();
  for (const [index, { perimetres }] of vote.classes.entries())
    for (const { syndicatIdExterne: union, employeurIdentifiantExterne: employer } of perimetres) {
      const keys = new Set([filterKey(union, employer), filterKey(union, null), filterKey(null, employer)]);
      keys.delete(filterKey(null, null));
      for (const key of keys) {
        const classes = found.get(key) ?? new Map<number, number>();
        found.set(key, classes.set(index, (classes.get(index) ?? 0) + 1));
      }
    }
  return new Map(
    [...found].map(([key, classes]) => [
      key,
      [...classes].every(([index, pairs]) => pairs === vote.classes[index]!.perimetres.length)
        ? [...classes.keys()]
        : null,
    ]),
  );
}

export const filterKey = (union: string | null, employer: string | null): string =>
  JSON.stringify([union, employer]);

/** Lists that may be absent if they are empty. */
const EMPTY_OR_ABSENT = ['Departages', 'Elus', 'Tours'];

/** Records each place at which two values of JSON differ. */
export function compare(findings: Findings, at: string, expected: unknown, found: unknown): void {
  if (expected === found) return;
  if (Array.isArray(expected) && Array.isArray(found)) {
    findings.same(RESULTS, `${at}: number of items`, expected.length, found.length);
    const both = Math.min(expected.length, found.length);
    for (let index = 0; index < both; index++)
      compare(findings, `${at}[${index}]`, expected[index], found[index]);
  } else if (isObject(expected) && isObject(found)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const own = (value: Record<string, unknown>): unknown =>
        Object.hasOwn(value, name) ? value[name] : EMPTY_OR_ABSENT.includes(name) ? [] : undefined;
      compare(findings, `${at}.${name}`, own(expected), own(found));
    }
  } else findings.differs(RESULTS, at, expected ?? 'absent', found ?? 'absent');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Compares `resultats.json` with the recount. */
export function checkResults(
  found: unknown,
  vote: Vote,
  manifest: Manifest,
  recounted: readonly Recounted[],
  answers: readonly Answers[],
  findings: Findings,
): void {
  const { tout, filtres, ...more } = isObject(found) ? found : {};
  if (!isObject(tout) || !Array.isArray(filtres) || Object.keys(more).length > 0) {
    findings.differs(RESULTS, 'members', 'tout and filtres', found);
    return;
  }
  const { totalVotants, totalVotantsAvecDroitDeVote, votantsAyantVote } = manifest;
  const items: unknown[] = Array.isArray(tout['questions']) ? tout['questions'] : [];
  const expected = {
    campagneId: vote.campagneId,
    titre: vote.titre,
    etat: tout['etat'] === 'Archive' ? 'Archive' : 'Termine',
    ...{ totalVotants, totalVotantsAvecDroitDeVote, votantsAyantVote },
    tauxParticipation: percentage(BigInt(votantsAyantVote), BigInt(totalVotantsAvecDroitDeVote)),
    modificationsApresOuverture: manifest.modificationsApresOuverture,
    resultatsVisibles: true,
    questions: recounted.map(({ item, methods }, index) => {
      if (methods.length === 0) return item;
      const shown = items[index];
      const method = isObject(shown) ? methods.find((name) => name === shown['Methode']) : undefined;
      return { ...item, Methode: method ?? methods[0] };
    }),
  };
  const checked = findings.begin();
  compare(findings, 'tout', expected, tout);
  checked({
    en: 'resultats.json: all figures of the whole vote: options, elected, rounds, transfers, ties and draws',
    fr: 'resultats.json : tous les chiffres du vote entier : options, élus, tours, transferts, égalités et tirages',
  });
  checkFilters(filtres, vote, manifest.version, answers, findings);
}

function checkFilters(
  filtres: readonly unknown[],
  vote: Vote,
  version: number,
  answers: readonly Answers[],
  findings: Findings,
): void {
  const checked = findings.begin();
  const filters = filtersOf(vote);
  const seen = new Set<string>();
  for (const [index, found] of filtres.entries()) {
    const at = `filtres[${index}]`;
    const item = isObject(found) ? found : {};
    const [union, employer] = [item['syndicatIdExterne'], item['employeurIdentifiantExterne']].map((name) =>
      typeof name === 'string' ? name : null,
    ) as [string | null, string | null];
    const key = filterKey(union, employer);
    // Version 1 may have filters without ballots.
    const classes = filters.has(key) ? filters.get(key)! : version === 1 ? [] : undefined;
    if (seen.size === seen.add(key).size) findings.differs(RESULTS, at, 'each filter once', key);
    if (union === null && employer === null) findings.differs(RESULTS, at, 'a union or an employer', key);
    if (!classes) {
      const reason = classes === null ? 'divides a class' : 'has no ballots';
      findings.differs(RESULTS, at, `absent, because the filter ${reason}`, key);
      continue;
    }
    const voted = (name: string): number =>
      Number.isSafeInteger(item[name]) ? Math.max(0, item[name] as number) : 0;
    const [all, entitled, voters] = ['totalVotants', 'totalVotantsAvecDroitDeVote', 'votantsAyantVote'].map(
      voted,
    ) as [number, number, number];
    if (entitled > all || voters > entitled)
      findings.differs(RESULTS, at, 'voters <= entitled <= all', `${voters}, ${entitled}, ${all}`);
    compare(
      findings,
      at,
      {
        syndicatIdExterne: union,
        employeurIdentifiantExterne: employer,
        totalVotants: all,
        totalVotantsAvecDroitDeVote: entitled,
        votantsAyantVote: voters,
        tauxParticipation: percentage(BigInt(voters), BigInt(entitled)),
        questions: vote.questions.flatMap((question, place) => {
          const sums = new Sums();
          for (const one of classes) sums.addAll(answers[place]!.classes[one]!);
          return filteredOf(question, sums, version) ?? [];
        }),
      },
      found,
    );
  }
  for (const [key, classes] of filters)
    if (classes && !seen.has(key)) findings.differs(RESULTS, `filtres: ${key}`, 'present', 'absent');
  checked({
    en: `resultats.json: ${filtres.length} filters: their figures, and that they consist of whole classes`,
    fr: `resultats.json : ${filtres.length} filtres : leurs chiffres, et qu’ils sont faits de classes entières`,
  });
}

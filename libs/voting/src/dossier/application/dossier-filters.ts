import { Sums } from '../../count/domain/tally/tally';
import { percentText, weightOf, weightText } from '../../count/domain/tally/weight';
import type { DossierQuestion, FilteredAnswers, FilteredVoters } from '../persistence/dossier-sources.query';
import { canonical } from './dossier-answers';

/**
 * Writes the figures of published filters, as the bundle has them (docs/verification.md, "Format version 2"): without
 * unanswered questions and options without votes, so the size is that of the answers. Holds one question of one filter.
 *
 * @param rows the voters of a filter, and then its answers, if it is shown: first all to question 0
 */
export async function* filterTexts(
  questions: readonly DossierQuestion[],
  rows: AsyncIterable<FilteredAnswers | FilteredVoters>,
): AsyncGenerator<string, void> {
  let voters: FilteredVoters | undefined;
  let last: FilteredAnswers | undefined;
  let sums = new Sums(false);
  let ballots = 0;
  let separator = '';
  let end = '';
  const endQuestion = function* (): Generator<string> {
    if (!last) return;
    if (last.question === 0) ballots = sums.expressed + sums.abstentions;
    if (sums.expressed === 0) return;
    yield separator + canonical(questionOf(questions[last.question]!, sums, ballots));
    separator = ',';
  };
  for await (const row of rows) {
    if (row.question === null) {
      voters = row;
      continue;
    }
    const isNew = !isSame(last, row);
    if (isNew || last?.question !== row.question) {
      yield* endQuestion();
      sums = new Sums(questions[row.question]!.EstPreferentiel);
    }
    if (isNew) {
      yield `${last ? `${end},` : ''}${beginningOf(row)}`;
      separator = '';
      end = endOf(row, isSame(voters, row) ? voters : undefined);
    }
    const { reponse, bulletins, poids } = row;
    sums.add({ answer: reponse, ballots: bulletins, weight: weightOf(poids) });
    last = row;
  }
  yield* endQuestion();
  yield end;
}

type Filter = Pick<FilteredAnswers, 'syndicat' | 'employeur'>;

function isSame(one: Filter | undefined, { syndicat, employeur }: Filter): boolean {
  return one?.syndicat === syndicat && one.employeur === employeur;
}

/** The members of a filter around its questions are canonical JSON too: these begin before `questions`. */
function beginningOf({ employeur }: Filter): string {
  return `{"employeurIdentifiantExterne":${JSON.stringify(employeur)},"questions":[`;
}

function endOf({ syndicat }: Filter, voters: FilteredVoters | undefined): string {
  const { inscrits = 0, avecDroit = 0, ayantVote = 0 } = voters ?? {};
  const figures = canonical({
    syndicatIdExterne: syndicat,
    totalVotants: inscrits,
    totalVotantsAvecDroitDeVote: avecDroit,
    votantsAyantVote: ayantVote,
    tauxParticipation: percentText(BigInt(ayantVote), BigInt(avecDroit)),
  });
  return `],${figures.slice(1)}`;
}

function questionOf({ QuestionId, options }: DossierQuestion, sums: Sums, ballots: number): object {
  return {
    QuestionId,
    Exprimes: sums.expressed,
    Abstentions: ballots - sums.expressed,
    Options: [...sums.chosen()].map(([place, { votes, weight }]) => ({
      OptionId: options[place],
      Votes: votes,
      PoidsTotal: weightText(weight),
      Pourcentage: percentText(weight, sums.expressedWeight),
    })),
  };
}

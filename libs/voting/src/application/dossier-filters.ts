import { tallyFirstChoices } from '../domain/tally/tally';
import { percentText, weightOf, weightText } from '../domain/tally/weight';
import type {
  DossierParticipation,
  DossierQuestion,
  FilteredAnswers,
} from '../persistence/dossier-sources.query';

/** The figures of published filters, as the bundle has them. Titles and labels are those of the whole. */
export class DossierFilters {
  private readonly voters = new Map<string, Voters>();

  constructor(
    private readonly questions: readonly DossierQuestion[],
    participation: readonly DossierParticipation[],
  ) {
    for (const one of participation) {
      const { syndicat, employeur } = one;
      const filters = new Set([keyOf(syndicat, null), keyOf(null, employeur), keyOf(syndicat, employeur)]);
      for (const filter of filters) this.add(filter, one);
    }
  }

  private add(filter: string, { inscrits, avecDroit, ayantVote }: DossierParticipation): void {
    const sum = this.voters.get(filter) ?? { inscrits: 0, avecDroit: 0, ayantVote: 0 };
    sum.inscrits += inscrits;
    sum.avecDroit += avecDroit;
    sum.ayantVote += ayantVote;
    this.voters.set(filter, sum);
  }

  /** @param rows those of a filter follow each other */
  async *figures(rows: AsyncIterable<FilteredAnswers>): AsyncGenerator<object> {
    let own: FilteredAnswers[] = [];
    for await (const row of rows) {
      const [first] = own;
      if (first && (first.syndicat !== row.syndicat || first.employeur !== row.employeur)) {
        yield this.figuresOf(first, own);
        own = [];
      }
      own.push(row);
    }
    if (own[0]) yield this.figuresOf(own[0], own);
  }

  private figuresOf({ syndicat, employeur }: FilteredAnswers, rows: readonly FilteredAnswers[]): object {
    const voters = this.voters.get(keyOf(syndicat, employeur)) ?? { inscrits: 0, avecDroit: 0, ayantVote: 0 };
    const answers = Map.groupBy(rows, ({ question }) => question);
    return {
      syndicatIdExterne: syndicat,
      employeurIdentifiantExterne: employeur,
      totalVotants: voters.inscrits,
      totalVotantsAvecDroitDeVote: voters.avecDroit,
      votantsAyantVote: voters.ayantVote,
      tauxParticipation: percentText(BigInt(voters.ayantVote), BigInt(voters.avecDroit)),
      questions: this.questions.map((question, place) => questionOf(question, answers.get(place) ?? [])),
    };
  }
}

interface Voters {
  inscrits: number;
  avecDroit: number;
  ayantVote: number;
}

function questionOf(
  { QuestionId, EstPreferentiel, NombreElus, Options }: DossierQuestion,
  answers: readonly FilteredAnswers[],
): object {
  const counted = {
    id: QuestionId,
    options: Options.map(({ OptionId }) => OptionId),
    isRanked: EstPreferentiel,
    seats: NombreElus ?? undefined,
  };
  const result = tallyFirstChoices(
    counted,
    answers.map(({ reponse, bulletins, poids }) => ({
      answer: reponse,
      ballots: bulletins,
      weight: weightOf(poids),
    })),
  );
  return {
    QuestionId,
    Exprimes: result.expressed,
    Abstentions: result.abstentions,
    Options: result.options.map(({ votes, weight }, place) => ({
      OptionId: counted.options[place],
      Votes: votes,
      PoidsTotal: weightText(weight),
      Pourcentage: percentText(weight, result.expressedWeight),
    })),
  };
}

function keyOf(syndicat: string | null, employeur: string | null): string {
  return JSON.stringify([syndicat, employeur]);
}

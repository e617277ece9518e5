import { times } from '../../membership/synced';
import { seeded } from '../../setup/seeded';
import { SEED } from '../../setup/depth';
import { countRanked, type Round } from '../../../libs/voting/src/count/domain/tally/ranked-count';
import { UNITS } from '../../../libs/voting/src/count/domain/tally/weight';
import type { Answer } from '../../setup/test-app';
import type { Item } from './structure';
import type { Votes } from './votes';

/** The shape of a question of a large campaign. */
export interface Shape {
  readonly options: number;
  readonly isRanked: boolean;
  /** Number of seats of an Election. */
  readonly seats?: number;
}

/** A ballot: for each question the places of its choices, the most wanted first. */
type Ballot = readonly (readonly number[])[];

/** A campaign at the limits, with voters who have voted. */
export class LargeVote {
  readonly ballots: Ballot[] = [];

  private constructor(
    private readonly votes: Votes,
    readonly id: string,
    readonly shapes: readonly Shape[],
    private readonly voters: readonly string[],
    private readonly questions: readonly Item[],
  ) {}

  get space(): Votes['campaigns'] {
    return this.votes.campaigns;
  }

  /** A draft with its questions and voters. */
  static async draft(votes: Votes, shapes: readonly Shape[], voters: number): Promise<LargeVote> {
    const { campaigns } = votes;
    const id = await campaigns.draft();
    for (const { options, isRanked, seats } of shapes) {
      await campaigns.question(id, {
        ...(seats === undefined ? { Type: 'ChoixLibre' } : { Type: 'Election', NombreElus: seats }),
        ...{ EstPreferentiel: isRanked, MaxReponses: options },
        Options: times(options, (place) => ({ Libelle: `Option ${place}` })),
      });
    }
    const ids: string[] = [];
    for (let voter = 0; voter < voters; voter++) ids.push(await campaigns.votant(id));
    const questions = (await campaigns.sent('GET', `/${id}/questions`)).json as Item[];
    return new LargeVote(votes, id, shapes, ids, questions);
  }

  /** Publishes and opens the campaign by statements, as if there were no bound of the size of results. */
  async publishUnbounded(): Promise<void> {
    await this.votes.campaigns.rows(
      `UPDATE campagne SET publiee = true, publications = publications + 1, ouverture_du_vote_utc = clock_timestamp()
       WHERE tenant_id = $1 AND id_unique = $2`,
      this.id,
    );
    await this.votes.campaigns.copyStructure(this.id);
  }

  /** Has all voters vote: some choices of each question, or as many as a request holds. */
  async vote(most = 500): Promise<void> {
    const random = seeded(SEED + this.shapes.length);
    for (const VotantId of this.voters) {
      const ballot = this.shapes.map(({ options, isRanked }) => {
        const places = times(options, (place) => place).sort(() => random() - 0.5);
        const chosen = places.slice(0, Math.floor(random() * (Math.min(most, options) + 1)));
        return isRanked ? chosen : chosen.sort((one, other) => one - other);
      });
      const Reponses = ballot.map((places, index) => {
        const { Id, Options } = this.questions[index]!;
        if (places.length === 0) return { QuestionId: Id, Abstention: true };
        return { QuestionId: Id, Options: places.map((place) => Options[place]!.Id) };
      });
      const { status, text } = await this.votes.cast(this.id, { VotantId, Reponses });
      if (status !== 201) throw new Error(text);
      this.ballots.push(ballot);
    }
  }

  /** The questions as the statistics must show them, from the ballots alone. */
  expected(graine: string): object[] {
    return this.shapes.map((shape, index) => {
      const { Id, Options } = this.questions[index]!;
      const answers = this.ballots.map((ballot) => ballot[index]!).filter((places) => places.length > 0);
      const votes = Options.map(() => 0);
      for (const places of answers)
        for (const place of shape.isRanked ? places.slice(0, 1) : places) votes[place]!++;
      return {
        ...{ QuestionId: Id, Exprimes: answers.length, Abstentions: this.ballots.length - answers.length },
        Votes: votes,
        ...(shape.isRanked ? { Tours: this.rounds(shape, index, graine).map(tour) } : {}),
      };
    });
  }

  private rounds({ seats = 1 }: Shape, index: number, seed: string): Round[] {
    const { Id, Options } = this.questions[index]!;
    const options = Options.map((option) => option.Id);
    const ballots = this.ballots.map((ballot) => ({
      ...{ ranking: ballot[index]!.map((place) => options[place]!), weight: UNITS, unit: UNITS },
    }));
    return countRanked({ id: Id, options, seats, seed }, ballots);
  }
}

const tour = ({ number, threshold, counts, elected, eliminated, exhausted, transfer }: Round): object => ({
  ...{
    Tour: number,
    Seuil: Number(threshold),
    Elus: elected,
    Elimines: eliminated,
    Epuises: Number(exhausted),
  },
  Decompte: counts.map(({ option, weight }) => ({ OptionId: option, Poids: Number(weight) })),
  Vers: (transfer?.to ?? []).map(({ option, weight }) => ({ OptionId: option, Poids: Number(weight) })),
});

/** Returns the part of the statistics' questions that `expected` has as well. */
export function told(questions: Answer['json']): object[] {
  return questions.map(({ QuestionId, Exprimes, Abstentions, Options, Tours }: Answer['json']) => ({
    ...{ QuestionId, Exprimes, Abstentions, Votes: Options.map(({ Votes }: Answer['json']) => Votes) },
    ...(Tours
      ? {
          Tours: Tours.map(
            ({ Tour, Seuil, Elus, Elimines, Epuises, Decompte, Transferts }: Answer['json']) => ({
              ...{ Tour, Seuil, Elus, Elimines, Epuises, Decompte, Vers: Transferts[0]?.Vers ?? [] },
            }),
          ),
        }
      : {}),
  }));
}

import { Hasard } from './hasard';

/** A question, as far as choices depend on it. */
export interface Scrutin {
  /** Number of options. */
  readonly options: number;
  readonly minReponses: number;
  readonly maxReponses: number;
}

const ABSTENTIONS = 0.05;

/** Returns the options that a voter chooses for each question, by their places; none is an abstention. */
export function choixOf(graine: string, votant: string, questions: readonly Scrutin[]): number[][] {
  const hasard = new Hasard(graine, `bulletin ${votant}`);
  return questions.map(({ options, minReponses, maxReponses }) => {
    if (hasard.chance(ABSTENTIONS)) return [];
    const least = Math.max(1, minReponses);
    const most = Math.min(maxReponses, options);
    const count = least + hasard.below(most - least + 1);
    // The first options win, because a tie would be unlike most votes.
    return count === 1
      ? [Math.min(hasard.below(options), hasard.below(options))]
      : hasard.some(count, options);
  });
}

/** The effects of a round, as far as it moves ballots. Options by their places in the question. */
export interface Moves {
  /** Options that are out of the count after the round: elected or eliminated in it. */
  readonly gone: readonly number[];
  /** The option whose ballots went on after the round. */
  readonly from: number | undefined;
}

/**
 * Cuts rankings to the options at which a ballot rested during the count (docs/verification.md): its first choice, and each
 * that got it by a transfer. The count of the cut rankings has the same rounds.
 */
export class Rests {
  /** The round in which each option was elected or eliminated. */
  private readonly goneIn = new Map<number, number>();
  /** The round after which the ballots of each option went on. */
  private readonly leftIn = new Map<number, number>();

  constructor(rounds: readonly Moves[]) {
    rounds.forEach(({ gone, from }, round) => {
      for (const option of gone) this.goneIn.set(option, round);
      if (from !== undefined) this.leftIn.set(from, round);
    });
  }

  /** @param ranking options, the most wanted first, not empty */
  of(ranking: readonly number[]): number[] {
    const rests: number[] = [ranking[0]!];
    let left = this.leftIn.get(ranking[0]!);
    for (const option of ranking.slice(1)) {
      if (left === undefined) break;
      if ((this.goneIn.get(option) ?? Infinity) <= left) continue;
      rests.push(option);
      left = this.leftIn.get(option);
    }
    return rests;
  }
}

import type { Answers } from '../domain/tally/tally';
import { UNITS, weightOf } from '../domain/tally/weight';

/** Reads answers as the ballot box lists them: lines of ballots, their weight, decimals of the finest weight, and answer. */
export function* answersIn(lists: Iterable<string>): Generator<Answers> {
  // Most lines have the weight of the line before: they share one bigint.
  let text = '0';
  let weight = weightOf(text);
  for (const list of lists) {
    for (let at = 0; at < list.length;) {
      const afterBallots = list.indexOf(' ', at);
      const afterWeight = list.indexOf(' ', afterBallots + 1);
      const afterDecimals = list.indexOf(' ', afterWeight + 1);
      const newline = list.indexOf('\n', afterDecimals);
      const end = newline < 0 ? list.length : newline;
      const own = list.slice(afterBallots + 1, afterWeight);
      if (own !== text) [text, weight] = [own, weightOf(own)];
      yield {
        answer: list.slice(afterDecimals + 1, end),
        ballots: Number(list.slice(at, afterBallots)),
        weight,
        unit: UNITS / 10n ** BigInt(list.slice(afterWeight + 1, afterDecimals)),
      };
      at = end + 1;
    }
  }
}

import canonicalize from 'canonicalize';
import { EventLoopYielder } from '#platform/ops/event-loop-yielder';
import { type Moves, Rests } from '../domain/tally/rested';
import { weightOf, weightText } from '../domain/tally/weight';

/**
 * Makes the lines of the answers to a question, sorted by bytes (docs/verification.md, "questions/NN.ndjson"). A line begins
 * with its number of ballots and its class, so the lines of one class are sorted at a time and kept by their ballots.
 */
export class DossierAnswers {
  /** Decimals of the finest weight of a ballot that names an option. */
  decimals = 0;
  private readonly byBallots = new Map<string, Buffer[]>();
  private readonly sums = new Map<string, { ballots: number; weight: bigint }>();
  private classe = '';
  private readonly rests: Rests | undefined;
  private readonly yielder = new EventLoopYielder();

  /** @param rounds of a ranked question, whose rankings are cut */
  constructor(rounds: readonly Moves[] | undefined) {
    this.rests = rounds && new Rests(rounds);
  }

  /**
   * @param lines class, ballots, weight, decimals and answer, sorted by the text of the class
   * @throws Error if they are not
   */
  async add(lines: string): Promise<void> {
    for (const line of lines.split('\n')) {
      const [classe = '', ballots, weight = '', decimals, answer = ''] = line.split(' ');
      if (classe !== this.classe) this.endClass(classe);
      const places = answer === '' ? [] : answer.split(',').map(Number);
      if (places.length > 0) this.decimals = Math.max(this.decimals, Number(decimals));
      const shown = (this.rests && places.length > 0 ? this.rests.of(places) : places).join();
      const sum = this.sums.get(shown) ?? { ballots: 0, weight: 0n };
      sum.ballots += Number(ballots);
      sum.weight += weightOf(weight);
      this.sums.set(shown, sum);
      if (this.yielder.isDue) await this.yielder.yield();
    }
  }

  /** The file, in parts. Call it once, after all lines are added. */
  *parts(): Generator<Buffer, void> {
    this.endClass('');
    for (const ballots of [...this.byBallots.keys()].sort()) yield* this.byBallots.get(ballots)!;
  }

  private endClass(next: string): void {
    if (next !== '' && next < this.classe) throw new Error('The answers must be sorted by class.');
    const told = [...this.sums].map(([answer, { ballots, weight }]) => ({
      ballots: String(ballots),
      line: `{"bulletins":${ballots},"classe":${this.classe},"poids":"${weightText(weight)}","reponse":[${answer}]}\n`,
    }));
    // Each line has ASCII only.
    for (const [ballots, own] of Map.groupBy(told, (one) => one.ballots)) {
      const part = Buffer.from(
        own
          .map(({ line }) => line)
          .sort()
          .join(''),
      );
      const parts = this.byBallots.get(ballots);
      if (parts) parts.push(part);
      else this.byBallots.set(ballots, [part]);
    }
    this.sums.clear();
    this.classe = next;
  }
}

/** Canonical JSON (RFC 8785). */
export function canonical(value: object): string {
  return canonicalize(value)!;
}

import canonicalize from 'canonicalize';
import { EventLoopYielder } from '#platform/ops/event-loop-yielder';
import { type Moves, Rests } from '../../count/domain/tally/rested';
import { weightOf, weightText } from '../../count/domain/tally/weight';

/**
 * Makes the lines of the answers to a question, sorted by bytes (docs/verification.md, "questions/NN.ndjson"). Lines begin
 * with ballots and class. So this sorts the lines of one class at a time, and groups them by their number of ballots.
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
      if (classe !== this.classe) await this.endClass(classe);
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
  async *parts(): AsyncGenerator<Buffer, void> {
    await this.endClass('');
    for (const ballots of [...this.byBallots.keys()].sort()) yield* this.byBallots.get(ballots)!;
  }

  private async endClass(next: string): Promise<void> {
    if (next !== '' && next < this.classe) throw new Error('The answers must be sorted by class.');
    const lines: string[] = [];
    for (const [answer, { ballots, weight }] of this.sums) {
      lines.push(
        `${BALLOTS}${ballots},"classe":${this.classe},"poids":"${weightText(weight)}","reponse":[${answer}]}\n`,
      );
      if (this.yielder.isDue) await this.yielder.yield();
    }
    this.sums.clear();
    this.classe = next;
    // Lines have ASCII only, so this is the order of their bytes.
    lines.sort();
    for (let at = 0; at < lines.length;) {
      const ballots = ballotsOf(lines[at]!);
      let end = at + 1;
      while (end < lines.length && end < at + PART_LINES && ballotsOf(lines[end]!) === ballots) end++;
      const part = Buffer.from(lines.slice(at, end).join(''));
      const parts = this.byBallots.get(ballots);
      if (parts) parts.push(part);
      else this.byBallots.set(ballots, [part]);
      at = end;
      if (this.yielder.isDue) await this.yielder.yield();
    }
  }
}

/** Lines that are kept as one piece of bytes. */
const PART_LINES = 1_000;

/** The beginning of each line. */
const BALLOTS = '{"bulletins":';

function ballotsOf(line: string): string {
  return line.slice(BALLOTS.length, line.indexOf(','));
}

/** Canonical JSON (RFC 8785). */
export function canonical(value: object): string {
  return canonicalize(value)!;
}

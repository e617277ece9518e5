import canonicalize from 'canonicalize';
import { EventLoopYielder } from '#platform/ops/event-loop-yielder';
import { type Moves, Rests } from '../domain/tally/rested';
import { weightOf, weightText } from '../domain/tally/weight';

/** Answers to a question by class, as the bundle lists them (docs/verification.md, "questions/NN.ndjson"). */
export class DossierAnswers {
  /** Decimals of the finest weight of a ballot that names an option. */
  decimals = 0;
  private readonly sums = new Map<string, { ballots: number; weight: bigint }>();
  private readonly rests: Rests | undefined;
  private readonly yielder = new EventLoopYielder();

  /** @param rounds of a ranked question, whose rankings are cut */
  constructor(rounds: readonly Moves[] | undefined) {
    this.rests = rounds && new Rests(rounds);
  }

  /** @param lines class, ballots, weight, decimals and answer */
  async add(lines: string): Promise<void> {
    for (const line of lines.split('\n')) {
      const [classe = '', ballots, weight = '', decimals, answer = ''] = line.split(' ');
      const places = answer === '' ? [] : answer.split(',').map(Number);
      if (places.length > 0) this.decimals = Math.max(this.decimals, Number(decimals));
      const shown = this.rests && places.length > 0 ? this.rests.of(places) : places;
      const key = `${classe} ${shown.join(',')}`;
      const sum = this.sums.get(key) ?? { ballots: 0, weight: 0n };
      sum.ballots += Number(ballots);
      sum.weight += weightOf(weight);
      this.sums.set(key, sum);
      if (this.yielder.isDue) await this.yielder.yield();
    }
  }

  /** The lines of the file, sorted by bytes. Each has ASCII only. */
  lines(): string[] {
    const lines = [...this.sums].map(([key, { ballots, weight }]) => {
      const [classe, places] = key.split(' ');
      return `{"bulletins":${ballots},"classe":${classe},"poids":"${weightText(weight)}","reponse":[${places}]}\n`;
    });
    return lines.sort();
  }
}

/** Canonical JSON (RFC 8785). */
export function canonical(value: object): string {
  return canonicalize(value)!;
}

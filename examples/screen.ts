import type { EffetsItem } from '@mandat/client';
import { SingleBar } from 'cli-progress';
import { must } from './checks';

let chapter = 0;
let bar: SingleBar | undefined;

/** Prints the title of the next part. */
export function title(text: string, request?: string): void {
  console.log(`\n${++chapter}. ${text}${request ? `   ${request}` : ''}`);
}

export function say(text: string): void {
  // A running bar is erased, and drawn again below the text.
  if (bar?.isActive) process.stdout.write('\r\x1b[2K');
  console.log(`   ${text}`);
}

/** A bar on a terminal; elsewhere a line at each share of the total. */
export class Progress {
  private done = 0;
  private said = 0;

  constructor(
    private readonly total: number,
    private readonly shown: boolean,
    private readonly share = 1 / 2,
    private readonly unit = 'records',
  ) {
    if (!shown || !process.stdout.isTTY) return;
    bar = new SingleBar({
      format: `   {bar} {value} of {total} ${unit}`,
      stream: process.stdout,
      barCompleteChar: '█',
      barIncompleteChar: '░',
      formatValue: (value, _options, type) =>
        type === 'value' || type === 'total' ? count(value) : `${value}`,
      hideCursor: true,
    });
    bar.start(total, 0);
  }

  advance(by: number): void {
    this.reach(this.done + by);
  }

  reach(done: number): void {
    this.done = done;
    bar?.update(done);
    if (!this.shown || bar || done === this.said) return;
    if (done - this.said < this.total * this.share && done < this.total) return;
    this.said = done;
    say(`${count(done)} of ${count(this.total)} ${this.unit}`);
  }

  end(): void {
    bar?.stop();
    bar = undefined;
  }
}

export function count(value: number): string {
  return Math.round(value).toLocaleString('en-CA');
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 2 : 1)} s`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1).replace(/\.0$/, '')} MB`;
}

export function short(text: string, length = 100): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

export function outcome(created: number, updated: number, refused: number): string {
  return `created ${count(created)}, updated ${count(updated)}, refused ${count(refused)}`;
}

/** The effects of a sync. */
export function effects(effets: EffetsItem | undefined): string {
  must(effets, 'a sync said no effects');
  const { crees, modifies, inchanges, termines, champsVides, refuses } = effets;
  return (
    `created ${count(crees)}, changed ${count(modifies)}, unchanged ${count(inchanges)}, ended ${count(termines)}, ` +
    `values cleared ${count(champsVides)}, refused ${count(refuses)}`
  );
}

/** Returns rejections by message, the most frequent first. */
export function byMessage<T>(refusals: readonly T[], messageOf: (refusal: T) => string): [string, T[]][] {
  return [...Map.groupBy(refusals, messageOf)].sort(([, one], [, other]) => other.length - one.length);
}

import { type Figures, interval, median, ratio, ratios } from './rounds';

/** A line of the table. */
export interface Row {
  readonly work: string;
  readonly contestant: string;
  readonly figure: string;
  readonly ratio?: string;
  readonly goal?: string;
  readonly met?: boolean | 'unclear';
}

/** The goal for the product's figure, relative to that of the contestant. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number };

/** `1.84 (1.70 to 1.92)`: the median and the range of the rounds. */
function spread(values: readonly number[], show: (value: number) => string): string {
  return `${show(median(values))} (${show(Math.min(...values))} to ${show(Math.max(...values))})`;
}

/** The product's line, then one for each other contestant with the ratio to it. */
export function compared(
  work: string,
  [product, ...others]: readonly Figures[],
  goals: Readonly<Record<string, Goal | undefined>>,
  show: (value: number) => string,
): Row[] {
  return [
    { work, contestant: product!.name, figure: spread(product!.values, show) },
    ...others.map((other) => {
      const found = ratio(product!, other);
      const goal = goals[other.name];
      return {
        work,
        contestant: other.name,
        figure: spread(other.values, show),
        ratio: found.toFixed(2),
        ...(goal ? verdict(goal, found, String) : {}),
      };
    }),
  ];
}

/** Returns a line for each size, the smallest first, with the ratio to the smallest. */
export function grown(
  work: string,
  [smallest, ...larger]: readonly Figures[],
  show: (value: number) => string,
  goal?: Goal,
): Row[] {
  return [
    { work, contestant: smallest!.name, figure: spread(smallest!.values, show) },
    ...larger.map((one) => {
      const found = ratio(one, smallest!);
      return {
        work,
        contestant: one.name,
        figure: spread(one.values, show),
        ratio: found.toFixed(2),
        ...(goal ? verdict(goal, found, String) : {}),
      };
    }),
  ];
}

/** Returns a line without a contestant, for a figure with or without its own goal. */
export function alone(
  work: string,
  contestant: string,
  value: number,
  show: (value: number) => string,
  goal?: Goal,
): Row {
  return { work, contestant, figure: show(value), ...(goal ? verdict(goal, value, show) : {}) };
}

/** Goals of `--against`: at most 5 % more time for a work, or at least 95 % of the speed. */
const NOT_SLOWER = { time: { atMost: 1.05 }, speed: { atLeast: 0.95 } };

/**
 * Returns the lines of one work of two builds. The goal is met if the whole confidence interval of the ratio meets it,
 * missed if the whole interval misses it, and otherwise unclear, because single rounds vary by more than 5 %.
 */
export function judged(
  work: string,
  [ours, theirs]: readonly Figures[],
  show: (value: number) => string,
): Row[] {
  if (!ours || !theirs) throw new TypeError('Two builds are compared.');
  const goal = show === milliseconds ? NOT_SLOWER.time : NOT_SLOWER.speed;
  const ends = interval(ratios(ours, theirs));
  const [low, high] = ends.map((end) => verdict(goal, end, String).met);
  return [
    { work, contestant: ours.name, figure: spread(ours.values, show) },
    {
      work,
      contestant: theirs.name,
      figure: spread(theirs.values, show),
      ratio: `${ratio(ours, theirs).toFixed(2)} (${ends.map((end) => end.toFixed(2)).join(' to ')})`,
      goal: verdict(goal, ends[0], String).goal,
      met: low === high ? low! : 'unclear',
    },
  ];
}

function verdict(goal: Goal, found: number, show: (value: number) => string): { goal: string; met: boolean } {
  return 'atLeast' in goal
    ? { goal: `≥ ${show(goal.atLeast)}`, met: found >= goal.atLeast }
    : { goal: `≤ ${show(goal.atMost)}`, met: found <= goal.atMost };
}

/** The rows as a table in Markdown. */
export function markdown(rows: readonly Row[]): string {
  const cells = rows.map((row, index) => [
    row.work === rows[index - 1]?.work ? '' : row.work,
    row.contestant,
    row.figure,
    row.ratio ?? '',
    row.goal ?? '',
    row.met === undefined ? '' : row.met === 'unclear' ? row.met : row.met ? 'yes' : '**no**',
  ]);
  const lines = [
    ['work', 'contestant', 'median (range)', 'ratio', 'goal', 'met?'],
    ['---', '---', '---', '---', '---', '---'],
    ...cells,
  ];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

export function perSecond(value: number): string {
  return value < 100 ? value.toFixed(1) : String(Math.round(value));
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

import { appendFileSync, readFileSync } from 'node:fs';

/** One line of the table in docs/reliability.md; what is left out is told by another call of the same fault. */
export interface Trial {
  /** How often the fault was made, and of what kind. */
  readonly trials?: string;
  /** What was looked at, with its count. */
  readonly checked?: string;
  /** How much of it was lost or wrong. */
  readonly losses?: number;
  /** Times and other figures. */
  readonly figures?: string;
  /** What the same check says of a system that is broken on purpose. */
  readonly control?: string;
}

/** Names the file that rows are collected in, over the processes of a run. */
const FILE = 'RELIABILITY_REPORT';

/** Begins a table; to be called once, before the tests. */
export function beginReport(file: string): void {
  process.env[FILE] = file;
}

/** Tells of a fault: in the table at the end, and at once to who watches. */
export function report(fault: string, trial: Trial): void {
  const line = JSON.stringify({ fault, ...trial });
  process.stderr.write(`${line}\n`);
  const file = process.env[FILE];
  if (file) appendFileSync(file, `${line}\n`);
}

/** The table of all that was told of, in Markdown; undefined where nothing was. */
export function reportTable(file: string): string | undefined {
  const rows = new Map<string, Trial>();
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { fault, ...trial } = JSON.parse(line) as Trial & { fault: string };
    rows.set(fault, { ...rows.get(fault), ...trial });
  }
  if (rows.size === 0) return undefined;
  const cells = [...rows].map(([fault, { trials, checked, losses, figures, control }]) => [
    fault,
    trials ?? '',
    checked ?? '',
    losses === undefined ? '' : String(losses),
    figures ?? '',
    control ?? '',
  ]);
  const head = ['fault', 'trials', 'looked at', 'lost or wrong', 'figures', 'negative control'];
  const lines = [head, head.map(() => '---'), ...cells];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

import { appendFileSync, readFileSync } from 'node:fs';

/** A row of the table in docs/reliability.md. Several calls with the same fault fill one row. */
export interface Trial {
  /** The number and kind of the faults. */
  readonly trials?: string;
  /** The checked data, with its count. */
  readonly checked?: string;
  /** The number of lost or wrong items. */
  readonly losses?: number;
  /** Times and other figures. */
  readonly figures?: string;
  /** The result of the same check on a system that is broken deliberately. */
  readonly control?: string;
}

/** The variable with the file of the rows, common to all processes of a run. */
const FILE = 'RELIABILITY_REPORT';

/** Begins a table. Call it once, before the tests. */
export function beginReport(file: string): void {
  process.env[FILE] = file;
}

/** Reports a fault: in the table at the end, and at once on standard error. */
export function report(fault: string, trial: Trial): void {
  const line = JSON.stringify({ fault, ...trial });
  process.stderr.write(`${line}\n`);
  const file = process.env[FILE];
  if (file) appendFileSync(file, `${line}\n`);
}

/** Returns the table of all reports, in Markdown; undefined without reports. */
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
  const head = ['fault', 'trials', 'checked', 'lost or wrong', 'figures', 'negative control'];
  const lines = [head, head.map(() => '---'), ...cells];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

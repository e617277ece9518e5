import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROMTOOL = process.env.PROMTOOL ?? 'promtool';

export const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0;

/** A line of a scrape. */
export interface Sample {
  readonly name: string;
  /** The labels in braces; empty if there are none. */
  readonly labels: string;
  readonly value: string;
}

/** Reads Prometheus text. @param labels that Prometheus adds, such as `job="mandat"` */
export function samplesOf(text: string, labels: string): Sample[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, own = '', value]) => ({
    name: name!,
    labels: `{${[labels, own].filter(Boolean).join()}}`,
    value: value!,
  }));
}

/** The values of a series in 2 hours, one a minute: a counter grows by its measured value each minute, others keep it. */
const history = ({ name, value }: Sample): string =>
  /_(total|bucket|count|sum)$/.test(name) ? `0+${value}x120` : `${value}+0x120`;

/** Returns what promtool says about a file of rules; empty if it has no fault. */
export function faultsOfRules(rules: object): string {
  return withFiles({ rules }, (files) => run('check', 'rules', files.rules!));
}

/**
 * Evaluates expressions beside rules, every 5 minutes of 2 hours of measurements, and compares the last values.
 *
 * @param change returns other values of a sample, in the notation of promtool; undefined for its own
 * @param expected values by labels, by expression
 * @returns the differences; empty if there are none
 */
export function differences(
  rules: object,
  samples: readonly Sample[],
  expected: Readonly<Record<string, Readonly<Record<string, number>>>>,
  change: (sample: Sample) => string | undefined = () => undefined,
): string {
  const tests = {
    rule_files: ['rules.json'],
    evaluation_interval: '5m',
    tests: [
      {
        interval: '1m',
        input_series: samples.map((one) => ({
          series: one.name + one.labels,
          values: change(one) ?? history(one),
        })),
        promql_expr_test: Object.entries(expected).map(([expr, values]) => ({
          ...{ expr, eval_time: '2h' },
          exp_samples: Object.entries(values).map(([labels, value]) => ({ labels, value })),
        })),
      },
    ],
  };
  return withFiles({ rules, tests }, (files) => run('test', 'rules', files.tests!));
}

function run(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

/** JSON is YAML, too. */
function withFiles(contents: Record<string, object>, use: (files: Record<string, string>) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandat-rules-'));
  try {
    const files = Object.entries(contents).map(([name, content]) => {
      const file = join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(content));
      return [name, file] as const;
    });
    return use(Object.fromEntries(files));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

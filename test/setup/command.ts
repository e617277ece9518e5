import { format } from 'node:util';
import { main } from '../../apps/cli/src/main';
import { reasonOf } from '../../libs/platform/src/ops/run-process';
import { cellVariables } from './two-cells';

/** A command that has ended. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a command of `npm run cli` in this process. A process of its own loads the whole service again, which takes over a
 * second of processor time: use `Child` for a command that is killed, or that runs beside another one.
 */
export async function command(env: Record<string, string>, ...args: readonly string[]): Promise<Ended> {
  const written = { log: '', error: '' };
  const spies = (['log', 'error'] as const).map((name) =>
    jest
      .spyOn(console, name)
      .mockImplementation((...line: unknown[]) => void (written[name] += `${format(...line)}\n`)),
  );
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await main(args, { ...cellVariables(env), ...env });
    return { code: process.exitCode, output: written.log, errors: written.error };
  } catch (error) {
    return { code: 1, output: written.log, errors: `${written.error}${reasonOf(error)}\n` };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}

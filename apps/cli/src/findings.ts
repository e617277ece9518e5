import { ConfigError } from '#platform/ops/config-error';
import { reasonOf } from '#platform/ops/run-process';

/** Result of a check. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'fault' | 'skipped';
  readonly found: string;
  /** Present only if there is a fault. */
  readonly todo?: string;
}

/** A fault that has a remedy. */
export class Fault extends ConfigError {
  constructor(
    found: string,
    readonly todo: string,
  ) {
    super(found);
  }
}

/** A check that cannot be made. */
export class Skipped extends Error {}

function todoFor(error: unknown): string {
  if (error instanceof Fault) return error.todo;
  if (error instanceof ConfigError) return 'Correct the variable (README, "Environment variables").';
  return 'No check expects this: look into the log of the database.';
}

/** The checks of a command. */
export class Findings {
  private readonly all: Finding[] = [];

  /** Returns whether the check found no fault. */
  async check(check: string, work: () => Promise<string> | string): Promise<boolean> {
    try {
      this.all.push({ check, state: 'ok', found: await work() });
      return true;
    } catch (error) {
      if (error instanceof Skipped) this.all.push({ check, state: 'skipped', found: error.message });
      else {
        const found = reasonOf(error).split('\n')[0]!;
        this.all.push({ check, state: 'fault', found, todo: todoFor(error) });
      }
      return false;
    }
  }

  /** Prints a line for each check, or one object. A fault sets exit code 1. */
  print(json: boolean): void {
    const isFine = this.all.every(({ state }) => state !== 'fault');
    if (json) console.log(JSON.stringify({ ok: isFine, checks: this.all }));
    else
      for (const { check, state, found, todo } of this.all)
        console.log(`${state.padEnd(7)} ${check}: ${found}${todo ? ` → ${todo}` : ''}`);
    if (!isFine) process.exitCode = 1;
  }
}

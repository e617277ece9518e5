/** True in `npm run test:whole`: full sizes and random seeds. */
export const IS_WHOLE = process.env.TEST_DEPTH === 'whole';

/** Returns a number of sequences, records, races or trials: `some` by default, `all` in `npm run test:whole`. */
export function depth(some: number, all: number): number {
  return IS_WHOLE ? all : some;
}

/**
 * The seed of every random choice in tests. The default run has a fixed one, because it must be repeatable.
 * `npm run test:whole` draws one and prints it. `TEST_SEED=…` repeats a run.
 */
export const SEED = Number(process.env.TEST_SEED ?? 20_261_123);

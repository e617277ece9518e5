import type { Row } from './report';
import type { World } from './world';

/** The number and length of measurements. */
export interface Effort {
  readonly rounds: number;
  /** Approximate duration of one contestant's turn at reading. */
  readonly seconds: number;
}

/** A measurement, selected by its name on the command line. */
export interface Work {
  readonly name: string;
  /** Whether `--against` can compare it: it measures `PRODUCT` with `world.inTurns`. */
  readonly isCompared?: true;
  measure(world: World, effort: Effort): Promise<Row[]>;
}

/** The name of the product in the table. */
export const PRODUCT = 'Mandat';

import type { Row } from './report';
import type { World } from './world';

/** How much is measured. */
export interface Effort {
  readonly rounds: number;
  /** How long one contestant's turn at reading lasts, about. */
  readonly seconds: number;
}

/** Something that is measured, chosen by its name on the command line. */
export interface Work {
  readonly name: string;
  measure(world: World, effort: Effort): Promise<Row[]>;
}

/** The name of the product in the table. */
export const PRODUCT = 'Mandat';

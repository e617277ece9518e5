import { FileFailure, type FileFault, MOST_FAULTS } from '../failure.js';

/** The faults of input files: the first ones, and the number of all. */
export class Faults {
  readonly list: FileFault[] = [];
  count = 0;

  add(fault: FileFault): void {
    this.count += 1;
    if (this.list.length < MOST_FAULTS) this.list.push(fault);
  }

  /** @throws FileFailure */
  assertNone(): void {
    if (this.count > 0) throw new FileFailure(this.list, this.count);
  }
}

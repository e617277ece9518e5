/** Maximum faults reported for one trail; further ones are counted. */
const MOST_FAULTS = 20;

/** Faults of one trail. */
export class Faults {
  private readonly found: string[] = [];
  private count = 0;

  add(fault: string): void {
    this.count += 1;
    if (this.found.length < MOST_FAULTS) this.found.push(fault);
  }

  addAll(other: Faults): void {
    for (const fault of other.found) this.add(fault);
    this.count += other.count - other.found.length;
  }

  told(): string[] {
    const more = this.count - this.found.length;
    return more > 0 ? [...this.found, `and ${more} more`] : this.found;
  }
}

/** Entries since the last attestation that no key of SECRETS_KEY proves. The next attestation may prove them. */
export class Unproven {
  private faults = new Faults();
  private lacking: { readonly cle: string; readonly from: number; to: number } | undefined;

  addAltered(fault: string): void {
    this.endRun();
    this.faults.add(fault);
  }

  /** @param cle id of a key that SECRETS_KEY lacks */
  addLacking(numero: number, cle: string): void {
    if (this.lacking?.cle === cle) {
      this.lacking.to = numero;
      return;
    }
    this.endRun();
    this.lacking = { cle, from: numero, to: numero };
  }

  clear(): void {
    this.faults = new Faults();
    this.lacking = undefined;
  }

  moveTo(faults: Faults): void {
    this.endRun();
    faults.addAll(this.faults);
    this.clear();
  }

  private endRun(): void {
    if (!this.lacking) return;
    const { cle, from, to } = this.lacking;
    this.faults.add(`entries ${from} to ${to} need the key ${cle}, which SECRETS_KEY lacks`);
    this.lacking = undefined;
  }
}

import { Turns } from './turns';

/** Runs at most `atOnce` calls at a time. Clients whose calls wait alternate, each in the order of its calls. */
export class FairLimit {
  private running = 0;
  private readonly turns = new Turns<() => void>();

  constructor(private readonly atOnce: number) {}

  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    if (this.running < this.atOnce) this.running += 1;
    else await new Promise<void>((begin) => this.turns.push(client, begin));
    try {
      return await work();
    } finally {
      const next = this.turns.next(() => true);
      // It takes over the place.
      if (next) next.item();
      else this.running -= 1;
    }
  }
}

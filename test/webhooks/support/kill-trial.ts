import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Mortal } from '../../http/mortal';
import { until } from './receiver';

/** Cards that are signed after a kill was due and before it happened, at most. */
const AHEAD = 100;

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What is signed, and how often who is killed meanwhile. */
export interface Plan {
  readonly cards: number;
  readonly inFlight: number;
  readonly apiKills: number;
  readonly workerKills: number;
}

/** What callers saw. */
export interface Seen {
  /** Ids of the cards whose signing was answered 201. */
  readonly answered: Set<string>;
  /** Signings that got no answer. */
  unanswered: number;
  /** Other answers: none is expected. */
  readonly others: string[];
}

/** Signs cards as fast as it goes while both processes are killed at random moments. */
export class KillTrial {
  readonly seen: Seen = { answered: new Set(), unanswered: 0, others: [] };
  private sent = 0;
  /** How many cards are sent when a kill that has not happened yet is due. */
  private readonly due = new Set<number>();
  private readonly agent = new Agent();

  constructor(
    private readonly plan: Plan,
    private readonly api: Mortal,
    private readonly worker: Mortal,
    private readonly cle: string,
    private readonly random: () => number,
    private readonly tell: (line: string) => void,
  ) {}

  async run(): Promise<void> {
    const { inFlight, apiKills, workerKills } = this.plan;
    const killed = [this.killAll(this.api, apiKills), this.killAll(this.worker, workerKills)];
    const callers = Array.from({ length: inFlight }, () => this.call());
    await Promise.all([...killed, ...callers]);
    await this.agent.close();
  }

  private async killAll(victim: Mortal, kills: number): Promise<void> {
    const moments = Array.from({ length: kills }, () => Math.ceil(this.random() * this.plan.cards));
    moments.sort((one, other) => one - other);
    const marks = moments.map((moment, index) => moment + index / 1_000 + (victim === this.api ? 0 : 0.5));
    for (const mark of marks) this.due.add(mark);
    for (const mark of marks) {
      await until('the moment of a kill', () => this.sent >= Math.floor(mark), 600_000);
      await victim.url();
      await sleep(this.random() * 200);
      await victim.kill();
      this.due.delete(mark);
    }
  }

  private async call(): Promise<void> {
    while (this.sent < this.plan.cards) {
      const card = ++this.sent;
      if (card % 1_000 === 0) this.tell(`${card} cards, ${this.api.kills} + ${this.worker.kills} kills`);
      await until('the kills keep up', () => Math.min(...this.due, Infinity) > card - AHEAD, 600_000);
      const url = await this.api.url();
      try {
        await this.sign(url, card);
      } catch {
        this.seen.unanswered += 1;
      }
    }
  }

  private async sign(url: string, card: number): Promise<void> {
    const { statusCode, body } = await request(`${url}/plateforme/v1/adhesions`, {
      dispatcher: this.agent,
      method: 'POST',
      headers: { 'x-api-key': this.cle, 'content-type': 'application/json' },
      body: JSON.stringify({
        employeIdExterne: `E-${card % EMPLOYEES}`,
        syndicatIdExterne: 'S-1',
        prenom: 'Zoé',
        nom: 'Tremblay',
        courriel: 'zoe@example.org',
        transactionId: `TX-${card}`,
      }),
    });
    const text = await body.text();
    if (statusCode === 201)
      this.seen.answered.add((JSON.parse(text) as { idUniqueAdhesion: string }).idUniqueAdhesion);
    else this.seen.others.push(`${statusCode} ${text.slice(0, 200)}`);
  }
}

/** Employees of a trial's tenant: `E-0`, `E-1`… */
export const EMPLOYEES = 200;

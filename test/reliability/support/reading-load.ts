import type { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import { times } from '../../membership/synced';
import type { Answer, Fleet, FleetSpace } from './fleet';

const READERS = 2;
const PAUSE_MS = 10;
/** Longest pause between two writes, because a standby serves the reads of a data space only once it has its last write. */
const WRITE_PAUSE_MS = 2_000;
const PATH = '/b2b/v1/employeur';

/** A partner, and the number of its last confirmed write. */
interface Partner {
  readonly space: FleetSpace;
  confirmed: number;
}

/** Partners that read more than they write, each in its own data space and through all APIs in turn. */
export class ReadingLoad {
  reads = 0;
  writes = 0;
  /** Requests that returned 503 while there was no primary. */
  refused = 0;
  /** Other requests that failed. */
  readonly failed: string[] = [];
  /** Reads that showed an older write than was confirmed when they were sent. */
  readonly stale: string[] = [];
  private outages = 0;
  private isAway = false;
  private isOver = false;
  private turn = 0;
  private running: Promise<unknown>[] = [];

  private constructor(
    private readonly fleet: Fleet,
    private readonly partners: readonly Partner[],
  ) {}

  static async open(fleet: Fleet, spaces: number): Promise<ReadingLoad> {
    const partners: Partner[] = [];
    for (let made = 0; made < spaces; made++) partners.push({ space: await fleet.space(), confirmed: 0 });
    const load = new ReadingLoad(fleet, partners);
    for (const partner of partners) await load.write(partner, 'POST', 1);
    return load;
  }

  start(): void {
    this.running = this.partners.flatMap((partner) => [
      this.writeOften(partner),
      ...times(READERS, () => this.readOften(partner)),
    ]);
  }

  /** From now on there is no primary, or there is one again. */
  primaryIs(state: 'away' | 'back'): void {
    this.isAway = state === 'away';
    if (this.isAway) this.outages += 1;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  /** Counts the partners whose last confirmed write is not stored. */
  async lost(database: Client): Promise<number> {
    let lost = 0;
    for (const { space, confirmed } of this.partners) {
      const { rows } = await database.query<{ nom: string }>(
        'SELECT nom FROM employeur JOIN tenant ON tenant.id = tenant_id WHERE client_id = $1',
        [space.clientId],
      );
      if (Number(rows[0]?.nom) < confirmed) lost += 1;
    }
    return lost;
  }

  private async writeOften(partner: Partner): Promise<void> {
    for (let generation = 2; !this.isOver; generation++) {
      await sleep(Math.random() * WRITE_PAUSE_MS);
      await this.write(partner, 'PUT', generation);
    }
  }

  private async write(partner: Partner, method: string, generation: number): Promise<void> {
    const body = { idExterne: 'EMP', nom: String(generation) };
    if (!(await this.attempt(partner, method, PATH, body))) return;
    partner.confirmed = generation;
    this.writes += 1;
  }

  private async readOften(partner: Partner): Promise<void> {
    for (let isList = false; !this.isOver; isList = !isList) {
      const { confirmed } = partner;
      const answer = await this.attempt(partner, 'GET', isList ? PATH : `${PATH}/EMP`);
      await sleep(Math.random() * PAUSE_MS);
      if (!answer) continue;
      this.reads += 1;
      const { nom } = (isList ? answer.json[0] : answer.json) as { nom: string };
      if (Number(nom) < confirmed) this.stale.push(`${nom} after ${confirmed}`);
    }
  }

  /** Sends a request. @returns undefined if it failed */
  private async attempt(
    { space }: Partner,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer | undefined> {
    const { outages, isAway } = this;
    const { apis } = this.fleet;
    const url = await apis[this.turn++ % apis.length]!.url();
    const answer = await this.fleet.send(url, space.partner, method, path, body).catch(() => undefined);
    if (answer && answer.status < 300) return answer;
    if (answer?.status === 503 && (isAway || this.outages > outages)) this.refused += 1;
    else this.failed.push(`${method} ${path}: ${answer?.status ?? 'no answer'} ${answer?.text ?? ''}`);
    return undefined;
  }
}

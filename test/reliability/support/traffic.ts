import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { WHOLE } from './effort';
import type { Answer, Fleet, FleetSpace } from './fleet';
import { type OpenVote, openVote } from './steady';

/** Employees that only one caller writes to, for each caller. */
const OWN = 20;

/** The requests of a caller and their shares in ten. */
const MIX = ['read', 'read', 'read', 'read', 'list', 'write', 'write', 'sync', 'sign', 'vote'] as const;
export type Deed = (typeof MIX)[number];

/** A value with several writes: the last acknowledged one, and later ones without an acknowledgement. */
interface Known {
  acknowledged: string | undefined;
  /** Returned 503, and the change may have been made. */
  readonly perhaps: Set<string>;
  /** Returned 503, and nothing was changed. */
  readonly denied: Set<string>;
}

/** The stored data at the end, compared with the responses. */
export interface Verdict {
  /** Acknowledged writes. */
  readonly acknowledged: number;
  readonly missing: string[];
  /** Writes that were made although their response said that nothing was changed. */
  readonly madeThoughDenied: string[];
}

export interface TrafficOptions {
  readonly callers?: number;
  readonly voters?: number;
  readonly image?: string;
  readonly synced?: number;
}

/** Steady load of one data space, and a ledger of its responses. */
export class Traffic {
  readonly statuses: Record<string, number> = {};
  /** Responses other than a success or 503 `Service.Indisponible` with Retry-After. */
  readonly wrong: string[] = [];
  readonly slowest: Partial<Record<Deed, number>> = {};
  /** Responses without success, by kind of request. */
  readonly refused: Partial<Record<Deed, number>> = {};
  /** The details of responses with 503. */
  readonly details = new Set<string>();
  /** Times of responses with 503, since the process began. */
  readonly refusals: number[] = [];
  readonly cards = new Set<string>();
  private readonly names = new Map<string, Known>();
  private readonly made = new Set<string>();
  private readonly deniedMade = new Set<string>();
  private readonly voted = new Set<string>();
  private readonly deniedVotes = new Set<string>();
  private acknowledged = 0;
  private number = 0;
  private running: Promise<void>[] = [];
  /** Start times of requests without a response yet. */
  private readonly waiting = new Set<number>();
  private isOver = false;

  private constructor(
    private readonly fleet: Fleet,
    private readonly url: string,
    readonly space: FleetSpace,
    private readonly tenantId: string,
    private readonly vote: OpenVote,
    private readonly image: string | undefined,
    private readonly synced: number,
  ) {}

  /**
   * @param image a PNG as a data URL for each signed card
   * @param synced records of each sync
   */
  static async prepare(
    fleet: Fleet,
    database: Client,
    { callers = 16, voters = WHOLE ? 3_000 : 1_000, image, synced = 5 }: TrafficOptions = {},
  ): Promise<Traffic> {
    const url = await fleet.apis[0]!.url();
    const space = await fleet.space();
    const send = fleet.asker(() => url, space.partner);
    const own = Array.from({ length: callers * OWN }, (_, at) => ownId(Math.floor(at / OWN), at % OWN));
    await send('POST', '/b2b/v2/sync', {
      Syndicats: [{ IdentifiantExterne: 'S-1', Nom: 'Syndicat' }],
      Employes: own.map((IdExterne) => ({ IdExterne, Prenom: 'Zoé', Nom: 'Roy' })),
    });
    const vote = await openVote(send, voters);
    const { rows } = await database.query<{ tenant: string }>(
      'SELECT tenant_id AS tenant FROM campagne WHERE id_unique = $1',
      [vote.id],
    );
    return new Traffic(fleet, url, space, rows[0]!.tenant, vote, image, synced);
  }

  /** Starts sending, one request at a time for each caller. @param deeds the kinds of requests; all by default */
  begin(callers = 16, deeds: readonly Deed[] = MIX, pauseMs = 10): void {
    this.isOver = false;
    this.running = Array.from({ length: callers }, async (_, caller) => {
      for (let turn = 0; !this.isOver; turn++) {
        const deed = deeds[(caller * 3 + turn + 7) % deeds.length]!;
        // Syncs of one data space run one after another, each with many round trips: more callers would only wait.
        await this.one(deed === 'sync' && caller % 8 > 0 ? 'write' : deed, caller);
        // A rejected caller waits a little, and less than Retry-After says.
        await sleep(performance.now() - (this.refusals.at(-1) ?? -Infinity) < 100 ? 10 * pauseMs : pauseMs);
      }
    });
  }

  /** Stops sending, and waits for running requests. */
  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  get count(): number {
    return Object.values(this.statuses).reduce((sum, one) => sum + one, 0);
  }

  /** The longest time of a request with the time limit of a statement. */
  get slowestMs(): number {
    const { slowest } = this;
    const times = Object.entries(slowest).map(([deed, ms]) => (deed === 'sync' ? 0 : ms));
    return Math.round(Math.max(0, ...times));
  }

  /** The longest time of a sync, with the time limit of a transaction. */
  get slowestSyncMs(): number {
    return Math.round(this.slowest.sync ?? 0);
  }

  /** Requests that have been waiting for a response for this long. */
  waitingFor(ms: number): number {
    return [...this.waiting].filter((begun) => performance.now() - begun > ms).length;
  }

  private async one(deed: Deed, caller: number): Promise<void> {
    const number = this.number++;
    const own = ownId(caller, number % OWN);
    const { partner, platform } = this.space;
    switch (deed) {
      case 'read':
        await this.send(deed, partner, 'GET', `/b2b/v1/employe/${own}`);
        return;
      case 'list':
        await this.send(deed, partner, 'GET', '/b2b/v1/employe?limite=50');
        return;
      case 'write': {
        const prenom = `P${number}`;
        const fresh = { acknowledged: undefined, perhaps: new Set<string>(), denied: new Set<string>() };
        const known = this.names.get(own) ?? fresh;
        this.names.set(own, known);
        const body = { idExterne: own, prenom, nom: 'Roy' };
        const answer = await this.send(deed, partner, 'PUT', '/b2b/v1/employe', body);
        if (isDone(answer)) {
          this.acknowledged++;
          known.acknowledged = prenom;
          known.perhaps.clear();
        } else (saysNothingWasChanged(answer) ? known.denied : known.perhaps).add(prenom);
        return;
      }
      case 'sync': {
        const ids = Array.from({ length: this.synced }, (_, at) => `N-${number}-${at}`);
        const Adresse1 = `${number} rue ${'Longue'.repeat(30)}`;
        const Employes = ids.map((IdExterne) => ({ IdExterne, Prenom: 'Ève', Nom: 'Roy', Adresse1 }));
        const body = { Employes };
        const answer = await this.send(deed, partner, 'POST', '/b2b/v2/sync', body);
        if (isDone(answer)) this.acknowledged++;
        for (const id of ids) {
          if (isDone(answer)) this.made.add(id);
          else if (saysNothingWasChanged(answer)) this.deniedMade.add(id);
        }
        return;
      }
      case 'sign': {
        const body = {
          employeIdExterne: own,
          syndicatIdExterne: 'S-1',
          prenom: 'Zoé',
          nom: 'Roy',
          courriel: 'zoe@example.org',
          ...(this.image ? { imageSignature: this.image } : {}),
        };
        const answer = await this.send(deed, platform, 'POST', '/plateforme/v1/adhesions', body);
        if (isDone(answer)) {
          this.acknowledged++;
          this.cards.add(answer!.json.idUniqueAdhesion);
        }
        return;
      }
      case 'vote': {
        const { id, questionId, options, voters } = this.vote;
        const voter = voters.shift();
        // All voters have voted.
        if (!voter) return this.one('read', caller);
        const body = { VotantId: voter, Reponses: [{ QuestionId: questionId, Options: [options[0]] }] };
        const path = `/plateforme/v1/campagnes/${id}/bulletins`;
        const answer = await this.send(deed, platform, 'POST', path, body);
        if (isDone(answer)) {
          this.acknowledged++;
          this.voted.add(voter);
          this.deniedVotes.delete(voter);
        } else if (saysNothingWasChanged(answer)) {
          this.deniedVotes.add(voter);
          // If the ballot was cast after all, the next attempt is rejected as the second one.
          voters.push(voter);
        }
      }
    }
  }

  private async send(
    deed: Deed,
    key: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer | undefined> {
    const begun = performance.now();
    this.waiting.add(begun);
    let answer: Answer | undefined;
    let what: string;
    try {
      answer = await this.fleet.send(this.url, key, method, path, body);
      what = String(answer.status);
      const isRefusal =
        answer.status === 503 &&
        answer.json?.code === 'Service.Indisponible' &&
        answer.headers['retry-after'];
      if (!isDone(answer)) this.refused[deed] = (this.refused[deed] ?? 0) + 1;
      if (isRefusal) {
        this.refusals.push(performance.now());
        this.details.add(answer.json.detail);
      }
      if (!isRefusal && !isDone(answer))
        this.wrong.push(`${deed}: ${answer.status} ${answer.text.slice(0, 300)}`);
    } catch (error) {
      what = 'no answer';
      this.wrong.push(`${deed}: ${String(error)}`);
    }
    this.waiting.delete(begun);
    this.statuses[what] = (this.statuses[what] ?? 0) + 1;
    this.slowest[deed] = Math.max(this.slowest[deed] ?? 0, performance.now() - begun);
    return answer;
  }

  /** Looks for each acknowledged write in the database. @param database a superuser's connection */
  async verdict(database: Client): Promise<Verdict> {
    const column = async (text: string): Promise<Map<string, string>> => {
      const { rows } = await database.query<{ key: string; value: string }>(text, [this.tenantId]);
      return new Map(rows.map(({ key, value }) => [key, value]));
    };
    const names = await column('SELECT id_externe AS key, prenom AS value FROM employe WHERE tenant_id = $1');
    const cards = await column(`SELECT id_unique AS key, '' AS value FROM adhesion WHERE tenant_id = $1`);
    const votes = await column(
      `SELECT id_unique AS key, '' AS value FROM votant WHERE tenant_id = $1 AND a_vote`,
    );
    const { rows } = await database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM bulletin WHERE tenant_id = $1',
      [this.tenantId],
    );
    const missing = [
      ...[...this.made].filter((id) => !names.has(id)),
      ...[...this.cards].filter((id) => !cards.has(id)),
      ...[...this.voted].filter((id) => !votes.has(id)),
      // Receipts and ballots are written together. Ballots have no voter, so they are counted.
      ...(rows[0]!.count < this.voted.size ? [`${this.voted.size - rows[0]!.count} ballots`] : []),
      ...[...this.names]
        .filter(
          ([id, { acknowledged, perhaps, denied }]) =>
            acknowledged !== undefined && ![acknowledged, ...perhaps, ...denied].includes(names.get(id)!),
        )
        .map(([id, { acknowledged }]) => `${id} = ${acknowledged}, is ${names.get(id)}`),
    ];
    const madeThoughDenied = [
      ...[...this.deniedMade].filter((id) => names.has(id)),
      ...[...this.deniedVotes].filter((id) => votes.has(id)),
      ...[...this.names].filter(([id, { denied }]) => denied.has(names.get(id)!)).map(([id]) => id),
    ];
    return { acknowledged: this.acknowledged, missing, madeThoughDenied };
  }
}

function ownId(caller: number, at: number): string {
  return `E-${caller}-${at}`;
}

function isDone(answer: Answer | undefined): boolean {
  return answer !== undefined && answer.status < 300;
}

function saysNothingWasChanged(answer: Answer | undefined): boolean {
  return answer?.status === 503 && !/may have been made/.test(answer.json?.detail as string);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { times } from '../../membership/synced';
import type { Answer, Fleet, FleetSpace } from './fleet';
import { type OpenVote, openVote } from './steady';

/** Employees that each sync writes, all or none, with the number of the sync as their first name. */
const GROUP = 100;
const VOTERS = 20_000;
const CALLERS = { signing: 4, voting: 4, syncing: 2, reading: 2 };
/** Callers pause between requests, because kills must hit moments of all kinds and not only a queue. */
const PAUSE_MS = 15;
const AFTER_FAILURE_MS = 50;
/** Failures that are kept with their reasons. */
const FAILURES = 10;

/** The responses that callers got. */
export interface Seen {
  /** Cards with a signing that returned 201, by their transaction. */
  readonly cards: Map<string, string>;
  /** Transactions of rejected signings whose response said that nothing was changed. */
  readonly refusedCards: string[];
  /** Receipts of votes that returned 201, by voter. */
  readonly receipts: Map<string, string>;
  /** Votes that returned 201, by option. */
  readonly confirmed: [number, number];
  /** The last sync that returned 200, by group. */
  readonly generations: number[];
  /** Reads that showed an older sync than was confirmed when they were sent. */
  staleReads: number;
  answered: number;
  /** Requests that returned 503. */
  refused: number;
  /** Requests without a response. */
  unanswered: number;
  /** The first requests that returned 503 or had no response, with reason and time. */
  readonly failures: string[];
  /** Longest time of a request with a response, in milliseconds. */
  longestMs: number;
  /** Unexpected responses. */
  readonly others: string[];
}

/** Callers sign, vote and sync in one data space, through all faults of the service. */
export class MixedLoad {
  readonly seen: Seen = {
    cards: new Map(),
    refusedCards: [],
    receipts: new Map(),
    confirmed: [0, 0],
    generations: times(CALLERS.syncing, () => 0),
    staleReads: 0,
    answered: 0,
    refused: 0,
    unanswered: 0,
    failures: [],
    longestMs: 0,
    others: [],
  };
  private isOver = false;
  private running: Promise<void>[] = [];
  private nextCard = 0;
  private nextVoter = 0;

  private constructor(
    private readonly fleet: Fleet,
    readonly space: FleetSpace,
    readonly vote: OpenVote,
    /** The secret of the endpoint that receives each card. */
    readonly secret: string,
    private readonly address: () => Promise<string>,
    private readonly pauseMs: number,
  ) {}

  /**
   * A new data space with an open vote, and an endpoint that receives its cards.
   *
   * @param address the address of the next request; by default the first API
   * @param pauseMs the longest pause of a caller between two requests
   */
  static async open(
    fleet: Fleet,
    receiver: string,
    address: () => Promise<string> = () => fleet.apis[0]!.url(),
    pauseMs = PAUSE_MS,
  ): Promise<MixedLoad> {
    const space = await fleet.space();
    const sent = fleet.asker(address, space.partner);
    await sent('POST', '/b2b/v2/sync', {
      Syndicats: [{ IdentifiantExterne: 'S-1', Nom: 'Syndicat' }],
      Employes: times(200, (n) => ({ IdExterne: `E-${n}`, Prenom: 'Zoé', Nom: 'Tremblay' })),
    });
    const { secret } = await sent('POST', '/b2b/v2/webhook', { url: receiver, types: ['adhesion.signee'] });
    const vote = await openVote(sent, VOTERS);
    return new MixedLoad(fleet, space, vote, secret, address, pauseMs);
  }

  start(): void {
    this.running = [
      ...times(CALLERS.signing, () => this.repeat(() => this.sign())),
      ...times(CALLERS.voting, () => this.repeat(() => this.cast())),
      ...times(CALLERS.syncing, (group) => this.sync(group)),
      ...times(CALLERS.reading, (group) => this.repeat(() => this.read(group))),
    ];
  }

  /** Waits for running requests, and sends no more. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  private async repeat(one: () => Promise<void>): Promise<void> {
    while (!this.isOver) {
      await one();
      await sleep(Math.random() * this.pauseMs);
    }
  }

  /** Sends a request; undefined if it was rejected or had no response. */
  private async attempt(
    key: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ answer?: Answer; isUndone?: boolean }> {
    const url = await this.address();
    const begun = performance.now();
    try {
      const answer = await this.fleet.send(url, key, method, path, body);
      this.seen.longestMs = Math.max(this.seen.longestMs, performance.now() - begun);
      if (answer.status !== 503) {
        this.seen.answered += 1;
        return { answer };
      }
      this.seen.refused += 1;
      const { code, detail } = (answer.json ?? {}) as { code?: string; detail?: string };
      if (code !== 'Service.Indisponible' || !answer.headers['retry-after']) this.note(answer);
      this.failed(method, path, begun, answer.text);
      await sleep(AFTER_FAILURE_MS);
      return { isUndone: !detail?.includes('may have been made') };
    } catch (error) {
      this.seen.unanswered += 1;
      this.failed(method, path, begun, String((error as Error).cause ?? error));
      await sleep(AFTER_FAILURE_MS);
      return {};
    }
  }

  private failed(method: string, path: string, begun: number, reason: string): void {
    if (this.seen.failures.length >= FAILURES) return;
    const ms = (performance.now() - begun).toFixed(0);
    this.seen.failures.push(
      `${new Date().toISOString()} ${method} ${path} after ${ms} ms: ${reason.slice(0, 200)}`,
    );
  }

  private note({ status, text }: Answer): void {
    this.seen.others.push(`${status} ${text.slice(0, 200)}`);
  }

  private async sign(): Promise<void> {
    const transactionId = `TX-${++this.nextCard}`;
    const { answer, isUndone } = await this.attempt(this.space.platform, 'POST', '/plateforme/v1/adhesions', {
      employeIdExterne: `E-${this.nextCard % 200}`,
      syndicatIdExterne: 'S-1',
      prenom: 'Zoé',
      nom: 'Tremblay',
      courriel: 'zoe@example.org',
      transactionId,
    });
    if (isUndone) this.seen.refusedCards.push(transactionId);
    if (!answer) return;
    if (answer.status === 201)
      this.seen.cards.set(transactionId, (answer.json as { idUniqueAdhesion: string }).idUniqueAdhesion);
    else this.note(answer);
  }

  /** Sends one voter's vote until it is known to be counted. */
  private async cast(): Promise<void> {
    const VotantId = this.vote.voters[this.nextVoter++];
    if (!VotantId) return;
    const option = Math.random() < 0.5 ? 0 : 1;
    const body = {
      VotantId,
      Reponses: [{ QuestionId: this.vote.questionId, Options: [this.vote.options[option]] }],
    };
    let isInDoubt = false;
    for (;;) {
      const path = `/plateforme/v1/campagnes/${this.vote.id}/bulletins`;
      const { answer, isUndone } = await this.attempt(this.space.platform, 'POST', path, body);
      if (answer?.status === 201) {
        this.seen.receipts.set(VotantId, (answer.json as { Recu: string }).Recu);
        this.seen.confirmed[option] += 1;
        return;
      }
      if (answer && !(answer.status === 409 && isInDoubt)) this.note(answer);
      if (answer || this.isOver) return;
      isInDoubt ||= !isUndone;
    }
  }

  private async sync(group: number): Promise<void> {
    for (let generation = 1; !this.isOver; generation++) {
      const employes = times(GROUP, (n) => ({
        idExterne: `G${group}-${n}`,
        prenom: String(generation),
        nom: 'Roy',
      }));
      const { answer } = await this.attempt(this.space.partner, 'POST', '/b2b/v1/employe/sync', { employes });
      if (answer?.status === 200) this.seen.generations[group] = generation;
      else if (answer) this.note(answer);
      await sleep(Math.random() * this.pauseMs * 4);
    }
  }

  private async read(group: number): Promise<void> {
    const confirmed = this.seen.generations[group]!;
    const place = Math.floor(Math.random() * GROUP);
    const { answer } = await this.attempt(this.space.partner, 'GET', `/b2b/v1/employe/G${group}-${place}`);
    if (!answer) return;
    if (answer.status === 404 && confirmed === 0) return;
    if (answer.status !== 200) this.note(answer);
    else if (Number((answer.json as { prenom: string }).prenom) < confirmed) this.seen.staleReads += 1;
  }
}

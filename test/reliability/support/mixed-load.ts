import { setTimeout as sleep } from 'node:timers/promises';
import { times } from '../../membership/synced';
import type { Answer, Fleet, FleetSpace } from './fleet';

/** Employees that each sync writes anew, all or none, with the number of the sync as their first name. */
const GROUP = 100;
const VOTERS = 20_000;
const CALLERS = { signing: 4, voting: 4, syncing: 2, reading: 2 };
/** Callers pause between requests, so that moments of all kinds are hit and not only those of a queue. */
const PAUSE_MS = 15;
const AFTER_FAILURE_MS = 50;

/** What callers saw. */
export interface Seen {
  /** By their transaction, the cards whose signing was answered 201. */
  readonly cards: Map<string, string>;
  /** Transactions of signings that were refused, with the word that nothing was changed. */
  readonly refusedCards: string[];
  /** By voter, the receipts of votes that were answered 201. */
  readonly receipts: Map<string, string>;
  /** By option, votes that were answered 201. */
  readonly confirmed: [number, number];
  /** By group, the last sync that was answered 200. */
  readonly generations: number[];
  /** Reads that told of an older sync than had been confirmed when they were sent. */
  staleReads: number;
  answered: number;
  /** Requests that were answered 503. */
  refused: number;
  /** Requests without an answer. */
  unanswered: number;
  /** Longest time of a request that was answered, in milliseconds. */
  longestMs: number;
  /** Answers that should not be. */
  readonly others: string[];
}

interface Vote {
  readonly id: string;
  readonly questionId: string;
  readonly options: readonly string[];
  readonly voters: readonly string[];
}

/** People sign, vote and sync in one data space, whatever happens to the service. */
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
    readonly vote: Vote,
    /** The secret of the endpoint that hears of each card. */
    readonly secret: string,
    private readonly address: () => Promise<string>,
  ) {}

  /**
   * A new data space with an open vote, and an endpoint that hears of its cards.
   *
   * @param address where requests go, asked for before each; the first API if absent
   */
  static async open(
    fleet: Fleet,
    receiver: string,
    address: () => Promise<string> = () => fleet.apis[0]!.url(),
  ): Promise<MixedLoad> {
    const space = await fleet.space();
    const sent = async (method: string, path: string, body?: unknown): Promise<Answer> => {
      const answer = await fleet.send(await address(), space.partner, method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer;
    };
    await sent('POST', '/b2b/v2/sync', {
      Syndicats: [{ IdentifiantExterne: 'S-1', Nom: 'Syndicat' }],
      Employes: times(200, (n) => ({ IdExterne: `E-${n}`, Prenom: 'Zoé', Nom: 'Tremblay' })),
    });
    const { secret } = (await sent('POST', '/b2b/v2/webhook', { url: receiver, types: ['adhesion.signee'] }))
      .json as { secret: string };
    const campagnes = '/b2b/v1/campagnes';
    const id = (
      await sent('POST', campagnes, {
        titre: 'Entente',
        ouvertureDuVoteUtc: '2099-01-01T13:00:00Z',
        fermetureDuVoteUtc: '2099-01-08T22:00:00Z',
      })
    ).json as string;
    await sent('POST', `${campagnes}/${id}/questions`, { Titre: 'Pour ou contre ?', Type: 'Proposition' });
    const records = times(VOTERS, (n) => ({ Identifiant: `V-${n}`, Prenom: 'Zoé', Nom: 'Roy' }));
    await sent('POST', `${campagnes}/${id}/votants/upsert`, records);
    await sent('POST', `${campagnes}/${id}/publier`);
    await sent('POST', `${campagnes}/${id}/ouvrir`);
    const [question] = (await sent('GET', `${campagnes}/${id}/questions`)).json as {
      Id: string;
      Options: { Id: string }[];
    }[];
    const roll = (await sent('GET', `${campagnes}/${id}/votants`)).json as { VotantId: string }[];
    const vote = {
      id,
      questionId: question!.Id,
      options: question!.Options.map((option) => option.Id),
      voters: roll.map((voter) => voter.VotantId),
    };
    return new MixedLoad(fleet, space, vote, secret, address);
  }

  start(): void {
    this.running = [
      ...times(CALLERS.signing, () => this.repeat(() => this.sign())),
      ...times(CALLERS.voting, () => this.repeat(() => this.cast())),
      ...times(CALLERS.syncing, (group) => this.sync(group)),
      ...times(CALLERS.reading, (group) => this.repeat(() => this.read(group))),
    ];
  }

  /** Lets the requests under way end, and sends no more. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  private async repeat(one: () => Promise<void>): Promise<void> {
    while (!this.isOver) {
      await one();
      await sleep(Math.random() * PAUSE_MS);
    }
  }

  /** Sends a request; undefined where it was refused or not answered. */
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
      await sleep(AFTER_FAILURE_MS);
      return { isUndone: !detail?.includes('may have been made') };
    } catch {
      this.seen.unanswered += 1;
      await sleep(AFTER_FAILURE_MS);
      return {};
    }
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

  /** One voter's vote, sent again until it is known to be counted. */
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
      await sleep(Math.random() * PAUSE_MS * 4);
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

import { Inject, Injectable } from '@nestjs/common';
import { Client, type ClientConfig, type PoolClient } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Config } from '../ops/config';
import { LOGGER } from '../ops/logger';
import { PROCESS_NAME, type Reader } from '../ops/process-name';
import { clientConfig } from './client-config';
import { sqlState } from './sql-errors';

/** How long a connection may take to be made: four trips over a network at its worst. */
const CONNECT_MS = 4_000;

/** Interval of checks, in ms. Silence is counted in checks, so a delayed process does not misjudge a connection. */
const LOOK_MS = 500;

/** Silence of all connections after which they are lost: 4 s. */
const LOST_LOOKS = 8;

/** How long a new connection that was made may take to answer. */
const ANSWER_MS = 2_000;

/** Silence of one connection with a statement at work: longer than any statement may run. */
const SILENT_LOOKS = 63;

interface Look {
  readonly madeAt: number;
  bytesRead: number;
  bytesWritten: number;
  /** Looks in a row that found nothing new from the server. */
  unheard: number;
  /** Looks in a row that found nothing new in either direction. */
  silent: number;
}

/** What the types of `pg` leave out. */
interface Internals {
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: NodeJS.ReadWriteStream & Stream };
}
interface Stream {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  destroy(error: Error): void;
}

const longStatements = new WeakSet<object>();

/** Exempts a connection from the limit of silence until it returns to its pool. */
export function allowLongStatements(client: PoolClient): void {
  longStatements.add(client);
}

/** Closes a connection without notifying the server. Waiting statements fail as if the network were down. */
export function cut(client: Pick<Client, 'query'>): void {
  const error = Object.assign(new Error('The database has been silent.'), { code: 'ETIMEDOUT' });
  (client as unknown as Internals).connection.stream.destroy(error);
}

/**
 * Ends connections that nothing comes over any more, which TCP by itself notices after a quarter of an hour
 * (docs/adr/0019). It asks the database on a connection of its own; where that and all that are as old have heard nothing
 * for four seconds, it makes a new one: if that is answered, or cannot be made, the silent ones are lost, at work or idle. One
 * with a statement at work is lost after half a minute of silence, whatever others hear.
 */
@Injectable()
export class DatabaseWatch {
  /** Of its own connection. */
  private readonly config: ClientConfig;
  private readonly connections = new Map<Client, Look>();
  private readonly timer: NodeJS.Timeout;
  private own: Client | undefined;
  private isAsking = false;
  private isDoubting = false;
  /** When the last question was asked that had an answer. */
  private answeredAt = -Infinity;

  constructor(
    { databaseUrl }: Config,
    @Inject(PROCESS_NAME) processName: Reader,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.config = clientConfig(databaseUrl, `mandat ${processName} watch`);
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Watches over a connection from when it has been made. */
  add(client: Client): void {
    client.once('connect', () => {
      const { bytesRead, bytesWritten } = streamOf(client);
      this.connections.set(client, {
        madeAt: performance.now(),
        bytesRead,
        bytesWritten,
        unheard: 0,
        silent: 0,
      });
    });
    client.once('end', () => this.connections.delete(client));
  }

  stop(): void {
    clearInterval(this.timer);
    if (this.own) cut(this.own);
  }

  private look(): void {
    for (const [client, look] of this.connections) {
      const { bytesRead, bytesWritten } = streamOf(client);
      look.unheard = bytesRead === look.bytesRead ? look.unheard + 1 : 0;
      look.silent = look.unheard > 0 && bytesWritten === look.bytesWritten ? look.silent + 1 : 0;
      Object.assign(look, { bytesRead, bytesWritten });
      const isAtWork = !(client as unknown as Internals).readyForQuery;
      if (isAtWork && look.silent >= SILENT_LOOKS && !longStatements.has(client)) cut(client);
    }
    const own = this.own && this.connections.get(this.own);
    if (!this.own) this.connect();
    else if (own && own.unheard >= LOST_LOOKS) this.doubt(this.own, own);
    else if (own) this.ask(this.own);
  }

  private connect(): void {
    const own = new WatchedClient(this.config, this);
    this.own = own;
    own.once('end', () => {
      this.own = undefined;
      this.isAsking = false;
    });
    own.connect().catch(() => cut(own));
  }

  private ask(own: Client): void {
    if (this.isAsking) return;
    this.isAsking = true;
    const askedAt = performance.now();
    own.query('SELECT 1').then(
      () => {
        this.isAsking = false;
        this.answeredAt = askedAt;
      },
      () => undefined,
    );
  }

  /** The own connection hears nothing: who else does, and can the database be reached anew? */
  private doubt(own: Client, look: Look): void {
    // Those made since the last answer may have been made over a network that works again, and prove nothing.
    const doOthersGoOn = [...this.connections.values()].some(
      ({ madeAt, unheard }) => madeAt < this.answeredAt && unheard < LOST_LOOKS,
    );
    if (doOthersGoOn) {
      // What they heard last may be from before the silence, so that is waited for.
      if (look.unheard >= 2 * LOST_LOOKS) cut(own);
      return;
    }
    if (this.isDoubting) return;
    this.isDoubting = true;
    void this.reach().then((reached) => {
      this.isDoubting = false;
      // Answered meanwhile, or there and busy, as a pooler is whose connections are all at work: asked again later.
      if (look.unheard < LOST_LOOKS || !this.connections.has(own)) return;
      if (reached === 'busy') look.unheard = 0;
      else this.giveUp(reached);
    });
  }

  /** Ends all that hear nothing; those that may take their time only where the database cannot be reached at all. */
  private giveUp(reached: 'answers' | 'away'): void {
    const lost = [...this.connections].filter(
      ([client, { unheard }]) => unheard >= LOST_LOOKS && (reached === 'away' || !longStatements.has(client)),
    );
    this.logger.warn({ connections: lost.length, reached }, 'the database has been silent for too long');
    for (const [client] of lost) cut(client);
  }

  /** Makes a connection of its own to ask whether the database answers, is there and busy, or is away. */
  private async reach(): Promise<'answers' | 'busy' | 'away'> {
    const client = new WatchedClient(this.config, undefined);
    try {
      await client.connect();
      const answer = client.query('SELECT 1').then(() => 'answers' as const);
      answer.catch(() => undefined);
      return await Promise.race([answer, sleep(ANSWER_MS, 'busy' as const, { ref: false })]);
    } catch (error) {
      // A PostgreSQL error proves the server is reachable.
      return sqlState(error) ? 'busy' : 'away';
    } finally {
      cut(client);
    }
  }
}

/** A connection that is watched over, and whose loss at work fails its statement and nothing else. */
export class WatchedClient extends Client {
  constructor(config: ClientConfig, watch: DatabaseWatch | undefined) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS });
    // A pool listens to idle connections only: without this listener, the loss of one at work would end the process.
    this.on('error', () => undefined);
    watch?.add(this);
  }
}

/** Ends the exemption of `allowLongStatements`. */
export function disallowLongStatements(client: PoolClient): void {
  longStatements.delete(client);
}

function streamOf(client: Client): Stream {
  return (client as unknown as Internals).connection.stream;
}

import { Client, type PoolClient } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Reader } from '../ops/process-name';
import { clientConfig, type Connection, type ServerConfig, streamOf } from './client-config';
import { sqlState } from '../errors/sql-errors';

/** Maximum time for making a connection, in ms: four round trips over a very slow network. */
const CONNECT_MS = 4_000;

/** Interval of checks, in ms. Silence is counted in checks, so a delayed process does not misjudge a connection. */
const LOOK_MS = 500;

/** Silence of all connections after which they are lost: 4 s. */
const LOST_LOOKS = 8;

/** Maximum time for the first response of a new connection, in ms. */
const ANSWER_MS = 2_000;

/** Maximum silence of one connection with a running statement: 31.5 s, longer than any statement may run. */
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

/** Properties that the types of `pg` omit. */
interface Internals {
  readonly readyForQuery: boolean;
}

const longStatements = new WeakSet<object>();

/** Exempts a connection from the limit of silence until it returns to its pool. */
export function allowLongStatements(client: PoolClient): void {
  longStatements.add(client);
}

/** Closes a connection without notifying the server. Waiting statements fail as if the network were down. */
export function cut(client: Pick<Client, 'query'>): void {
  const error = Object.assign(new Error('The database has been silent.'), { code: 'ETIMEDOUT' });
  streamOf(client).destroy(error);
}

/**
 * Ends connections that have fallen silent, which TCP by itself detects after a quarter of an hour (docs/adr/0019). It
 * queries the database on its own connection. If this connection receives nothing for 4 s, nor does any that was made before
 * its last response, it makes a new one. If the new one gets a response or cannot be made, all silent connections are lost,
 * busy or idle. They are also lost if its own connection cannot be made while no older one receives anything. A connection
 * with a running statement is lost after 31.5 s of silence in any case.
 */
export class DatabaseWatch {
  /** Options of its own connection. */
  private readonly config: ServerConfig;
  /** Connections that it watches over from their beginning. */
  readonly connection: Connection;
  private readonly connections = new Map<Client, Look>();
  private timer: NodeJS.Timeout | undefined;
  private own: Client | undefined;
  private isAsking = false;
  private isDoubting = false;
  /** When the last attempt at its own connection began, if the server could not be reached. */
  private failedAt: number | undefined;
  /** When the last question was asked that had an answer. */
  private answeredAt = -Infinity;

  constructor(
    databaseUrl: string,
    processName: Reader,
    private readonly logger: Logger,
    private readonly unwatched: Connection = Client,
  ) {
    this.config = clientConfig(databaseUrl, `mandat ${processName} watch`);
    this.connection = bounded(unwatched, this);
  }

  /** Watches over a connection from when it has been made. The checks begin with the first one. */
  add(client: Client): void {
    this.timer ??= setInterval(() => this.look(), LOOK_MS).unref();
    client.once('connect', () => {
      const { bytesRead, bytesWritten } = streamOf(client);
      const madeAt = performance.now();
      this.connections.set(client, { madeAt, bytesRead, bytesWritten, unheard: 0, silent: 0 });
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
    if (!this.own) this.connectAgain();
    else if (own && own.unheard >= LOST_LOOKS) this.doubt(this.own, own);
    else if (own) this.ask(this.own);
  }

  /** Makes the own connection. Others that are as silent as the last attempt was are lost. */
  private connectAgain(): void {
    if (this.failedAt !== undefined && !this.doOthersGoOn(this.failedAt)) this.giveUp('away');
    const begunAt = performance.now();
    const own = new this.connection(this.config);
    this.own = own;
    own.once('end', () => {
      this.own = undefined;
      this.isAsking = false;
    });
    own.connect().then(
      () => (this.failedAt = undefined),
      (error: unknown) => {
        cut(own);
        // A PostgreSQL error proves the server is reachable.
        this.failedAt = sqlState(error) ? undefined : begunAt;
      },
    );
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

  /** Handles silence of the own connection: checks the other connections, then tries a new one. */
  private doubt(own: Client, look: Look): void {
    // Connections made since the last response prove nothing, because the network may have recovered meanwhile.
    if (this.doOthersGoOn(this.answeredAt)) {
      // Waits once more, because their last data may be from before the silence.
      if (look.unheard >= 2 * LOST_LOOKS) cut(own);
      return;
    }
    if (this.isDoubting) return;
    this.isDoubting = true;
    void this.reach().then((reached) => {
      this.isDoubting = false;
      // Answered meanwhile, or reachable and busy, for example a pooler with all its connections in use: asked again later.
      if (look.unheard < LOST_LOOKS || !this.connections.has(own)) return;
      if (reached === 'busy') look.unheard = 0;
      else this.giveUp(reached);
    });
  }

  /** Whether a connection from before this moment receives data. */
  private doOthersGoOn(before: number): boolean {
    return [...this.connections.values()].some(
      ({ madeAt, unheard }) => madeAt < before && unheard < LOST_LOOKS,
    );
  }

  /** Ends silent connections. Exempt ones end only if the database cannot be reached at all. */
  private giveUp(reached: 'answers' | 'away'): void {
    const lost = [...this.connections].filter(
      ([client, { unheard }]) => unheard >= LOST_LOOKS && (reached === 'away' || !longStatements.has(client)),
    );
    if (lost.length === 0) return;
    this.logger.warn({ connections: lost.length, reached }, 'the database has been silent for too long');
    for (const [client] of lost) cut(client);
  }

  /** Makes a new connection and returns whether the database answers, is busy, or is unreachable. */
  private async reach(): Promise<'answers' | 'busy' | 'away'> {
    const client = new (bounded(this.unwatched))(this.config);
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

/** Connections that are made in time or not at all, and whose loss fails the running statement only. */
export function bounded(connection: Connection, watch?: DatabaseWatch): Connection {
  return class extends connection {
    constructor(config: ServerConfig) {
      super({ ...config, connectionTimeoutMillis: CONNECT_MS });
      // A pool listens to idle connections only. Without this listener, the loss of a busy one would end the process.
      this.on('error', () => undefined);
      watch?.add(this);
    }
  };
}

/** Ends the exemption of `allowLongStatements`. */
export function disallowLongStatements(client: PoolClient): void {
  longStatements.delete(client);
}

import type { Database } from './database';
import type { Scope } from './scope';

/** Where a space lives, and the client that it belongs to. */
export interface Whereabouts {
  readonly cell: string;
  readonly clientId: string;
}

/** A copy of a database that serves reads. */
export interface Replica {
  readonly database: Database;
  /** A statement failed on it. */
  doubt(error: unknown): void;
}

/** The databases that one request may read. All its reads use one copy, until it changes to the database itself. */
export interface Reading {
  /** Returns the copy for the next read; undefined for the database itself. */
  replica(database: Database, space: string): Promise<Replica | undefined>;
  /** All further reads go to the database itself: the request has written, or the copy failed. */
  end(): void;
}

/**
 * The databases of the service. All code that knows more than one is behind this port (docs/adr/0047-topology.md). The
 * application registers the implementation.
 */
export abstract class Databases {
  /** The database that background work is for: of a worker its cell, of other processes the directory. */
  abstract readonly own: Database;

  /** @throws Error that counts as "unavailable" if the database of the scope cannot be used */
  abstract of(scope: Scope): Database | Promise<Database>;

  /** Returns what a request that begins now may read. */
  abstract reading(): Reading;

  /** Call it after the commit and before the response: later reads of these scopes then have what was written. */
  abstract wrote(database: Database, scopes: readonly Scope[]): Promise<void>;

  /**
   * The client of a space, by which budgets and turns are shared out: one client may have several spaces. A space that belongs
   * to none, such as a client as a whole, stands for itself.
   */
  abstract clientOf(space: string): Promise<string>;

  /**
   * Stores where a data space lives and its client, which the look-up of a key returns as well.
   *
   * @param since when the look-up began, by `performance.now()`: the answer may be used for 5 s from then
   */
  abstract know(space: string, whereabouts: Whereabouts, since: number): void;
}

/** The names of the cells, for administrators. */
export abstract class Cells {
  /** Names of the cells, in the order of CELLS. */
  abstract readonly names: readonly string[];

  /** Names of the worker's cell: the directory is also `principal` if CELLS names it otherwise. */
  abstract readonly ownNames: readonly string[];

  /** Whether a name is that of a cell. */
  abstract has(name: string): boolean;
}

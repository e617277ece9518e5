import { DEBIT } from '../errors/platform.errors';
import { DomainError } from '../errors/domain-error';
import { fr, type Text } from '../errors/text';

const KIB = 1_024;

/**
 * Resources of one process that one client may use, over its environments and keys, because no client may stop the others.
 * docs/operations.md, "Budgets", explains each and the response beyond it.
 */
export const BUDGETS = {
  /** Requests of one client's keys of one role that are served at once, from the guards to the last byte taken. */
  requests: 32,
  /** Further requests of them that wait, unread. */
  waitingRequests: 1_024,
  /** The longest that a request waits for its turn. */
  waitMs: 10_000,
  /** Parts of long lists that are made at once. The first part of most lists does not count. */
  listParts: 1,
  /** Parts and pages of lists that are made, or that their readers have not taken. Each is bounded in bytes before it is read. */
  unreadParts: 8,
  /** Single items of kinds that may have 1 MiB or more, read from the database at once: making one keeps a processor busy. */
  largeItems: 2,
  /** Further answers that are sent in parts, until their readers have taken them whole: each holds 1 MiB and two parts. */
  longAnswers: 8,
  /** Large results of votes that are counted, or that their readers have not taken whole. */
  largeResults: 2,
  /** Comparisons of rolls with the master data at once, of one client and of a process. */
  comparisons: 1,
  comparisonsInAll: 2,
  /** Images that are decoded at once, of one client and of a process: half of the threads that Node has for such work. */
  images: 1,
  imagesInAll: 2,
  /** Pages and items that are compressed at once, of one client and of a process. */
  compressions: 1,
  compressionsInAll: 2,
  /** Shares of each pool of connections. */
  reads: 0.5,
  transactions: 0.5,
  shortTransactions: 0.8,
  /** Reads of single records on connections that clients share; further ones are among `reads`. */
  lookUps: 16,
  /** Time that statements and transactions of a client hold connections in one minute; waiting for one does not count. */
  databaseSeconds: 120,
  /** Syncs that are read and done at once. */
  syncs: 1,
  /** Bytes of syncs that a process holds. */
  syncBytes: 192 * KIB * KIB,
  /** Bytes of results of syncs of all clients that their readers have not taken. Shorter ones than 1 MiB do not count. */
  unsentResultBytes: 96 * KIB * KIB,
  /**
   * Bytes of deliveries that run at once: of the worker, of a client, of an endpoint. Each counts its body and
   * `deliveryOverhead` for its connection and its response.
   */
  deliveryBytes: 64 * KIB * KIB,
  deliveryBytesOfClient: 16 * KIB * KIB,
  deliveryBytesOfEndpoint: 4 * KIB * KIB,
  deliveryOverhead: 32 * KIB,
  /** Bytes of events that wait for their attempt in memory: of the worker, of a client. Others are read when it begins. */
  waitingEventBytes: 32 * KIB * KIB,
  waitingEventBytesOfClient: 4 * KIB * KIB,
  /** Bytes of a data space on disk: of the long results of its tasks, and of its long recorded answers. */
  storedBytes: 2_048 * KIB * KIB,
  /** A sender or reader may do nothing for this long... */
  graceMs: 10_000,
  readerGraceMs: 30_000,
  /** ...and is then held to this many bytes a second. */
  bytesPerSecond: 16 * KIB,
} as const;

/** The 429 of a client that has used up a budget. @param budget its name and size, with its unit */
export function overBudget(budget: Text, retryAfterSeconds: number): DomainError {
  const detail = {
    en: `The client has used up its budget of ${budget.en}. Retry after ${retryAfterSeconds} s, with fewer requests at once. All environments and keys of a client count together.`,
    fr: fr`Le client a atteint sa limite : ${budget.fr}. Réessayez après ${retryAfterSeconds} s, avec moins de requêtes à la fois. Tous les environnements et toutes les clés d'un client comptent ensemble.`,
  };
  return new DomainError(DEBIT.Depasse, detail, { retryAfterSeconds });
}

import type { Piece } from '../database/work-notes';
import { Turns } from './turns';

/** Time after which a round looks again for due pieces while others still run, in ms. */
const LOOK_AGAIN_MS = 1_000;

const FIVE_MINUTES_MS = 5 * 60_000;

const ofPieces = new WeakSet<object>();

/** Whether one piece has failed: the work itself goes on with the others. */
export const isOfPiece = (error: unknown): boolean => ofPieces.has(Object(error) as object);

/** How a work is shared out. */
export interface WorkOptions {
  readonly name: string;
  /** Pieces that run at once in this process, at most one of a client. */
  readonly atOnce: number;
  /** How many of them may be long ones; all by default. */
  readonly longAtOnce?: number;
  /**
   * Whether pieces take seconds or more. A process runs one such piece of a dead process at a time; short pieces may run beside
   * it.
   */
  readonly isLong: boolean;
  /** Pause until a piece is looked at again, in ms: from its failure on, 5 minutes by default. */
  readonly afterFailureMs?: number;
  /** The same pause from the beginning of a piece; by default it is looked at in the next round. */
  readonly afterSuccessMs?: number;
}

/** A piece that is due. */
export interface DuePiece extends Piece {
  readonly isLong?: boolean;
}

/** Due pieces of one kind of work, and how they are done. */
export interface Source<P extends DuePiece> {
  /** Returns what is due, in the order of each tenant, without pieces with these ids. A limit must not hide a tenant. */
  readonly find: (except: readonly string[]) => Promise<readonly P[]>;
  /** Whether a piece that was found has anything to do, if that is cheaper than beginning it. */
  readonly isDue?: (piece: P) => Promise<boolean>;
  readonly work: (piece: P) => Promise<unknown>;
  /** Informs the partner that a piece is put aside. May be repeated. */
  readonly putAside?: (piece: P) => Promise<void>;
}

/** Whether this process may run a piece. */
export type Beginning = 'begun' | 'elsewhere' | 'aside';

/** State that the works of a process share (`WorkSharing`). */
export interface Sharing {
  readonly isStopping: boolean;
  /**
   * Whether a piece may begin now. A piece of a dead process runs alone at first, because otherwise the wrong piece could
   * be blamed for the next death.
   */
  mayBegin(isLeft: boolean, isLong: boolean): boolean;
  /** Counts a piece as running, before `begin`. @returns ends that */
  enter(travail: string, piece: Piece, isLeft: boolean): () => void;
  clientOf(tenantId: string): Promise<string>;
  /** Runs a piece in a span. */
  traced(travail: string, piece: Piece, work: () => Promise<unknown>): Promise<unknown>;
  /** The pieces of a work that are not for this process to begin, and those that a dead one has left. */
  noted(travail: string): Promise<{ readonly except: readonly string[]; readonly left: ReadonlySet<string> }>;
  /**
   * Notes that a piece begins. Call `end` after each piece that has begun.
   *
   * @param isLeft whether a dead process has left it
   * @param deaths how many processes have died while they ran it, if there is no note yet
   * @returns `aside` if it has ended too many processes: call `putAside` instead
   */
  begin(travail: string, piece: Piece, isLeft: boolean, deaths?: number): Promise<Beginning>;
  /** Removes the note of a piece; later, if the database is away. */
  end(travail: string, piece: Piece): Promise<void>;
  /** Removes the note of a piece that a dead process has left and that has nothing to do any more. */
  forget(travail: string, piece: Piece): Promise<void>;
  /**
   * Puts a piece aside, instead of its work and `end`.
   *
   * @param tell informs the partner of the piece; may be repeated
   * @param details for the log
   */
  putAside(travail: string, piece: Piece, tell: () => Promise<void>, details?: object): Promise<void>;
}

/**
 * Recurring work with pieces of all tenants. Clients alternate, so no client keeps others waiting, however much of it is due or
 * however long one piece takes. A piece that fails is tried again after a pause.
 */
export class SharedWork {
  private readonly turns = new Turns<DuePiece>();
  /** Running pieces, and by client what runs. */
  private readonly running = new Map<string, { readonly client: string; readonly isLong: boolean }>();
  private readonly ends = new Set<Promise<void>>();
  private readonly putOff = new Map<string, number>();
  private readonly failures: unknown[] = [];

  constructor(
    private readonly options: WorkOptions,
    private readonly sharing: Sharing,
  ) {}

  /**
   * Does what is due, until nothing is. Several workers may do it at once.
   *
   * @throws the first failure, once other pieces have had a turn; those that still run go on
   */
  async each<P extends DuePiece>(source: Source<P>): Promise<void> {
    const lately = new Map<string, number>();
    for (;;) {
      const begun = await this.round(source, lately);
      const failures = this.failures.splice(0);
      if (failures.length > 0) throw failures[0];
      if (this.sharing.isStopping) return this.settled();
      if (begun === 0 && this.running.size === 0) return;
    }
  }

  /** Waits for running pieces. */
  async settled(): Promise<void> {
    await Promise.all(this.ends);
  }

  /** @param lately pieces that this call has begun, with the time: the next ones come first. @returns how many have begun */
  private async round<P extends DuePiece>(source: Source<P>, lately: Map<string, number>): Promise<number> {
    const { name, atOnce, isLong } = this.options;
    const until = Date.now() + LOOK_AGAIN_MS;
    for (const [id, at] of lately) if (at <= Date.now() - LOOK_AGAIN_MS) lately.delete(id);
    for (const [id, at] of this.putOff) if (at <= Date.now()) this.putOff.delete(id);
    const { except, left } = await this.sharing.noted(name);
    const found = await source.find([
      ...except,
      ...this.running.keys(),
      ...lately.keys(),
      ...this.putOff.keys(),
    ]);
    const items = found.map(async (item) => ({ client: await this.sharing.clientOf(item.tenantId), item }));
    this.turns.offer(await Promise.all(items));

    const mayBegin = (client: string, piece: DuePiece): boolean => {
      const running = [...this.running.values()];
      if (this.running.has(piece.id) || running.some((one) => one.client === client)) return false;
      if (!this.sharing.mayBegin(left.has(piece.id), isLong)) return false;
      const long = running.filter((one) => one.isLong).length;
      return !piece.isLong || long < (this.options.longAtOnce ?? atOnce);
    };
    let begun = 0;
    for (let hasWaited = false; !this.sharing.isStopping;) {
      const hasRoom = this.running.size < atOnce;
      const next = hasRoom ? this.turns.next(mayBegin) : undefined;
      if (next) {
        begun += 1;
        lately.set(next.item.id, Date.now());
        this.begin(source, next.item as P, next.client, left.has(next.item.id));
      } else {
        // There is room for more than was found.
        if (hasWaited && hasRoom) break;
        if (!(await this.oneEnded(until))) break;
      }
      hasWaited = !next;
    }
    return begun;
  }

  /** Waits until a piece has ended. @returns false if none runs or the time is over */
  private async oneEnded(until: number): Promise<boolean> {
    const leftMs = until - Date.now();
    if (this.ends.size === 0 || leftMs <= 0) return false;
    let timer: NodeJS.Timeout;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), leftMs);
    });
    const ended = Promise.race(this.ends).then(() => true);
    return Promise.race([ended, late]).finally(() => clearTimeout(timer));
  }

  private begin<P extends DuePiece>(source: Source<P>, piece: P, client: string, isLeft: boolean): void {
    const { name, afterFailureMs = FIVE_MINUTES_MS, afterSuccessMs } = this.options;
    const leave = this.sharing.enter(name, piece, isLeft);
    this.running.set(piece.id, { client, isLong: piece.isLong ?? false });
    const begun = Date.now();
    const end = this.perform(source, piece, isLeft)
      .then(
        () => {
          if (afterSuccessMs !== undefined) this.putOff.set(piece.id, begun + afterSuccessMs);
        },
        (error: unknown) => {
          this.putOff.set(piece.id, Date.now() + afterFailureMs);
          this.failures.push(error);
          ofPieces.add(Object(error) as object);
        },
      )
      .finally(() => {
        leave();
        this.running.delete(piece.id);
        this.ends.delete(end);
      });
    this.ends.add(end);
  }

  private async perform<P extends DuePiece>(source: Source<P>, piece: P, isLeft: boolean): Promise<void> {
    const { name } = this.options;
    if (source.isDue && !(await source.isDue(piece))) {
      if (isLeft) await this.sharing.forget(name, piece);
      return;
    }
    const beginning = await this.sharing.begin(name, piece, isLeft);
    if (beginning === 'elsewhere') return;
    if (beginning === 'aside')
      return this.sharing.putAside(name, piece, async () => source.putAside?.(piece));
    try {
      await this.sharing.traced(name, piece, () => source.work(piece));
    } finally {
      await this.sharing.end(name, piece);
    }
  }
}

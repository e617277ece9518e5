import { setTimeout as sleep } from 'node:timers/promises';
import { type DuePiece, SharedWork, type Sharing, type WorkOptions } from './shared-work';

/** A sharing in memory: the client of a tenant is its first letter. */
class Notes {
  readonly left = new Set<string>();
  readonly aside: string[] = [];
  private suspects = 0;
  isStopping = false;
  log: string[] = [];
  deaths = 1;

  mayBegin = (isLeft: boolean): boolean => !isLeft || this.suspects === 0;
  enter = (_travail: string, _piece: DuePiece, isLeft: boolean): (() => void) => {
    const count = Number(isLeft);
    this.suspects += count;
    return () => void (this.suspects -= count);
  };
  traced = (_travail: string, _piece: DuePiece, work: () => Promise<unknown>): Promise<unknown> => work();
  clientOf = (tenantId: string): Promise<string> => Promise.resolve(tenantId[0]!);
  noted = (): Promise<object> => Promise.resolve({ except: [...this.aside], left: this.left });
  begin = (_travail: string, { id }: DuePiece, isLeft: boolean): Promise<string> => {
    this.log.push(`begin ${id}`);
    return Promise.resolve(isLeft && this.deaths >= 2 ? 'aside' : 'begun');
  };
  end = (_travail: string, { id }: DuePiece): Promise<void> => {
    this.log.push(`end ${id}`);
    this.left.delete(id);
    return Promise.resolve();
  };
  putAside = async (_travail: string, { id }: DuePiece, tell: () => Promise<void>): Promise<void> => {
    await tell();
    this.aside.push(id);
    this.left.delete(id);
  };

  work(options: Partial<WorkOptions> = {}): SharedWork {
    return new SharedWork({ name: 'essai', atOnce: 2, isLong: true, ...options }, this as unknown as Sharing);
  }
}

/** Pieces that are due until they are done; the tenant of `A1` is `A`. */
class Due {
  readonly done: string[] = [];
  readonly finds: (readonly string[])[] = [];
  constructor(
    private readonly ids: string[],
    private readonly long: readonly string[] = [],
  ) {}

  find = (except: readonly string[]): Promise<DuePiece[]> => {
    this.finds.push(except);
    const due = this.ids.filter((id) => !this.done.includes(id) && !except.includes(id));
    return Promise.resolve(due.map((id) => ({ tenantId: id[0]!, id, isLong: this.long.includes(id) })));
  };
  add(id: string): void {
    this.ids.push(id);
  }
  work = ({ id }: DuePiece): Promise<void> => {
    this.done.push(id);
    return Promise.resolve();
  };
}

describe('shared work', () => {
  it('takes clients in turn, each in its own order', async () => {
    const due = new Due(['A1', 'A2', 'A3', 'A4', 'B1', 'C1', 'C2']);
    await new Notes().work({ atOnce: 1 }).each(due);
    expect(due.done).toEqual(['A1', 'B1', 'C1', 'A2', 'C2', 'A3', 'A4']);
  });

  it('a long piece of a client holds up no other client, also what becomes due meanwhile', async () => {
    const due = new Due(['A1', 'A2', 'B1']);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const running = new Notes().work().each({
      find: due.find,
      work: async (piece) => {
        if (piece.id === 'A1') await held;
        return due.work(piece);
      },
    });
    await sleep(50);
    expect(due.done).toEqual(['B1']);
    due.add('B2');
    await sleep(1_200);
    expect(due.done).toEqual(['B1', 'B2']);
    release();
    await running;
    expect(due.done).toEqual(['B1', 'B2', 'A1', 'A2']);
  });

  it('short pieces pass long ones of other clients, which have their own places', async () => {
    const due = new Due(['A1', 'B1', 'C1', 'D1'], ['A1', 'B1', 'C1']);
    const ends: (() => void)[] = [];
    const running = new Notes().work({ atOnce: 3, longAtOnce: 2 }).each({
      find: due.find,
      work: async (piece) => {
        if (piece.isLong) await new Promise<void>((resolve) => ends.push(resolve));
        return due.work(piece);
      },
    });
    await sleep(50);
    expect([due.done, ends.length]).toEqual([['D1'], 2]);
    while (due.done.length < 4) {
      ends.splice(0).forEach((end) => end());
      await sleep(20);
    }
    await running;
  });

  it('a failure is thrown once others have had a turn, and its piece waits for a pause', async () => {
    const due = new Due(['A1', 'B1']);
    const work = new Notes().work({ afterFailureMs: 60_000 });
    const source = {
      find: due.find,
      work: (piece: DuePiece) => (piece.id === 'A1' ? Promise.reject(new Error('refused')) : due.work(piece)),
    };
    await expect(work.each(source)).rejects.toThrow('refused');
    expect(due.done).toEqual(['B1']);
    await work.each(source);
    expect(due.finds.at(-1)).toEqual(['A1']);
  });

  it('a piece that is done waits for its pause, which counts from its beginning', async () => {
    const due = new Due(['A1']);
    const work = new Notes().work({ afterSuccessMs: 100 });
    let times = 0;
    const source = { find: due.find, work: () => Promise.resolve(times++) };
    await work.each(source);
    await work.each(source);
    expect(times).toBe(1);
    await sleep(120);
    await work.each(source);
    expect(times).toBe(2);
  });

  it('one long piece that a dead process has left runs at a time in a process, over all its works', async () => {
    const notes = new Notes();
    for (const id of ['A1', 'B1', 'C1']) notes.left.add(id);
    const [one, other] = [new Due(['A1', 'B1', 'D1']), new Due(['C1'])];
    let [running, most] = [0, 0];
    const work =
      (due: Due) =>
      async (piece: DuePiece): Promise<void> => {
        if (notes.left.has(piece.id)) most = Math.max(most, ++running);
        await sleep(20);
        if (notes.left.has(piece.id)) running--;
        return due.work(piece);
      };
    const works = [notes.work({ atOnce: 3 }), notes.work({ atOnce: 3 })] as const;
    while (one.done.length < 3 || other.done.length < 1) {
      await Promise.all([
        works[0].each({ find: one.find, work: work(one) }),
        works[1].each({ find: other.find, work: work(other) }),
      ]);
    }
    expect(most).toBe(1);
    expect(one.done[0]).toMatch(/A1|D1/);
  });

  it('a piece that has ended two processes is put aside, and whom it concerns is told first', async () => {
    const notes = new Notes();
    notes.left.add('A1');
    notes.deaths = 2;
    const due = new Due(['A1', 'B1']);
    const told: string[] = [];
    const putAside = ({ id }: DuePiece): Promise<void> => {
      told.push(id, ...notes.aside);
      return Promise.resolve();
    };
    await notes.work().each({ find: due.find, work: due.work, putAside });
    expect([told, notes.aside, due.done]).toEqual([['A1'], ['A1'], ['B1']]);
  });

  it('the note of a piece is removed after a failure, too', async () => {
    const notes = new Notes();
    const work = notes.work({ afterFailureMs: 0 });
    const source = { find: new Due(['A1']).find, work: () => Promise.reject(new Error('refused')) };
    await expect(work.each(source)).rejects.toThrow('refused');
    expect(notes.log).toEqual(['begin A1', 'end A1']);
  });

  it('a process that stops begins nothing more and waits for what runs', async () => {
    const notes = new Notes();
    const due = new Due(['A1', 'A2', 'B1']);
    const work = notes.work({ atOnce: 1 });
    await work.each({
      find: due.find,
      work: async (piece) => {
        notes.isStopping = true;
        await sleep(50);
        return due.work(piece);
      },
    });
    expect(due.done).toEqual(['A1']);
  });
});

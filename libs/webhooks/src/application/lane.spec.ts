import { Lane, MOST_HELD_OF_ONE } from './lane';

/** A lane whose work ends when and how a test says. */
class Bench {
  readonly begun: number[] = [];
  mostAtOnce = 0;
  private readonly ends = new Map<number, (inTime: boolean) => void>();
  readonly lane = new Lane<number>((one) => {
    this.begun.push(one);
    return new Promise((end) => {
      this.ends.set(one, end);
      this.mostAtOnce = Math.max(this.mostAtOnce, this.ends.size);
    });
  });
  private pushed = 0;

  push(count: number): void {
    for (let n = 0; n < count; n++) this.lane.push(this.pushed++);
  }

  get running(): number[] {
    return [...this.ends.keys()];
  }

  /** Ends one that runs. */
  async end(one: number, inTime: boolean): Promise<void> {
    const end = this.ends.get(one)!;
    this.ends.delete(one);
    end(inTime);
    await new Promise(setImmediate);
  }

  /** Ends all that run now, in the order in which they began. */
  async endAll(inTime: boolean): Promise<void> {
    for (const one of this.running) await this.end(one, inTime);
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

describe('The work for one endpoint', () => {
  it('is done sixteen at once, in the order in which it came, and all of it', async () => {
    bench.push(100);
    expect(bench.running).toHaveLength(16);
    while (bench.running.length > 0) await bench.end(bench.running[0]!, true);
    expect(bench.begun).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(bench.mostAtOnce).toBe(16);
  });

  it('begins the next as soon as one ends', async () => {
    bench.push(17);
    await bench.end(3, true);
    expect(bench.running).toHaveLength(16);
    expect(bench.begun.at(-1)).toBe(16);
  });

  it('is done one at a time after a time-out, once those at work have ended', async () => {
    bench.push(40);
    await bench.end(0, false);
    // Fifteen still run: nothing begins beside them.
    expect(bench.running).toHaveLength(15);
    for (let left = 15; left > 1; left--) {
      await bench.end(bench.running[0]!, false);
      expect(bench.running).toHaveLength(left - 1);
    }
    await bench.end(bench.running[0]!, false);
    for (let turn = 0; turn < 5; turn++) {
      expect(bench.running).toHaveLength(1);
      await bench.endAll(false);
    }
    expect(bench.begun).toHaveLength(22);
  });

  it('comes back to sixteen at once by doubling with each answer', async () => {
    bench.push(16);
    await bench.endAll(false);
    bench.push(200);
    const seen = [];
    for (let answers = 0; answers < 5; answers++) {
      seen.push(bench.running.length);
      await bench.end(bench.running[0]!, true);
    }
    expect(seen).toEqual([1, 2, 4, 8, 16]);
    expect(bench.running).toHaveLength(16);
  });

  it('falls back to one at a time with each time-out', async () => {
    bench.push(16);
    await bench.endAll(false);
    bench.push(50);
    await bench.end(bench.running[0]!, true);
    await bench.end(bench.running[0]!, true);
    expect(bench.running).toHaveLength(4);
    await bench.end(bench.running[0]!, false);
    await bench.endAll(false);
    expect(bench.running).toHaveLength(1);
  });
});

describe('What an endpoint may hold', () => {
  it('is 64 at first, and about what was answered in a second from then on, 512 at most', async () => {
    expect(bench.lane.capacity).toBe(64);
    bench.push(MOST_HELD_OF_ONE + 16);
    while (bench.begun.length < MOST_HELD_OF_ONE + 16) await bench.endAll(true);
    // So many answers take far less than a second here.
    expect(bench.lane.capacity).toBe(MOST_HELD_OF_ONE);
    expect(MOST_HELD_OF_ONE).toBe(512);
  });

  it('stays 64 for an endpoint that answers slowly', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      bench = new Bench();
      bench.push(200);
      for (let seconds = 0; seconds < 10; seconds++) {
        jest.advanceTimersByTime(1_000);
        await bench.endAll(true);
      }
      expect(bench.lane.capacity).toBe(64);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is 16 after a time-out until all is well, and begins small again', async () => {
    bench.push(116);
    for (let rounds = 0; rounds < 3; rounds++) await bench.endAll(true);
    while (bench.running.length > 0) await bench.endAll(false);
    const seen = [];
    for (let answers = 0; answers < 5; answers++) {
      seen.push(bench.lane.capacity);
      bench.push(1);
      await bench.endAll(true);
    }
    expect(seen).toEqual([16, 16, 16, 16, 64]);
  });

  it('is cut to 16 that wait, of an endpoint that hangs', async () => {
    bench.push(60);
    expect(bench.lane.slowDown()).toEqual(Array.from({ length: 28 }, (_, n) => 32 + n));
    expect(bench.lane.count).toBe(32);
    await bench.endAll(false);
    expect(bench.running).toHaveLength(1);
  });

  it('is filled up at half, and of an endpoint that hangs once it is empty', async () => {
    expect(bench.lane.refillAt).toBe(32);
    bench.push(16);
    await bench.endAll(false);
    expect(bench.lane.refillAt).toBe(0);
  });

  it('counts what waits and what runs', async () => {
    bench.push(20);
    expect(bench.lane.count).toBe(20);
    await bench.end(0, true);
    expect(bench.lane.count).toBe(19);
    bench.lane.drop();
    expect(bench.lane.count).toBe(16);
  });
});

describe('Work that is dropped', () => {
  it('is what has not begun, and is not begun afterwards', async () => {
    bench.push(20);
    expect(bench.lane.drop()).toEqual([16, 17, 18, 19]);
    expect(bench.lane.drop()).toEqual([]);
    await bench.endAll(true);
    expect(bench.begun).toHaveLength(16);
  });

  it('leaves room for what comes later', async () => {
    bench.push(20);
    bench.lane.drop();
    await bench.endAll(true);
    bench.push(1);
    expect(bench.running).toEqual([20]);
  });
});

describe('A lane is settled', () => {
  it('at once where nothing runs', async () => {
    await bench.lane.settled();
  });

  it('when all that runs has ended, and not before', async () => {
    let isSettled = false;
    bench.push(2);
    const settled = bench.lane.settled().then(() => (isSettled = true));
    await bench.end(0, true);
    expect(isSettled).toBe(false);
    await bench.end(1, false);
    await settled;
  });
});

describe('A lane is forgettable', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    bench = new Bench();
  });
  afterEach(() => jest.useRealTimers());

  it('some seconds after it was last busy', async () => {
    bench.push(1);
    expect(bench.lane.isForgettable).toBe(false);
    await bench.endAll(true);
    expect(bench.lane.isForgettable).toBe(false);
    jest.advanceTimersByTime(10_001);
    expect(bench.lane.isForgettable).toBe(true);
  });

  it('not after a time-out, until it is back at sixteen at once', async () => {
    bench.push(1);
    await bench.endAll(false);
    const seen = [];
    for (let answers = 0; answers < 5; answers++) {
      jest.advanceTimersByTime(10_001);
      seen.push(bench.lane.isForgettable);
      bench.push(1);
      await bench.endAll(true);
    }
    expect(seen).toEqual([false, false, false, false, true]);
  });
});

import { EndpointQueue, MOST_LEASED } from './endpoint-queue';

/** A queue whose attempts end when a test ends them. */
class Bench {
  readonly begun: number[] = [];
  mostAtOnce = 0;
  private readonly ends = new Map<number, (inTime: boolean) => void>();
  /** How many attempts may run. */
  most = Infinity;
  readonly queue = new EndpointQueue<number>(
    (one) => {
      this.begun.push(one);
      return new Promise((end) => {
        this.ends.set(one, end);
        this.mostAtOnce = Math.max(this.mostAtOnce, this.ends.size);
      });
    },
    () => this.ends.size < this.most,
  );
  private pushed = 0;

  push(count: number): void {
    for (let n = 0; n < count; n++) this.queue.push(this.pushed++);
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

describe('Attempts to one endpoint', () => {
  it('run in order, 16 at a time', async () => {
    bench.push(100);
    expect(bench.running).toHaveLength(16);
    while (bench.running.length > 0) await bench.end(bench.running[0]!, true);
    expect(bench.begun).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(bench.mostAtOnce).toBe(16);
  });

  it('start as soon as one ends', async () => {
    bench.push(17);
    await bench.end(3, true);
    expect(bench.running).toHaveLength(16);
    expect(bench.begun.at(-1)).toBe(16);
  });

  it('run one at a time after a timeout, once the running ones have ended', async () => {
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

  it('double with each response until 16 run', async () => {
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

  it('run one at a time again after each timeout', async () => {
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

describe('Attempts that are not admitted', () => {
  it('wait in their order, and begin when they are asked again', async () => {
    bench.most = 2;
    bench.push(5);
    expect(bench.running).toEqual([0, 1]);
    expect(bench.queue.resume()).toBe(false);
    bench.most = 3;
    expect(bench.queue.resume()).toBe(true);
    expect(bench.running).toEqual([0, 1, 2]);
    await bench.end(0, true);
    expect(bench.begun).toEqual([0, 1, 2, 3]);
  });

  it('can be dropped', () => {
    bench.most = 0;
    bench.push(3);
    expect(bench.queue.drop()).toEqual([0, 1, 2]);
    bench.most = 1;
    expect(bench.queue.resume()).toBe(false);
  });
});

describe('The capacity of an endpoint', () => {
  it('starts at 64 and follows the responses of a second, up to 512', async () => {
    expect(bench.queue.capacity).toBe(64);
    bench.push(MOST_LEASED + 16);
    while (bench.begun.length < MOST_LEASED + 16) await bench.endAll(true);
    // These responses take far less than a second here.
    expect(bench.queue.capacity).toBe(MOST_LEASED);
    expect(MOST_LEASED).toBe(512);
  });

  it('stays 64 for a slow endpoint', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      bench = new Bench();
      bench.push(200);
      for (let seconds = 0; seconds < 10; seconds++) {
        jest.advanceTimersByTime(1_000);
        await bench.endAll(true);
      }
      expect(bench.queue.capacity).toBe(64);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is 16 after a timeout until 16 attempts run again, then 64', async () => {
    bench.push(116);
    for (let rounds = 0; rounds < 3; rounds++) await bench.endAll(true);
    while (bench.running.length > 0) await bench.endAll(false);
    const seen = [];
    for (let answers = 0; answers < 5; answers++) {
      seen.push(bench.queue.capacity);
      bench.push(1);
      await bench.endAll(true);
    }
    expect(seen).toEqual([16, 16, 16, 16, 64]);
  });

  it('keeps 16 waiting deliveries when the endpoint hangs', async () => {
    bench.push(60);
    expect(bench.queue.slowDown()).toEqual(Array.from({ length: 28 }, (_, n) => 32 + n));
    expect(bench.queue.count).toBe(32);
    await bench.endAll(false);
    expect(bench.running).toHaveLength(1);
  });

  it('is refilled at half, and for a hanging endpoint when empty', async () => {
    expect(bench.queue.refillAt).toBe(32);
    bench.push(16);
    await bench.endAll(false);
    expect(bench.queue.refillAt).toBe(0);
  });

  it('counts waiting and running deliveries', async () => {
    bench.push(20);
    expect(bench.queue.count).toBe(20);
    await bench.end(0, true);
    expect(bench.queue.count).toBe(19);
    bench.queue.drop();
    expect(bench.queue.count).toBe(16);
  });
});

describe('Dropped deliveries', () => {
  it('are those not begun, and never begin', async () => {
    bench.push(20);
    expect(bench.queue.drop()).toEqual([16, 17, 18, 19]);
    expect(bench.queue.drop()).toEqual([]);
    await bench.endAll(true);
    expect(bench.begun).toHaveLength(16);
  });

  it('free capacity for later ones', async () => {
    bench.push(20);
    bench.queue.drop();
    await bench.endAll(true);
    bench.push(1);
    expect(bench.running).toEqual([20]);
  });
});

describe('settled', () => {
  it('resolves at once if no attempt runs', async () => {
    await bench.queue.settled();
  });

  it('resolves once every running attempt has ended', async () => {
    let isSettled = false;
    bench.push(2);
    const settled = bench.queue.settled().then(() => (isSettled = true));
    await bench.end(0, true);
    expect(isSettled).toBe(false);
    await bench.end(1, false);
    await settled;
  });
});

describe('isDisposable', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    bench = new Bench();
  });
  afterEach(() => jest.useRealTimers());

  it('is true 10 s after the last response', async () => {
    bench.push(1);
    expect(bench.queue.isDisposable).toBe(false);
    await bench.endAll(true);
    expect(bench.queue.isDisposable).toBe(false);
    jest.advanceTimersByTime(10_001);
    expect(bench.queue.isDisposable).toBe(true);
  });

  it('is false after a timeout until 16 attempts run again, or for ten minutes', async () => {
    bench.push(1);
    await bench.endAll(false);
    const seen = [];
    for (let answers = 0; answers < 5; answers++) {
      jest.advanceTimersByTime(10_001);
      seen.push(bench.queue.isDisposable);
      bench.push(1);
      await bench.endAll(true);
    }
    expect(seen).toEqual([false, false, false, false, true]);

    bench.push(1);
    await bench.endAll(false);
    jest.advanceTimersByTime(599_999);
    expect(bench.queue.isDisposable).toBe(false);
    jest.advanceTimersByTime(2);
    expect(bench.queue.isDisposable).toBe(true);
  });
});

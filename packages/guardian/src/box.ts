import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Scrutin } from '@mandat/ballot/check';
import { type Group, type PartialSum, Sums } from '@mandat/ballot/guardians';
import type { Batch, Checked } from './batch.js';
import { Failure } from './failure.js';
import type { Texts } from './texts.js';

const BATCH_LINES = 32;
/** Batches queued per thread, to keep it busy. */
const AHEAD = 2;
const LONGEST_LINE = 1 << 24;

/** The ballots of a box, all of them checked. */
export interface Box {
  readonly ballots: number;
  readonly digest: Uint8Array;
  readonly sums: Sums<Uint8Array>;
}

/**
 * Checks all ballots of `bulletins.ndjson` and sums them up, in threads.
 *
 * @param progress is called with the bytes that were read
 * @throws Failure for a ballot that does not count, or that is there twice, or whose voter has two
 */
export async function checkBox(
  texts: Texts,
  group: Group<Uint8Array>,
  scrutin: Scrutin,
  path: string,
  progress: (bytes: number) => void,
): Promise<Box> {
  const threads = Array.from({ length: availableParallelism() }, () => new Thread(scrutin));
  try {
    const order = new Order(texts);
    const digest = createHash('sha256');
    const running = new Set<Promise<void>>();
    let [next, ballots] = [0, 0];
    for await (const batch of batchesOf(texts, path, digest, progress)) {
      ballots += batch.lines.length;
      const work: Promise<void> = threads[next]!.check(batch)
        .then((checked) => order.add(batch, checked))
        .finally(() => running.delete(work));
      // The loop awaits it below, or another failure comes first.
      work.catch(() => undefined);
      running.add(work);
      next = (next + 1) % threads.length;
      if (running.size >= AHEAD * threads.length) await Promise.race(running);
    }
    await Promise.all(running);
    if (ballots === 0) throw new Failure(texts.noBallots);
    order.assertAcross();
    const sums = new Sums(
      group,
      scrutin.questions.map(({ Options }) => Options.length),
    );
    for (const thread of threads) for (const part of await thread.sums()) sums.merge(part);
    return { ballots, digest: digest.digest(), sums };
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

/** A thread that answers in the order in which it is asked. */
class Thread {
  private readonly worker: Worker;
  private readonly waiting: { resolve: (answer: unknown) => void; reject: (error: unknown) => void }[] = [];

  constructor(scrutin: Scrutin) {
    this.worker = new Worker(new URL('./ballot-thread.js', import.meta.url), { workerData: scrutin });
    this.worker.on('message', (answer: unknown) => this.waiting.shift()!.resolve(answer));
    this.worker.on('error', (error) => {
      for (const { reject } of this.waiting.splice(0)) reject(error);
    });
  }

  check(batch: Batch): Promise<Checked> {
    return this.ask(batch);
  }

  sums(): Promise<PartialSum[]> {
    return this.ask(null);
  }

  async end(): Promise<void> {
    await this.worker.terminate();
  }

  private ask<T>(message: Batch | null): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ resolve: resolve as (answer: unknown) => void, reject });
      this.worker.postMessage(message);
    });
  }
}

/** Checks what batches have in common: the order of the ballots, and that no voter has two. */
class Order {
  private readonly voters = new Set<string>();
  private readonly ends: { first: Uint8Array; last: Uint8Array; line: number }[] = [];

  constructor(private readonly texts: Texts) {}

  add({ firstLine }: Batch, { number, fault, firstReceipt, lastReceipt, voters }: Checked): void {
    if (fault) throw new Failure(this.texts[fault.rule](fault.line, fault.check));
    for (const [at, voter] of voters.entries()) {
      if (this.voters.has(voter)) throw new Failure(this.texts.ballotVoter(firstLine + at));
      this.voters.add(voter);
    }
    this.ends[number] = { first: firstReceipt, last: lastReceipt, line: firstLine };
  }

  assertAcross(): void {
    for (const [at, { first, line }] of this.ends.entries())
      if (at > 0 && Buffer.compare(this.ends[at - 1]!.last, first) >= 0)
        throw new Failure(this.texts.ballotOrder(line));
  }
}

/** Reads the file once: the digest is that of the lines that are checked. */
async function* batchesOf(
  texts: Texts,
  path: string,
  digest: { update(bytes: Buffer): unknown },
  progress: (bytes: number) => void,
): AsyncGenerator<Batch> {
  let [number, line, rest] = [0, 1, Buffer.alloc(0)];
  let lines: string[] = [];
  const taken = (): Batch => {
    const batch = { number: number++, firstLine: line, lines };
    line += lines.length;
    lines = [];
    return batch;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    digest.update(chunk);
    progress(chunk.length);
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      lines.push(Buffer.concat([rest, chunk.subarray(from, end)]).toString());
      rest = Buffer.alloc(0);
      from = end + 1;
      if (lines.length === BATCH_LINES) yield taken();
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > LONGEST_LINE) break;
  }
  // The last line ends with a newline too.
  if (rest.length > 0) throw new Failure(texts.ballotLine(line + lines.length));
  if (lines.length > 0) yield taken();
}

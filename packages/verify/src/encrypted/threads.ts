import { Worker } from 'node:worker_threads';
import { type Election } from './structure.js';
import { type Added, type Checked, type Chunk } from './worker.js';

const THREADS = 2;
/** Lines that a thread checks at once: about a second's work for few options, so a bar on a terminal moves. */
const LINES = 50;

interface Thread {
  ask(chunk: Chunk | null): Promise<unknown>;
  end(): Promise<unknown>;
}

function threadOf(election: Election): Thread {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: election });
  return {
    ask: (chunk) =>
      new Promise((resolve, reject) => {
        worker.removeAllListeners();
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.once('exit', (code) => reject(new Error(`A thread has ended with ${code}.`)));
        worker.postMessage(chunk);
      }),
    end: () => {
      worker.removeAllListeners();
      return worker.terminate();
    },
  };
}

/** Checks lines of ballots in threads, and returns the sums of each. Chunks are reported in the order in which they are ready. */
export async function checkInThreads(
  election: Election,
  lines: Iterable<Uint8Array>,
  report: (checked: Checked) => void,
): Promise<Added> {
  let firstLine = 1;
  const rest = lines[Symbol.iterator]();
  const next = (): Chunk | undefined => {
    const chunk: Uint8Array[] = [];
    while (chunk.length < LINES) {
      const line = rest.next();
      if (line.done) break;
      chunk.push(line.value);
    }
    firstLine += chunk.length;
    return chunk.length === 0 ? undefined : { firstLine: firstLine - chunk.length, lines: chunk };
  };
  const threads = Array.from({ length: THREADS }, () => threadOf(election));
  try {
    const sums = await Promise.all(
      threads.map(async (thread) => {
        for (let chunk = next(); chunk; chunk = next()) report((await thread.ask(chunk)) as Checked);
        return (await thread.ask(null)) as Added;
      }),
    );
    return sums.flat();
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

import { bytesOf, latenciesDuring } from './load';
import { say } from './progress';
import { alone, milliseconds, type Row } from './report';
import { percentile } from './rounds';
import { PRODUCT } from './work';
import { peakMemory, type World } from './world';

const MEMORY_GOAL = { atMost: 512 };
/** Longest permitted wait of other requests, in ms. */
const WAIT_GOAL = { atMost: 200 };
const PROBE_EVERY_MS = 10;

/**
 * A fresh process does the same heavy work several times. Measures its peak memory and the waits of other requests.
 *
 * @param prepare prepares the data, untimed, and returns a function that does the work once on the process of this port
 */
export async function waitsDuring(
  world: World,
  work: string,
  rounds: number,
  prepare: (port: number) => Promise<() => Promise<number>>,
): Promise<Row[]> {
  const probe = bytesOf({ method: 'GET', path: '/health/live' });
  const api = await world.startApi();
  const latencies: number[] = [];
  const second = (): Promise<void> => new Promise((done) => setTimeout(done, 1_000));
  const idle = await latenciesDuring(api.port, probe, PROBE_EVERY_MS, second);
  for (let round = 0; round < rounds; round++) {
    const found = await latenciesDuring(api.port, probe, PROBE_EVERY_MS, await prepare(api.port));
    latencies.push(...found);
    say(`${work}: round ${round + 1} of ${rounds}, longest wait ${milliseconds(found.at(-1)!)}`);
  }
  latencies.sort((a, b) => a - b);
  const rows = [
    ...(await memoryRow(work, api.pid)),
    alone(work, 'GET every 10 ms meanwhile, p99', percentile(latencies, 0.99), milliseconds),
    alone(work, 'GET every 10 ms meanwhile, longest', latencies.at(-1)!, milliseconds, WAIT_GOAL),
    alone(work, 'GET every 10 ms before, p99', percentile(idle, 0.99), milliseconds),
  ];
  await api.stop();
  return rows;
}

/** The peak memory of a process, if the system reports it. */
export async function memoryRow(work: string, pid: number): Promise<Row[]> {
  const peak = await peakMemory(pid);
  return peak === undefined ? [] : [alone(work, `${PRODUCT}, peak memory`, peak, mebibytes, MEMORY_GOAL)];
}

function mebibytes(value: number): string {
  return `${Math.round(value)} MiB`;
}

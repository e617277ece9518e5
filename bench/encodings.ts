import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitsDuring } from './memory';
import { say } from './progress';
import { ofEmployees } from './reads';
import { milliseconds, type Row } from './report';
import { median } from './rounds';
import { PRODUCT, type Work } from './work';

const LIST = '/b2b/v1/employe';
const SIZES = [10_000, 100_000];
const ENCODINGS = ['identity', 'gzip', 'br', 'zstd'];
/** Speeds of links, in Mbit/s. */
const SPEEDS = [20, 100];

interface Received {
  readonly bytes: number;
  readonly ms: number;
}

/** Reads a list no faster than a link of this speed would bring it. @returns the bytes of its body, and the time to the last one */
async function received(port: number, key: string, encoding: string, mbit: number): Promise<Received> {
  const headers = { 'X-Api-Key': key, 'Accept-Encoding': encoding };
  const begun = performance.now();
  const sent = request({ host: '127.0.0.1', port, path: LIST, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${LIST}: ${response.statusCode}`);
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    const early = begun + (bytes * 8) / (mbit * 1_000) - performance.now();
    if (early > 1) await sleep(early);
  }
  return { bytes, ms: performance.now() - begun };
}

/** Bytes of a list in each encoding, and the time to its last byte over links of some speeds. */
async function sizes(port: number, key: string, size: number, rounds: number): Promise<Row[]> {
  const work = `list of ${size.toLocaleString('en')}, bytes and time`;
  const rows: Row[] = [];
  for (const encoding of ENCODINGS) {
    let bytes = 0;
    const times: string[] = [];
    for (const mbit of SPEEDS) {
      const found: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const answer = await received(port, key, encoding, mbit);
        bytes = answer.bytes;
        found.push(answer.ms);
      }
      times.push(`${milliseconds(median(found))} at ${mbit} Mbit/s`);
    }
    const figure = `${(bytes / 1e6).toFixed(2)} MB, ${times.join(', ')}`;
    say(`${work}: ${encoding}: ${figure}`);
    rows.push({ work, contestant: `${PRODUCT}, ${encoding}`, figure });
  }
  return rows;
}

/** Measures compressed lists, and the waits of other requests while one is compressed. */
export const ENCODED_LISTS: readonly Work[] = [
  {
    name: 'encodings',
    measure: async (world, { rounds }) => {
      const rows: Row[] = [];
      for (const size of SIZES) {
        const { key } = await ofEmployees(size)(world);
        rows.push(...(await sizes(world.api.port, key, size, rounds)));
      }
      const { key } = await ofEmployees(SIZES.at(-1)!)(world);
      for (const encoding of ENCODINGS.slice(1)) {
        const read = (port: number) => async (): Promise<number> =>
          (await received(port, key, encoding, 10_000)).ms;
        const work = `list of ${SIZES.at(-1)!.toLocaleString('en')} in ${encoding}, one process`;
        rows.push(...(await waitsDuring(world, work, rounds, (port) => Promise.resolve(read(port)))));
      }
      return rows;
    },
  },
];

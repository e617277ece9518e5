import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { CountedRow } from '../persistence/statistics.query';
import { type Batch, BatchCount } from './batch-count';

/** Rows of a ballot box, or, behind all of them, what is to be counted. */
export type CountMessage = { readonly row: CountedRow } | { readonly batch: Batch };

// Requests and probes come first where all cores are busy. Linux gives each thread a priority, other systems the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

let count = new BatchCount();

parentPort!.on('message', (message: CountMessage) => {
  if ('row' in message) {
    count.add(message.row);
    return;
  }
  const items = [...count.items(message.batch)];
  count = new BatchCount();
  parentPort!.postMessage(
    items,
    items.map(({ buffer }) => buffer),
  );
});

import { type DestinationStream, destination } from 'pino';

/** Characters after which lines are written before the end of the turn. */
const MOST = 8_192;

/**
 * Returns a destination that writes the lines of one turn of the event loop together, because a write costs far more than its bytes. A
 * process that ends writes its last lines, too; one that is killed loses those of its last turn. Without a reader lines are dropped.
 *
 * @param file number or path of the file
 */
export function logDestination(file: number | string): DestinationStream & { flushSync(): void } {
  // Its own buffer would be emptied by `flushSync`, which waits forever for a pipe whose reader has gone.
  const lines = destination({ dest: file, sync: true });
  let text = '';
  const flushSync = (): void => {
    if (text === '') return;
    const due = text;
    text = '';
    lines.write(due);
  };
  process.once('exit', flushSync);
  return {
    write: (line) => {
      if (text === '') setImmediate(flushSync);
      text += line;
      if (text.length > MOST) flushSync();
    },
    flushSync,
  };
}

/** The destination of all applications of the process. */
export const STANDARD_OUTPUT = logDestination(1);

import { type DestinationStream, destination } from 'pino';

/** Bytes after which lines are written before the end of the turn. */
const MOST_BYTES = 8 * 1024;

/**
 * Returns a destination that writes the lines of one turn of the event loop together, because a write costs far more than its bytes. A
 * process that ends writes its last lines, too; one that is killed loses those of its last turn.
 *
 * @param file number or path of the file
 */
export function logDestination(file: number | string): DestinationStream & { flushSync(): void } {
  const lines = destination({ dest: file, sync: true, minLength: MOST_BYTES });
  let isDue = false;
  const flushSync = (): void => {
    isDue = false;
    lines.flushSync();
  };
  process.once('exit', flushSync);
  return {
    write: (line) => {
      lines.write(line);
      if (isDue) return;
      isDue = true;
      setImmediate(flushSync);
    },
    flushSync,
  };
}

/** The destination of all applications of the process. */
export const STANDARD_OUTPUT = logDestination(1);

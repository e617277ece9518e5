import { type ExecutionContext, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import type { ProblemFilter } from './problem.filter';

const JSON_IN_UTF8 = 'application/json; charset=utf-8';

/**
 * Returns what Nest sends part by part, as fast as the caller takes it. A failure halfway breaks the connection, because a cut
 * answer must not look complete.
 */
export function streamable(
  problems: ProblemFilter,
  context: ExecutionContext,
  parts: AsyncGenerator<Uint8Array, void>,
): StreamableFile {
  // Nothing is read ahead of the caller.
  const stream = Readable.from(parts, { objectMode: false, highWaterMark: 1 });
  return new StreamableFile(stream, { type: JSON_IN_UTF8 })
    .setErrorHandler((error) => problems.catch(error, context))
    .setErrorLogger(() => undefined);
}

/** Returns what Nest sends at once. */
export function whole(parts: readonly Uint8Array[]): StreamableFile {
  const bytes = Buffer.concat(parts);
  return new StreamableFile(bytes, { length: bytes.length, type: JSON_IN_UTF8 });
}

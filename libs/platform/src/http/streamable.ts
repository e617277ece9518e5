import { type ExecutionContext, StreamableFile } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { ProblemFilter } from './problem.filter';

const JSON_IN_UTF8 = 'application/json; charset=utf-8';

/**
 * Returns what Nest sends part by part, as fast as the caller takes it. A failure halfway breaks the connection, because a cut
 * answer must not look complete.
 *
 * @param stream of texts or bytes
 */
export function streamable(
  problems: ProblemFilter,
  context: ExecutionContext,
  stream: Readable,
): StreamableFile {
  return new StreamableFile(stream, { type: JSON_IN_UTF8 })
    .setErrorHandler((error) => problems.catch(error, context))
    .setErrorLogger(() => undefined);
}

/** Returns what Nest sends at once. */
export function whole(parts: readonly Uint8Array[]): StreamableFile {
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  return new StreamableFile(bytes, { length: bytes.length, type: JSON_IN_UTF8 });
}

import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';

/** Maximum number of bytes buffered before the headers are sent. A failure up to then is answered as a problem. */
const MAX_BUFFERED = 2 ** 20;

/**
 * Sends an answer that is made part by part, as fast as the caller takes it. A failure halfway breaks the connection,
 * because a cut answer must not look complete.
 */
export async function sendParts(response: Response, parts: AsyncGenerator<Uint8Array, void>): Promise<void> {
  const buffered: Uint8Array[] = [];
  for (let bytes = 0; bytes <= MAX_BUFFERED;) {
    const next = await parts.next();
    // The caller has gone.
    if (response.destroyed) {
      await parts.return();
      return;
    }
    if (next.done) {
      response.setHeader('Content-Length', bytes);
      response.end(Buffer.concat(buffered));
      return;
    }
    buffered.push(next.value);
    bytes += next.value.length;
  }
  if (response.req.method === 'HEAD') {
    await parts.return();
    response.end();
    return;
  }
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield* buffered;
    yield* parts;
  };
  try {
    await pipeline(all, response);
  } catch (error) {
    // The caller has gone.
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

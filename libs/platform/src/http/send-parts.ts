import type { Response } from 'express';
import { pipeline } from 'node:stream/promises';

/** Bytes of an answer that are held until its headers are sent: a failure before that is answered as a problem. */
const MOST_HELD = 2 ** 20;

/**
 * Sends an answer that is made part by part, as fast as the caller takes it. A failure in the middle breaks the connection, so
 * that a cut answer never looks whole.
 */
export async function sendParts(response: Response, parts: AsyncGenerator<Uint8Array, void>): Promise<void> {
  const held: Uint8Array[] = [];
  for (let bytes = 0; bytes <= MOST_HELD;) {
    const next = await parts.next();
    if (next.done) {
      response.setHeader('Content-Length', bytes);
      response.end(Buffer.concat(held));
      return;
    }
    held.push(next.value);
    bytes += next.value.length;
  }
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield* held;
    yield* parts;
  };
  try {
    await pipeline(all, response);
  } catch (error) {
    // The caller has gone.
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

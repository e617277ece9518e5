import type { Response } from 'express';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';
import type { CallerRequest } from './caller';
import { longAnswers } from '../ops/list-parts';

/** Maximum number of bytes buffered before the headers are sent. A failure up to then is answered as a problem. */
const MAX_BUFFERED = 2 ** 20;

/**
 * Sends an answer as `sendParts` does, when it is among the `longAnswers` of its client, until the reader has taken it.
 *
 * @throws DomainError `Debit.Depasse`
 */
export function sendLong(response: Response, parts: AsyncGenerator<Uint8Array, void>): Promise<void> {
  const { caller } = response.req as CallerRequest;
  return longAnswers.run(caller?.clientId ?? '', async () => {
    if (response.closed) return;
    await sendParts(response, parts);
    if (response.writableEnded && !response.closed) await once(response, 'close');
  });
}

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
    // Each is let go when it is sent.
    while (buffered.length > 0) yield buffered.shift()!;
    yield* parts;
  };
  try {
    await pipeline(all, response);
  } catch (error) {
    // The caller has gone.
    if ((error as { code?: unknown }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

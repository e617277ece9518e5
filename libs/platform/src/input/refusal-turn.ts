import type { ArgumentMetadata } from '@nestjs/common';
import { setImmediate as nextTurn } from 'node:timers/promises';

const ORDER: readonly ArgumentMetadata['type'][] = ['body', 'query', 'param'];

/**
 * Resolves when a pipe may refuse its part of the request. Nest runs the pipes of all arguments at once and reports the
 * first refusal: this makes it the body's before the query string's before the path's, because no pipe waits for I/O.
 */
export async function refusalTurn({ type }: ArgumentMetadata): Promise<void> {
  for (let turns = ORDER.indexOf(type); turns > 0; turns--) await nextTurn();
}

import type { ArgumentMetadata } from '@nestjs/common';
import { setImmediate as nextTick } from 'node:timers/promises';

const ORDER: readonly ArgumentMetadata['type'][] = ['body', 'query', 'param'];

/**
 * Resolves when a pipe may reject its part of the request. Nest runs the pipes of all arguments at once and reports the
 * first error. Pipes wait for no I/O, so this makes the order: body, query string, path.
 */
export async function inRejectionOrder({ type }: ArgumentMetadata): Promise<void> {
  for (let ticks = ORDER.indexOf(type); ticks > 0; ticks--) await nextTick();
}

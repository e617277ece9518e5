import { MODULES } from '../../libs/access/src/caller';
import { WebhooksService } from '../../libs/webhooks/src';
import type { TestApp } from '../setup/test-app';

/** Name of the key of a data space whose data may be erased, and whose requests may fail. */
export const REHEARSED = 'of a data space for rehearsals';

/** An endpoint of that data space. */
export const REHEARSED_WEBHOOK = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5c01';

/** @returns keys by name */
export async function holdEssai(app: TestApp): Promise<ReadonlyMap<string, string>> {
  const { cle, cleId, tenantId } = await app.tenant();
  const manager = { actor: { cleId, requestId: 'test' }, modules: MODULES };
  const record = { url: 'https://hooks.example.org/mandat', types: ['sync.terminee' as const] };
  await app.app.get(WebhooksService).create(tenantId, manager, record, REHEARSED_WEBHOOK);
  return new Map([[REHEARSED, cle]]);
}

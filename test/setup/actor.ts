import type { Actor } from '#platform/audit/actor';

/** The actor of changes that tests make without a request. */
export const TEST_ACTOR: Actor = { cleId: '00000000-0000-0000-0000-000000000000', requestId: 'test' };

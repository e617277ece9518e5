import type { Actor } from '../../libs/shared/src/access/caller';

/** The actor of changes that tests make without a request. */
export const TEST_ACTOR: Actor = { cleId: '00000000-0000-0000-0000-000000000000', requestId: 'test' };

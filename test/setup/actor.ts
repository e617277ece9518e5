import type { Actor } from '../../libs/shared/src/access/caller';

/** Who does what tests do by themselves, without a request. */
export const TEST_ACTOR: Actor = { cleId: '00000000-0000-0000-0000-000000000000', requestId: 'test' };

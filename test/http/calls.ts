import type { Calls } from '../contract/support/calls';

export const CALLS: Calls = {
  'GET /docs/*path': {
    // Pages and documents are the same for all callers: their paths contain no identifier.
    foreign: () => [{ path: '/docs/erreurs' }],
  },
};

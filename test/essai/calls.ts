import { bodies, type Calls } from '../contract/support/calls';

const MINUTE_MS = 60_000;

let minutes = 0;

/** A moment that is later than those before it, and so little ahead that it changes no state of the demonstration. */
const later = (): string => new Date(Date.now() + ++minutes * MINUTE_MS).toISOString();

const HORLOGE = '/b2b/v2/essai/horloge';

/** Clocks of rehearsals: functions of the database read and write them, by the data space of the key. */
export const CALLS: Calls = {
  'GET /b2b/v2/essai/horloge': { readsNoTable: true },
  'PUT /b2b/v2/essai/horloge': {
    readsNoTable: true,
    // It takes no identifier. Its other answers have the time.
    foreign: (asked) => bodies(HORLOGE, { maintenant: asked.employe }),
    more: {
      body: () => ({ maintenant: later() }),
      changes: [{ maintenant: '2020-01-01T00:00:00Z' }, { maintenant: '2999-01-01T00:00:00Z' }],
    },
  },
  'POST /b2b/v2/essai/horloge/avancer': {
    readsNoTable: true,
    foreign: (asked) => bodies(`${HORLOGE}/avancer`, { jusqua: asked.employe }),
    more: {
      body: () => ({ jusqua: later() }),
      changes: [{ jusqua: '2020-01-01T00:00:00Z' }, { jusqua: '2999-01-01T00:00:00Z' }],
    },
  },
};

import { bodies, type Calls, each } from '../contract/support/calls';
import { VOTING_EXAMPLE_IDS } from '../../libs/voting/src';
import { REHEARSED, REHEARSED_WEBHOOK } from './held';

const ELECTORAT = '/b2b/v2/essai/electorat';
const PANNES = '/b2b/v2/essai/pannes';
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
  // The records have identifiers of their own.
  'GET /b2b/v2/essai/electorat': {
    readsNoTable: true,
    foreign: () => each(ELECTORAT, '?graine=a&employes=2'),
  },
  'POST /b2b/v2/essai/electorat': {
    readsNoTable: true,
    foreign: () => bodies(ELECTORAT, { graine: 'a', employes: 2, employeurs: 1 }),
    more: { changes: [{ defauts: 5_000 }], calls: [{ headers: { Prefer: 'respond-async' } }] },
  },
  'POST /plateforme/v1/essai/campagnes/:id/bulletins': {
    isUnrecorded: true,
    foreign: (asked, own) =>
      [asked.campagneOuverte, own.campagneOuverte].map((id) => ({
        path: `/plateforme/v1/essai/campagnes/${id}/bulletins`,
        body: { graine: 'a', participation: 100 },
      })),
    more: { path: `/plateforme/v1/essai/campagnes/${VOTING_EXAMPLE_IDS.campagne}/bulletins` },
  },
  // A function of the database removes rows, by the data space of the key.
  'DELETE /b2b/v2/essai/donnees': {
    readsNoTable: true,
    foreign: () => [{ path: '/b2b/v2/essai/donnees' }],
    more: { key: REHEARSED },
  },
  'PUT /b2b/v2/essai/pannes': {
    foreign: (asked, own) =>
      bodies(
        PANNES,
        { webhookId: asked.webhook, statut: 500, fois: 1 },
        { webhookId: own.webhook, statut: 500, fois: 1 },
      ),
    more: {
      key: REHEARSED,
      changes: [
        { statut: null, delaiMs: 1 },
        { statut: null, coupure: true },
        { route: null, webhookId: VOTING_EXAMPLE_IDS.campagne },
        { route: null, webhookId: REHEARSED_WEBHOOK },
      ],
    },
  },
  'GET /b2b/v2/essai/pannes': { foreign: () => [{ path: PANNES }], more: { key: REHEARSED } },
  'DELETE /b2b/v2/essai/pannes': { foreign: () => [{ path: PANNES }], more: { key: REHEARSED } },
};

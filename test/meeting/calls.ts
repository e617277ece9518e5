import { MEETING_EXAMPLE_IDS as IDS } from '../../libs/meeting/src';
import type { Calls, Sample } from '../contract/support/calls';
import type { Identifiers } from '../contract/support/spaces';

function request(path: string, body?: object, headers?: Record<string, string>): Sample {
  return { path, ...(body ? { body } : {}), ...(headers ? { headers } : {}) };
}

const SEANCE = '/b2b/v2/seance';

/** An operation on a meeting: the caller's own, another tenant's and an unknown one. */
function onSeances(path: string, asked: Identifiers, own: Identifiers, end = '', body?: object): Sample[] {
  return [own.seance, asked.seance, asked.point].map((id) => request(`${path}/${id}${end}`, body));
}

/** A point of a meeting: either of the two ids may be another tenant's. */
function onPoints(path: string, asked: Identifiers, own: Identifiers, body?: object): Sample[] {
  return [
    [own.seance, own.point],
    [own.seance, asked.point],
    [own.seance, asked.pointNonVotable],
    [asked.seance, asked.point],
    [asked.seance, own.point],
  ].map(([seance, point]) => request(`${path}/${seance}/points/${point}/resultats`, body));
}

const SEANCES = '/plateforme/v1/seances';
const DATE = '2026-05-14T23:00:00Z';
const VOTES = { pour: 2, contre: 2, abstentions: 0 };
const NON_VOTABLE = `points/${IDS.pointNonVotable}/resultats`;

export const CALLS: Calls = {
  'GET /b2b/v2/seance': {
    foreign: (asked) =>
      [
        '',
        `?syndicatIdExterne=${asked.syndicat}`,
        '?apres=2026-01-01&avant=2026-12-31',
        `?curseur=${asked.curseurSeances}`,
        `?limite=1&curseur=${asked.curseurSeances}`,
      ].map((query) => request(SEANCE + query)),
    // Includes meetings without a union.
    more: { path: SEANCE },
  },
  'GET /b2b/v2/seance/:seanceId': {
    foreign: (asked, own) => [
      ...onSeances(SEANCE, asked, own),
      request(`${SEANCE}/${asked.seance}`, undefined, { 'If-None-Match': asked.etagSeance }),
    ],
  },
  'GET /b2b/v2/seance/:seanceId/points/:pointId/resultats': {
    foreign: (asked, own) => [
      ...onPoints(SEANCE, asked, own),
      request(`${SEANCE}/${asked.seance}/points/${asked.point}/resultats`, undefined, {
        'If-None-Match': asked.etagResultat,
      }),
    ],
    more: {
      path: `${SEANCE}/${IDS.seance}/${NON_VOTABLE}`,
    },
  },
  'GET /b2b/v2/seance/:seanceId/resultats': {
    foreign: (asked, own) => [
      ...onSeances(SEANCE, asked, own, '/resultats'),
      ...['', '&limite=1'].map((more) =>
        request(`${SEANCE}/${own.seance}/resultats?curseur=${asked.curseurResultats}${more}`),
      ),
    ],
  },
  'GET /b2b/v2/seance/:seanceId/participation': {
    foreign: (asked, own) => [
      ...onSeances(SEANCE, asked, own, '/participation'),
      request(`${SEANCE}/${asked.seance}/participation`, undefined, {
        'If-None-Match': asked.etagParticipation,
      }),
    ],
    more: { path: `${SEANCE}/${IDS.seanceAutre}/participation` },
  },
  'POST /plateforme/v1/seances': {
    foreign: (asked) => [
      request(SEANCES, { titre: 'Assemblée', date: DATE, syndicatIdExterne: asked.syndicat }),
      request(SEANCES, { titre: 'Assemblée', date: DATE, seanceId: asked.seance }),
    ],
  },
  'GET /plateforme/v1/seances/:seanceId': {
    foreign: (asked, own) => [
      ...onSeances(SEANCES, asked, own),
      request(`${SEANCES}/${asked.seance}`, undefined, { 'If-None-Match': asked.etagSeance }),
    ],
  },
  'PUT /plateforme/v1/seances/:seanceId/presences': {
    foreign: (asked, own) => {
      const body = { inscrits: 20, presents: 10 };
      return [
        ...onSeances(SEANCES, asked, own, '/presences', body),
        request(`${SEANCES}/${asked.seance}/presences`, body, { 'If-Match': asked.etagParticipation }),
      ];
    },
    more: { changes: [{ votants: null }] },
  },
  'POST /plateforme/v1/seances/:seanceId/points': {
    foreign: (asked, own) => {
      const body = { titre: 'Budget', ordre: 9, votable: true };
      return [
        ...onSeances(SEANCES, asked, own, '/points', body),
        // This place is also used by the other tenant's point.
        ...onSeances(SEANCES, asked, own, '/points', { ...body, ordre: 1, pointId: asked.point }),
      ];
    },
    more: {
      changes: [{ ordre: 900, votable: false, typeVote: null, majorite: null }],
    },
  },
  'PUT /plateforme/v1/seances/:seanceId/points/:pointId/resultats': {
    foreign: (asked, own) => [
      ...onPoints(SEANCES, asked, own, VOTES),
      request(`${SEANCES}/${asked.seance}/points/${asked.point}/resultats`, VOTES, {
        'If-Match': asked.etagResultat,
      }),
    ],
    more: {
      calls: [{ path: `/plateforme/v1/seances/${IDS.seance}/${NON_VOTABLE}` }],
    },
  },
};

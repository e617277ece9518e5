import { MEETING_EXAMPLE_IDS as IDS } from '../../../libs/meeting/src';
import type { More } from './call';

const SEANCE = '/b2b/v2/seance';
const NON_VOTABLE = `points/${IDS.pointNonVotable}/resultats`;

/** Requests to meetings that the document alone does not give. */
export const MORE_OF_MEETINGS: Readonly<Record<string, More>> = {
  // Includes meetings without a union.
  'GET /b2b/v2/seance': { path: SEANCE },
  'GET /b2b/v2/seance/:seanceId/points/:pointId/resultats': {
    path: `${SEANCE}/${IDS.seance}/${NON_VOTABLE}`,
  },
  'GET /b2b/v2/seance/:seanceId/participation': { path: `${SEANCE}/${IDS.seanceAutre}/participation` },
  'PUT /plateforme/v1/seances/:seanceId/presences': { changes: [{ votants: null }] },
  'POST /plateforme/v1/seances/:seanceId/points': {
    changes: [{ ordre: 900, votable: false, typeVote: null, majorite: null }],
  },
  'PUT /plateforme/v1/seances/:seanceId/points/:pointId/resultats': {
    calls: [{ path: `/plateforme/v1/seances/${IDS.seance}/${NON_VOTABLE}` }],
  },
};

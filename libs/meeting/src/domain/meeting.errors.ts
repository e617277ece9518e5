import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const SEANCE = errorsOf('Seance', {
  NotFound: {
    status: 404,
    title: 'Meeting not found',
    description: 'No meeting of the tenant has this id (GUID).',
  },
});

export const POINT = errorsOf('Point', {
  NotFound: {
    status: 404,
    title: 'Point not found',
    description: 'The agenda of the meeting has no point with this id (GUID).',
  },
  OrdreDejaUtilise: {
    status: 409,
    title: 'Place already taken',
    description: 'Another point of the meeting has this `ordre`. Give the point another place on the agenda.',
  },
  NonVotable: {
    status: 409,
    title: 'Point not put to the vote',
    description: 'The point is not votable (`votable` is false). Add a votable point for the vote.',
  },
});

export const RESULTAT = errorsOf('Resultat', {
  NotFound: {
    status: 404,
    title: 'No vote on this point',
    description:
      'The point exists, but is not put to the vote (`votable` is false) and never has a result. Ask for the results of the meeting to see its votable points.',
  },
});

/** Errors of meetings, points and their results. */
export const MEETING_ERRORS: readonly ErrorDefinition[] = [
  ...Object.values(SEANCE),
  ...Object.values(POINT),
  ...Object.values(RESULTAT),
];

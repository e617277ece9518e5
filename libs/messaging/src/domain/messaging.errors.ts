import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const COURRIEL = errorsOf('Courriel', {
  NotFound: {
    status: 404,
    title: 'Letter not found',
    description: 'No letter of the tenant has this id. Letters are kept for 30 days.',
  },
  AucunDestinataire: {
    status: 400,
    title: 'No recipients',
    description:
      'The campaign has no voters, or with `nonVotants` none who may vote and has not voted. Nothing was sent.',
  },
  QuotaDepasse: {
    status: 429,
    title: 'E-mail quota used up',
    description:
      'The letter has more recipients than are left of the quota of the day (`courrielsParJour` of `GET /b2b/v1/moi`). Nothing was sent. `detail` says how many are left; the quota starts anew after the seconds in Retry-After, when a day begins in the time zone of the client.',
  },
});

/** Errors of e-mail. */
export const MESSAGING_ERRORS: readonly ErrorDefinition[] = [...Object.values(COURRIEL)];

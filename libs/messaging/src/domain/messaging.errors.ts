import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';

export const COURRIEL = errorsOf('Courriel', {
  NotFound: {
    status: 404,
    title: 'Email not found',
    description: 'The tenant has no email with this id. Emails are kept for 30 days.',
  },
  AucunDestinataire: {
    status: 400,
    title: 'No recipients',
    description:
      'The campaign has no voters. With `nonVotants`: every voter who may vote has voted. With `nonJoints`: an email has reached every voter who may vote and has not voted. Nothing was sent.',
  },
  RetourIllisible: {
    status: 400,
    title: 'No delivery status',
    description:
      'The message has no delivery status (RFC 3464) with an action, or exceeds a limit of the parser. Send only delivery status notifications: automatic replies and reports of other kinds are none.',
  },
  QuotaDepasse: {
    status: 429,
    title: 'Email quota used up',
    description:
      'The email has more recipients than are left of the daily quota (`courrielsParJour` of `GET /b2b/v1/moi`). Nothing was sent. `detail` has the number left. The quota is renewed after the seconds in Retry-After, when a day begins in the time zone of the client.',
  },
});

/** Errors of e-mail. */
export const MESSAGING_ERRORS: readonly ErrorDefinition[] = [...Object.values(COURRIEL)];

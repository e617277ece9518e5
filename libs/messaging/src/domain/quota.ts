import { COURRIEL } from './messaging.errors';
import { DomainError } from '#platform/errors/domain-error';

/** The daily email quota of a tenant. */
export interface Quota {
  /** Recipients of a whole day. */
  readonly limite: number;
  /** Recipients left today. */
  readonly reste: number;
  /** Start of the next day in the time zone of the client, and seconds until then. */
  readonly renouveau: Date;
  readonly secondes: number;
  readonly fuseauHoraire: string;
}

/** Returns the error for an email to more recipients than are left. */
export function quotaDepasse(quota: Quota, recipients: number): DomainError {
  const { limite, reste, renouveau, secondes, fuseauHoraire } = quota;
  const advice =
    recipients > limite
      ? 'It exceeds the quota of a whole day: divide it over several days, or ask the operator for a larger quota.'
      : 'Send it after that, or to fewer recipients.';
  return new DomainError(
    COURRIEL.QuotaDepasse,
    `The email has ${recipients} recipients. The quota of ${limite} emails a day has ${reste} left. It is renewed at ${renouveau.toISOString()}, when a day begins in ${fuseauHoraire}. ${advice} Nothing was sent.`,
    { retryAfterSeconds: secondes },
  );
}

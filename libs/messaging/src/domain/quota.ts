import { COURRIEL } from './messaging.errors';
import { DomainError } from '#platform/errors/domain-error';
import { fr, type Text } from '#platform/errors/text';

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

const OVER_A_DAY: Text = {
  en: 'It exceeds the quota of a whole day: divide it over several days, or ask the operator for a larger quota.',
  fr: fr(
    "L'envoi dépasse le quota d'une journée entière : répartissez-le sur plusieurs jours, ou demandez à l'exploitant un quota plus grand.",
  ),
};
const LATER_OR_FEWER: Text = {
  en: 'Send it after that, or to fewer recipients.',
  fr: fr('Envoyez-le après ce moment, ou à moins de destinataires.'),
};

/** Returns the error for an email to more recipients than are left. */
export function quotaDepasse(quota: Quota, recipients: number): DomainError {
  const { limite, reste, renouveau, secondes, fuseauHoraire } = quota;
  const at = renouveau.toISOString();
  const advice = recipients > limite ? OVER_A_DAY : LATER_OR_FEWER;
  return new DomainError(
    COURRIEL.QuotaDepasse,
    {
      en: `The email has ${recipients} recipients. The quota of ${limite} emails a day has ${reste} left. It is renewed at ${at}, when a day begins in ${fuseauHoraire}. ${advice.en} Nothing was sent.`,
      fr: fr`Nombre de destinataires du courriel : ${recipients}. Il en reste ${reste} du quota de ${limite} courriels par jour. Le quota est renouvelé le ${at}, lorsqu'une journée commence dans ${fuseauHoraire}. ${advice.fr} Rien n'a été envoyé.`,
    },
    { retryAfterSeconds: secondes },
  );
}

import { ADHESION } from './adhesion.errors';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import { fr } from '#platform/errors/text';

/** Reasons in their order (docs/contract.md, "Deletion of cards"). The first one that applies is returned. */
const REFUSALS = [
  [
    'activeCampaign',
    ADHESION.LinkedToActiveCampaign,
    {
      en: 'The member is a voter of an active campaign: delete the card once the campaign has ended.',
      fr: fr(
        "Le membre est votant d'une campagne active : supprimez l'adhésion une fois la campagne terminée.",
      ),
    },
  ],
  [
    'payment',
    ADHESION.HasPayments,
    {
      en: 'A card linked to a payment cannot be deleted, and the link cannot be removed. Keep the card, and leave it out of later deletions.',
      fr: fr(
        'Une adhésion liée à un paiement ne peut pas être supprimée, et le lien ne peut pas être retiré. Conservez l’adhésion, et omettez-la des suppressions suivantes.',
      ),
    },
  ],
  [
    'paymentAuthorization',
    ADHESION.HasPaymentAuthorizations,
    {
      en: 'A card linked to a payment authorization cannot be deleted, and the link cannot be removed. Keep the card, and leave it out of later deletions.',
      fr: fr(
        'Une adhésion liée à une autorisation de paiement ne peut pas être supprimée, et le lien ne peut pas être retiré. Conservez l’adhésion, et omettez-la des suppressions suivantes.',
      ),
    },
  ],
] as const;

/** @throws DomainError `Adhesion.LinkedToActiveCampaign`, `Adhesion.HasPayments`, `Adhesion.HasPaymentAuthorizations` */
export function assertDeletable(holds: Record<(typeof REFUSALS)[number][0], boolean>): void {
  for (const [hold, code, detail] of REFUSALS) {
    if (holds[hold]) throw new DomainError(code, detail);
  }
}

/** Maximum number of cards that one request deletes. Each makes an event, and a delivery for each endpoint. */
export const MOST_DELETED = 200;

/** @throws DomainError `Requete.Invalide` for more cards than one request deletes */
export function assertFew(cards: number): void {
  if (cards <= MOST_DELETED) return;
  const detail = {
    en: `has more than ${MOST_DELETED} cards, which is the most that one request deletes. Delete the cards of one union (\`idExterneSyndicat\`), or each by its identifier`,
    fr: fr`a plus de ${MOST_DELETED} adhésions, le maximum qu'une requête supprime. Supprimez les adhésions d'un seul syndicat (\`idExterneSyndicat\`), ou chacune par son identifiant`,
  };
  throw invalidRequest([{ pointer: '{idExterneMembre}', code: 'length', detail }]);
}

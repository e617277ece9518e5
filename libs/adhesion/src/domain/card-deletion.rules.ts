import { ADHESION } from './adhesion.errors';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';

const KEPT =
  'cannot be deleted, and the link cannot be removed. Keep the card, and leave it out of later deletions.';

/** Reasons in their order (docs/contract.md, "Deletion of cards"). The first one that applies is returned. */
const REFUSALS = [
  [
    'activeCampaign',
    ADHESION.LinkedToActiveCampaign,
    'The member is a voter of an active campaign: delete the card once the campaign has ended.',
  ],
  ['payment', ADHESION.HasPayments, `A card linked to a payment ${KEPT}`],
  [
    'paymentAuthorization',
    ADHESION.HasPaymentAuthorizations,
    `A card linked to a payment authorization ${KEPT}`,
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
  const detail = `has more than ${MOST_DELETED} cards, which is the most that one request deletes. Delete the cards of one union (\`idExterneSyndicat\`), or each by its identifier`;
  throw invalidRequest([{ pointer: '{idExterneMembre}', code: 'length', detail }]);
}

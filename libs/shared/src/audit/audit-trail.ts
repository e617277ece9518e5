import type { Actor } from '../access/caller';
import type { Transactions } from '../database/transactions';

/** What was done, as the audit trail names it. */
export type AuditedAction =
  | 'adhesion.supprimer'
  | 'campagne.archiver'
  | 'campagne.creer'
  | 'campagne.depublier'
  | 'campagne.fermer'
  | 'campagne.modifier'
  | 'campagne.ouvrir'
  | 'campagne.publier'
  | 'campagne.structurer'
  | 'campagne.supprimer'
  | 'conciliation.confirmer'
  | 'conciliation.rejeter'
  | 'courriel.envoyer'
  | 'listeElectorale.creer'
  | 'signature.lire'
  | 'votant.droitDeVote'
  | 'votant.enregistrer'
  | 'votant.supprimer'
  | 'webhook.creer'
  | 'webhook.modifier'
  | 'webhook.recuperer'
  | 'webhook.rotation'
  | 'webhook.supprimer';

/**
 * Who did what, to which object, when (decisions, section 12): entries are added in the transaction of what they tell
 * of and never change. Opaque ids only; no content, and nobody's name.
 */
export class AuditTrail {
  constructor(private readonly transactions: Transactions) {}

  /** @param objets the service's ids of what it was done to, an entry each */
  async record(
    tenantId: string,
    { cleId, requestId }: Actor,
    action: AuditedAction,
    objets: readonly string[],
  ): Promise<void> {
    await this.transactions.client().query(
      `INSERT INTO journal (tenant_id, cle_id, action, objet_id, requete_id)
       SELECT $1::uuid, $2::uuid, $3, objet, $5 FROM unnest($4::uuid[]) objet`,
      [tenantId, cleId, action, objets, requestId],
    );
  }
}

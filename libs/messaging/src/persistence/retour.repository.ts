import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import type { Joignable } from '../domain/retour';

/** A recipient that a notification names. */
export interface Notifie extends Joignable {
  readonly id: string;
  readonly courrielId: string;
  codeSmtp: number | null;
}

/** Recipients that notifications name, in the ambient transaction. */
@Injectable()
export class RetourRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Locks and returns those of the recipients that the data space has. */
  async hold(tenantId: string, ids: readonly string[]): Promise<Notifie[]> {
    const { rows } = await this.transactions.client().query<Notifie>(
      `SELECT id_unique AS id, courriel_id AS "courrielId", etat, porteur IS NOT NULL AS "estPasse", statut, code_smtp AS "codeSmtp"
       FROM courriel_destinataire WHERE tenant_id = $1 AND id_unique = ANY ($2::uuid[])
       ORDER BY id_unique FOR NO KEY UPDATE`,
      [tenantId, ids],
    );
    return rows;
  }

  /** Writes state and status of recipients. A rejected one is not tried again. */
  async write(tenantId: string, changed: readonly Notifie[]): Promise<void> {
    const column = <K extends keyof Notifie>(key: K): Notifie[K][] => changed.map((one) => one[key]);
    await this.transactions.client().query(
      `UPDATE courriel_destinataire d SET etat = o.etat, statut = o.statut, code_smtp = o.code_smtp,
         echeance = CASE WHEN o.etat <> 'Rejete' THEN d.echeance END,
         date = CASE WHEN o.etat = d.etat THEN d.date ELSE clock_timestamp() END
       FROM unnest($2::uuid[], $3::text[], $4::text[], $5::int[]) AS o (id, etat, statut, code_smtp)
       WHERE d.tenant_id = $1 AND d.id_unique = o.id`,
      [tenantId, column('id'), column('etat'), column('statut'), column('codeSmtp')],
    );
  }
}

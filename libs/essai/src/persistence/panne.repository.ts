import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import type { Cible, Effet, Panne } from '../domain/panne.types';
import { wireTimestamp } from '#platform/database/json-items';

/** Condition of failures that have not ended. */
export const ACTIVE = 'restantes > 0 AND expire_le > clock_timestamp()';

const SHOWN = `route, webhook_id AS "webhookId", statut, delai_ms AS "delaiMs", coupure, fois, restantes,
  ${wireTimestamp('expire_le')} AS "expireLe"`;

/** Failures on demand. They go by the real time, also if the clock of the data space was moved. */
@Injectable()
export class PanneRepository {
  constructor(private readonly transactions: Transactions) {}

  list(tenantId: string): Promise<Panne[]> {
    return this.transactions.query<Panne>(
      { tenantId },
      {
        name: 'panne_list',
        text: `SELECT ${SHOWN} FROM panne_essai WHERE tenant_id = $1 AND ${ACTIVE} ORDER BY id_unique`,
        values: [tenantId],
      },
    );
  }

  /** Replaces the failure of the same route or endpoint, in the ambient transaction. @returns undefined if there are `most` others */
  async put(
    tenantId: string,
    { route, webhookId }: Cible,
    { statut, delaiMs, coupure }: Effet,
    fois: number,
    most: number,
  ): Promise<Panne | undefined> {
    await this.transactions.lockByName(`pannes ${tenantId}`);
    const client = this.transactions.client();
    await client.query(
      `DELETE FROM panne_essai WHERE tenant_id = $1 AND (NOT (${ACTIVE}) OR route = $2 OR webhook_id = $3)`,
      [tenantId, route, webhookId],
    );
    const { rows } = await client.query<Panne>(
      `INSERT INTO panne_essai (tenant_id, route, webhook_id, statut, delai_ms, coupure, fois, restantes, expire_le)
       SELECT $1, $2, $3, $4, $5, $6, $7, $7, clock_timestamp() + interval '1 hour'
       WHERE (SELECT count(*) FROM panne_essai WHERE tenant_id = $1) < $8 RETURNING ${SHOWN}`,
      [tenantId, route, webhookId, statut, delaiMs, coupure, fois, most],
    );
    return rows[0];
  }

  async removeAll(tenantId: string): Promise<void> {
    await this.transactions.execute(
      { tenantId },
      { name: 'panne_remove', text: 'DELETE FROM panne_essai WHERE tenant_id = $1', values: [tenantId] },
    );
  }

  /** Uses the failure of a route or an endpoint up by one. @returns undefined if there is none */
  async take(tenantId: string, { route, webhookId }: Cible): Promise<Effet | undefined> {
    const values = [tenantId, route, webhookId];
    const found = await this.transactions.lookUp(
      { tenantId },
      {
        name: 'panne_find',
        text: `SELECT FROM panne_essai WHERE tenant_id = $1 AND (route = $2 OR webhook_id = $3) AND ${ACTIVE}`,
        values,
      },
    );
    if (found.length === 0) return undefined;
    const [taken] = await this.transactions.execute<Effet>(
      { tenantId },
      {
        name: 'panne_take',
        text: `UPDATE panne_essai SET restantes = restantes - 1
               WHERE tenant_id = $1 AND (route = $2 OR webhook_id = $3) AND ${ACTIVE}
               RETURNING statut, delai_ms AS "delaiMs", coupure`,
        values,
      },
    );
    return taken;
  }
}

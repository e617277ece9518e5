import { Injectable } from '@nestjs/common';
import { REGLAGES } from '#clients/relations';
import { EMPLOIS, EMPLOYES, hasNotEnded, MEMBERSHIPS, TODAY } from '#membership/relations';
import { Transactions } from '#platform/database/transactions';
import { type Freins, isOn } from '../domain/freins';

const notEnded = (table: string): string =>
  `(SELECT count(*) FROM ${table} r WHERE r.tenant_id = $1 AND ${hasNotEnded(TODAY, 'r.')})`;

/** The brake of a data space without settings, as tests make them. */
const NONE = { terminaisonsPourcent: null, champsVidesPourcent: null, minimum: 1, jamaisSupprimer: false };

/** The brakes of clients. */
@Injectable()
export class FreinsQuery {
  constructor(private readonly transactions: Transactions) {}

  /** The brake of a data space, in the ambient transaction. Records are counted only where there is a brake. */
  async of(tenantId: string): Promise<Freins> {
    const client = this.transactions.client();
    const { rows } = await client.query<{ freins: Omit<Freins, 'enCours' | 'employes'> }>(
      `SELECT freins FROM ${REGLAGES} r WHERE tenant_id = $1`,
      [tenantId],
    );
    const freins = rows[0]?.freins ?? NONE;
    const counted = isOn(freins)
      ? await client.query<Pick<Freins, 'enCours' | 'employes'>>(
          `SELECT (${notEnded(EMPLOIS)} + ${notEnded(MEMBERSHIPS)})::int AS "enCours",
             (SELECT count(*)::int FROM ${EMPLOYES} e WHERE e.tenant_id = $1) AS employes`,
          [tenantId],
        )
      : undefined;
    return { ...freins, ...(counted?.rows[0] ?? { enCours: 0, employes: 0 }) };
  }
}

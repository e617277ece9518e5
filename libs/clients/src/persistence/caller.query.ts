import { Injectable } from '@nestjs/common';
import { Databases } from '#platform/database/databases';
import { COMMITS_AT_ONCE } from '#platform/database/commits-at-once.sql';
import { ranOutOfSpace } from '#platform/errors/sql-errors';
import { ADMINISTRATION } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { Cle } from '../domain/cle.entity';
import type { Client } from '../domain/client.entity';
import { isActive } from './cle.sql';

/** A key with its client, as far as a request depends on them. */
export interface PresentedCle {
  readonly cle: Pick<Cle, 'id' | 'tenantId' | 'role' | 'empreinte' | 'assertActive' | 'modulesOf'>;
  /** Client of the key; null for administrators. */
  readonly client:
    | (Pick<Client, 'id' | 'nom' | 'modules' | 'limiteParMinute' | 'quotaCourrielsParJour'> & {
        readonly environnement: string;
        readonly isSuspended: boolean;
      })
    | null;
}

type CallerRow = Partial<Cle> & Pick<PresentedCle, 'client'> & { readonly cellule: string | null };

const FIND = `SELECT k.id, k.role, k.empreinte, k.modules, k.expire_le AS "expireLe", k.revoque_le AS "revoqueLe",
         k.tenant_id AS "tenantId", t.cellule, CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'nom', c.nom,
           'modules', c.modules, 'limiteParMinute', c.limite_par_minute,
           'quotaCourrielsParJour', c.quota_courriels_par_jour, 'environnement', t.environnement,
           'isSuspended', c.suspendu_le IS NOT NULL) END AS client
  FROM cle k LEFT JOIN tenant t ON t.id = k.tenant_id LEFT JOIN client c ON c.id = t.client_id
  WHERE k.empreinte = $1`;

@Injectable()
export class CallerQuery {
  constructor(
    private readonly transactions: Transactions,
    private readonly databases: Databases,
  ) {}

  /**
   * Looks a key up by its fingerprint and notes its use, at most once a minute and where there is room for it. The use of
   * an active key alone is noted.
   */
  async find(empreinte: Buffer): Promise<PresentedCle | undefined> {
    const values = [empreinte];
    // The row may be locked for a while, in which the data space may move.
    const since = performance.now();
    const rows = await this.transactions
      .execute<CallerRow>(ADMINISTRATION, {
        name: 'caller_find',
        text: `WITH used AS (
                 UPDATE cle SET dernier_usage = now()
                 WHERE empreinte = $1 AND ${isActive('now()')}
                   AND (dernier_usage IS NULL OR dernier_usage < now() - interval '1 minute') AND ${COMMITS_AT_ONCE}
               ) ${FIND}`,
        values,
      })
      .catch((error: unknown) => {
        // A full disk must not refuse reads.
        if (!ranOutOfSpace(error)) throw error;
        return this.transactions.query<CallerRow>(ADMINISTRATION, { name: 'caller_see', text: FIND, values });
      });
    if (!rows[0]) return undefined;
    const { client, cellule, ...columns } = rows[0];
    // The request needs no look-up of its cell and client then.
    if (columns.tenantId && cellule && client)
      this.databases.know(columns.tenantId, { cell: cellule, clientId: client.id }, since);
    return { cle: Object.assign(new Cle(), columns), client };
  }
}

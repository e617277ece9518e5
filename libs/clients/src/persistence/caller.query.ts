import { Injectable } from '@nestjs/common';
import { ranOutOfSpace } from '#shared/database/sql-errors';
import { ADMINISTRATION, Transactions } from '#shared/database/transactions';

/** A key with what its client may do, as a request needs them. */
export interface CallerRow {
  cleId: string;
  role: string;
  empreinte: Buffer;
  cleModules: string[] | null;
  expireLe: Date | null;
  revoqueLe: Date | null;
  tenantId: string | null;
  environnement: string | null;
  clientId: string | null;
  clientNom: string | null;
  clientModules: string[] | null;
  limiteParMinute: number | null;
}

const FIND = `SELECT k.id AS "cleId", k.role, k.empreinte, k.modules AS "cleModules", k.expire_le AS "expireLe",
         k.revoque_le AS "revoqueLe", k.tenant_id AS "tenantId", t.environnement, c.id AS "clientId",
         c.nom AS "clientNom", c.modules AS "clientModules", c.limite_par_minute AS "limiteParMinute"
  FROM cle k LEFT JOIN tenant t ON t.id = k.tenant_id LEFT JOIN client c ON c.id = t.client_id
  WHERE k.empreinte = $1`;

@Injectable()
export class CallerQuery {
  constructor(private readonly transactions: Transactions) {}

  /** Looks a key up by its fingerprint and notes its use, at most once a minute and where there is room for it. */
  async find(empreinte: Buffer): Promise<CallerRow | undefined> {
    const values = [empreinte];
    const rows = await this.transactions
      .query<CallerRow>(ADMINISTRATION, {
        name: 'caller_find',
        text: `WITH used AS (
                 UPDATE cle SET dernier_usage = now()
                 WHERE empreinte = $1 AND revoque_le IS NULL AND (expire_le IS NULL OR expire_le > now())
                   AND (dernier_usage IS NULL OR dernier_usage < now() - interval '1 minute')
               ) ${FIND}`,
        values,
      })
      .catch((error: unknown) => {
        // Nobody is refused a read because the disk is full.
        if (!ranOutOfSpace(error)) throw error;
        return this.transactions.query<CallerRow>(ADMINISTRATION, { name: 'caller_see', text: FIND, values });
      });
    return rows[0];
  }
}

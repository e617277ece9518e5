import { Injectable } from '@nestjs/common';
import { Databases } from '#platform/database/databases';
import { ADMINISTRATION } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { Cle } from '../domain/cle.entity';
import type { Client } from '../domain/client.entity';

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
  /** The cell of its data space; null for administrators. */
  readonly cellule: string | null;
  /** The state of the directory at the look-up. */
  readonly etat: string;
}

type CallerRow = Partial<Cle> & Pick<PresentedCle, 'client' | 'cellule' | 'etat'>;

/** The triggers of `etat_annuaire` are on all columns that it reads. */
export const FIND = `SELECT k.id, k.role, k.empreinte, k.modules, k.expire_le AS "expireLe", k.revoque_le AS "revoqueLe",
         k.tenant_id AS "tenantId", t.cellule, e.etat, CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'nom', c.nom,
           'modules', c.modules, 'limiteParMinute', c.limite_par_minute,
           'quotaCourrielsParJour', c.quota_courriels_par_jour, 'environnement', t.environnement,
           'isSuspended', c.suspendu_le IS NOT NULL) END AS client
  FROM cle k CROSS JOIN etat_annuaire e LEFT JOIN tenant t ON t.id = k.tenant_id LEFT JOIN client c ON c.id = t.client_id
  WHERE k.empreinte = $1`;

@Injectable()
export class CallerQuery {
  constructor(
    private readonly transactions: Transactions,
    private readonly databases: Databases,
  ) {}

  /** Looks a key up by its fingerprint. */
  async find(empreinte: Buffer): Promise<PresentedCle | undefined> {
    const since = performance.now();
    const [row] = await this.transactions.query<CallerRow>(ADMINISTRATION, {
      name: 'caller_find',
      text: FIND,
      values: [empreinte],
    });
    if (!row) return undefined;
    const { client, cellule, etat, ...columns } = row;
    const presented = { cle: Object.assign(new Cle(), columns), client, cellule, etat };
    this.know(presented, since);
    return presented;
  }

  /** Returns the state of the directory, which changes with each transaction that changes what a key opens. */
  async etat(): Promise<string> {
    const [row] = await this.transactions.query<{ etat: string }>(ADMINISTRATION, {
      name: 'directory_state',
      text: 'SELECT etat FROM etat_annuaire',
      values: [],
    });
    return row!.etat;
  }

  /**
   * Stores where the data space of a key lives and its client, so that the request looks neither up.
   *
   * @param since a moment, by `performance.now()`, after which the look-up was still right
   */
  know({ cle: { tenantId }, client, cellule }: PresentedCle, since: number): void {
    if (tenantId && cellule && client)
      this.databases.know(tenantId, { cell: cellule, clientId: client.id }, since);
  }
}

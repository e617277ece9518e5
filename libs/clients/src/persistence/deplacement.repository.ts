import { Injectable } from '@nestjs/common';
import { UNIQUE_VIOLATION, violates } from '#platform/database/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { DEPLACEMENT } from '../domain/clients.errors';
import type { Deplacement } from '../domain/deplacement.types';

const COLUMNS = `id, tenant_id AS "tenantId", cellule_origine AS "celluleOrigine", cellule, etat, traites::float8, total::float8,
  erreur, date_creation AS "dateCreation", date_bascule AS "dateBascule", date_fin AS "dateFin"`;

/** Moves of data spaces, in the ambient transaction of administration. */
@Injectable()
export class DeplacementRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Cell of a data space. */
  cellOf(tenantId: string): Promise<string> {
    return this.transactions.value('SELECT cellule FROM tenant WHERE id = $1', [tenantId]);
  }

  /** @throws DomainError `Deplacement.EnCours` */
  async insert(tenantId: string, origin: string, cellule: string): Promise<Deplacement> {
    const { rows } = await this.transactions
      .client()
      .query<Deplacement>(
        `INSERT INTO deplacement (tenant_id, cellule_origine, cellule) VALUES ($1, $2, $3) RETURNING ${COLUMNS}`,
        [tenantId, origin, cellule],
      )
      .catch((error: unknown) => {
        throw violates(error, UNIQUE_VIOLATION, 'deplacement_en_cours')
          ? new DomainError(DEPLACEMENT.EnCours)
          : error;
      });
    return rows[0]!;
  }

  /** The latest move of a data space. */
  async latest(tenantId: string): Promise<Deplacement | undefined> {
    const { rows } = await this.transactions
      .client()
      .query<Deplacement>(
        `SELECT ${COLUMNS} FROM deplacement WHERE tenant_id = $1 ORDER BY date_creation DESC, id DESC LIMIT 1`,
        [tenantId],
      );
    return rows[0];
  }

  /** Moves that have not ended, in the order of their requests. */
  async open(): Promise<Deplacement[]> {
    const { rows } = await this.transactions
      .client()
      .query<Deplacement>(
        `SELECT ${COLUMNS} FROM deplacement WHERE date_fin IS NULL ORDER BY date_creation, id`,
      );
    return rows;
  }
}

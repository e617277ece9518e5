import { Injectable } from '@nestjs/common';
import { UNIQUE_VIOLATION, violates } from '#platform/errors/sql-errors';
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

  /** Moves from or to a cell that were switched after a moment, the latest of each data space. */
  async switchedSince(cell: string, moment: Date): Promise<Deplacement[]> {
    const { rows } = await this.transactions.client().query<Deplacement>(
      `SELECT DISTINCT ON (tenant_id) ${COLUMNS} FROM deplacement
       WHERE date_bascule > $2 AND $1 IN (cellule, cellule_origine) ORDER BY tenant_id, date_bascule DESC`,
      [cell, moment],
    );
    return rows;
  }

  /** Returns the data spaces that a cell has, whatever the directory says: each has settings. */
  async spacesIn(cell: string): Promise<string[]> {
    const rows = await this.transactions.query<{ id: string }>(
      { cell },
      { text: 'SELECT tenant_id AS id FROM reglage ORDER BY tenant_id', values: [] },
    );
    return rows.map(({ id }) => id);
  }

  /** Whether the cell of a data space has it, by a statement of its own: each has settings. */
  async isThere(tenantId: string): Promise<boolean> {
    const rows = await this.transactions.query(
      { tenantId },
      { text: 'SELECT FROM reglage WHERE tenant_id = $1', values: [tenantId] },
    );
    return rows.length > 0;
  }
}

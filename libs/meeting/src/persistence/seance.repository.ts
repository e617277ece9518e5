import { SEANCE } from '../domain/meeting.errors';
import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import type { PresencesRecord, SeanceRecord } from '../domain/seance.fields';

/** Meetings with their numbers of persons. */
@Injectable()
export class SeanceRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Adds a meeting in the ambient transaction. @param id given by the database if absent @returns its id */
  async insert(tenantId: string, record: SeanceRecord, id?: string): Promise<string> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO seance (tenant_id, id_unique, titre, date, syndicat_id_externe, quorum)
       VALUES ($1, coalesce($6, uuidv7()), $2, $3, $4, $5) RETURNING id_unique AS id`,
      [tenantId, record.titre, record.date, record.syndicatIdExterne, record.quorum, id],
    );
    return rows[0]!.id;
  }

  /** @throws DomainError `Seance.NotFound` */
  async assertExists(tenantId: string, id: string): Promise<void> {
    const rows = await this.transactions.query(
      { tenantId },
      {
        name: 'seance_exists',
        text: 'SELECT FROM seance WHERE tenant_id = $1 AND id_unique = $2',
        values: [tenantId, id],
      },
    );
    if (rows.length === 0) throw noSeance();
  }

  /**
   * Locks the meeting's presences against other writers until the ambient transaction ends.
   *
   * @throws DomainError `Seance.NotFound`
   */
  async lock(tenantId: string, id: string): Promise<void> {
    const { rowCount } = await this.transactions
      .client()
      .query('SELECT FROM seance WHERE tenant_id = $1 AND id_unique = $2 FOR NO KEY UPDATE', [tenantId, id]);
    if (rowCount === 0) throw noSeance();
  }

  async updatePresences(tenantId: string, id: string, record: PresencesRecord): Promise<void> {
    await this.transactions
      .client()
      .query(
        'UPDATE seance SET inscrits = $3, presents = $4, votants = $5 WHERE tenant_id = $1 AND id_unique = $2',
        [tenantId, id, record.inscrits, record.presents, record.votants],
      );
  }
}

/** Throws the error of an unknown meeting. */
export function noSeance(): DomainError {
  return new DomainError(SEANCE.NotFound);
}

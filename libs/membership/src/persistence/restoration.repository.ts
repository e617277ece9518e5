import { Injectable } from '@nestjs/common';
import { CopiedRows } from '#platform/bulk/copied-rows';
import { FRESH_PLANS } from '#platform/database/fresh-plans.sql';
import { Transactions } from '#platform/database/transactions';
import { withBoundedUnions } from './bounded-unions';
import type { Conflict } from '../domain/conflict.fields';
import { MOST_NESTED_BYTES } from '../domain/employe-v2.fields';
import { tooLargeEmploye } from '../domain/membership.errors';
import { tooLarge } from './nested-size.sql';
import { EffetsRepository } from './effets.repository';
import {
  conflictsOf,
  imagesOf,
  insertRemoved,
  lock,
  NOTE_COLUMNS,
  ofEmploye,
  personsOf,
  presentNotes,
  putBack,
  removeMade,
  RESTORED_COLUMNS,
} from './images.sql';

/** Numbers of records that were put back. */
export interface Restored {
  readonly crees: number;
  readonly modifies: number;
  readonly termines: number;
  readonly supprimes: number;
  readonly champsVides: number;
  /** Records that were as before the sync already. */
  readonly inchanges: number;
  readonly conflits: readonly Conflict[];
  readonly nombreConflits: number;
  /** The temporary table of the employees whose records were put back: column `id_externe`. */
  readonly employes: string;
  /** The temporary table of the employees who were removed: columns `id_externe` and `id_unique`. */
  readonly retires: string;
}

/** Number of records from which an undo reads tables whole. */
const LARGE = 1_000;

/** Puts records back as they were before a sync (docs/adr/0053), in the ambient transaction. */
@Injectable()
export class RestorationRepository {
  constructor(
    private readonly transactions: Transactions,
    private readonly effets: EffetsRepository,
  ) {}

  /**
   * Puts back what has not changed since, and writes nothing else.
   *
   * @param date when the sync was done
   * @param notes of the sync
   * @param mostConflicts maximum number of conflicts that are listed; all are counted
   * @throws DomainError `Requete.Invalide` for a union or an employee that would be too large
   */
  async restore(tenantId: string, date: Date, notes: CopiedRows, mostConflicts: number): Promise<Restored> {
    const client = this.transactions.client();
    const tables = await this.effets.tables();
    await client.query(`CREATE TEMPORARY TABLE notes (${NOTE_COLUMNS}) ON COMMIT DROP`);
    await notes.into(client, 'notes');
    await client.query(`CREATE TEMPORARY TABLE personnes ON COMMIT DROP AS ${personsOf('notes')}`, [
      tenantId,
      date,
    ]);
    await client.query(
      `ANALYZE personnes;
       CREATE TEMPORARY TABLE notes_nettes ON COMMIT DROP AS ${presentNotes('notes', 'personnes')};
       CREATE TEMPORARY TABLE images ON COMMIT DROP AS ${imagesOf(tables, 'notes_nettes')};
       CREATE TEMPORARY TABLE restaures (${RESTORED_COLUMNS}) ON COMMIT DROP;
       DROP TABLE notes, notes_nettes, personnes`,
    );
    await client.query(`CREATE INDEX ON images (entite, id_externe); ANALYZE images; ${FRESH_PLANS}`);
    // Without statistics, as of a fresh installation, PostgreSQL expects few rows and would compare each with each.
    const [size] = (
      await client.query<{ isLarge: boolean }>('SELECT count(*) > $1 AS "isLarge" FROM images', [LARGE])
    ).rows;
    if (size!.isLarge) await client.query('SET LOCAL enable_nestloop = off');
    const write = async (statements: Iterable<string | undefined>): Promise<void> => {
      for (const statement of statements)
        if (statement)
          await client.query(statement, statement.includes('$2') ? [tenantId, date] : [tenantId]);
    };
    await write(tables.map((table) => lock(table, tables)));
    await withBoundedUnions(async () => {
      await write(tables.flatMap((table) => [insertRemoved(table, tables), putBack(table, tables)]));
      await this.refuseLarge(tenantId);
      await client.query(
        `CREATE TEMPORARY TABLE retires ON COMMIT DROP AS SELECT t.id_externe, t.id_unique FROM employe t
         JOIN images i ON i.entite = 'Employe' AND i.id_externe = t.id_externe AND i.personne = t.id_unique AND i.image->>'de' IS NULL WHERE t.tenant_id = $1`,
        [tenantId],
      );
      await write(tables.toReversed().map((table) => removeMade(table, tables)));
    });
    await client.query(
      'DELETE FROM retires r USING employe e WHERE e.tenant_id = $1 AND e.id_externe = r.id_externe',
      [tenantId],
    );
    const restored = await this.restored(tenantId, date, mostConflicts);
    await client.query('SET LOCAL enable_nestloop = on');
    return restored;
  }

  /** Returns the notes of a sync without those of employees. */
  async without(notes: CopiedRows, idsExternes: readonly string[]): Promise<CopiedRows> {
    const client = this.transactions.client();
    await client.query(
      `CREATE TEMPORARY TABLE IF NOT EXISTS notes (${NOTE_COLUMNS}) ON COMMIT DROP; TRUNCATE notes`,
    );
    await notes.into(client, 'notes');
    await client.query(`DELETE FROM notes WHERE ${ofEmploye('ANY ($1)')}`, [idsExternes]);
    return CopiedRows.of(client, 'notes');
  }

  /** @throws DomainError `Requete.Invalide` for an employee whose nested records would be too large together */
  private async refuseLarge(tenantId: string): Promise<void> {
    const employes = `(SELECT DISTINCT coalesce(employe, record) AS id_externe FROM restaures
      WHERE nature = 'Cree' AND entite IN ('Emploi', 'Adhesion') OR champ IS NOT NULL)`;
    const { rows } = await this.transactions
      .client()
      .query<{ idExterne: string }>(tooLarge(employes), [tenantId, MOST_NESTED_BYTES]);
    const [first] = rows;
    if (first) throw tooLargeEmploye(first.idExterne, MOST_NESTED_BYTES);
  }

  private async restored(tenantId: string, date: Date, mostConflicts: number): Promise<Restored> {
    const client = this.transactions.client();
    const tables = await this.effets.tables();
    await client.query(`CREATE TEMPORARY TABLE conflits ON COMMIT DROP AS ${conflictsOf(tables)}`, [
      ...[tenantId, date],
    ]);
    await client.query(
      `CREATE TEMPORARY TABLE restaures_employes ON COMMIT DROP AS
       SELECT DISTINCT coalesce(employe, record) AS id_externe FROM restaures WHERE entite IN ('Employe', 'Emploi', 'Adhesion');
       ANALYZE restaures_employes`,
    );
    const { rows } = await client.query<Omit<Restored, 'employes' | 'retires'>>(
      `SELECT count(*) FILTER (WHERE nature = 'Cree')::int AS crees, count(*) FILTER (WHERE nature = 'Modifie')::int AS modifies,
         count(*) FILTER (WHERE nature = 'Termine')::int AS termines, count(*) FILTER (WHERE nature = 'Supprime')::int AS supprimes,
         coalesce(sum(vides) FILTER (WHERE nature <> 'Supprime'), 0)::int AS "champsVides",
         (SELECT count(*) FROM images)::int - (SELECT count(*) FROM restaures)::int - (SELECT count(*) FROM conflits)::int AS inchanges,
         (SELECT count(*) FROM conflits)::int AS "nombreConflits",
         (SELECT coalesce(json_agg(json_strip_nulls(json_build_object('entite', entite, 'idExterne', record, 'idExterneEmploye', employe,
            'champ', champ, 'raison', raison)) ORDER BY entite, record, employe, champ), '[]')
          FROM (SELECT * FROM conflits ORDER BY entite, record, employe, champ LIMIT $1) c) AS conflits
       FROM (SELECT coalesce(max(nature), 'Modifie') AS nature, sum(vides) AS vides FROM restaures GROUP BY entite, record, employe) r`,
      [mostConflicts],
    );
    return { ...rows[0]!, employes: 'pg_temp.restaures_employes', retires: 'pg_temp.retires' };
  }
}

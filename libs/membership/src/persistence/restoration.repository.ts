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
  mergedNotes,
  NOTE_COLUMNS,
  OF_EMPLOYES,
  ofEmploye,
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
   * @param sync its id and when it was done
   * @param notes of the sync
   * @param mostConflicts maximum number of conflicts that are listed; all are counted
   * @throws DomainError `Requete.Invalide` for a union or an employee that would be too large
   */
  async restore(
    tenantId: string,
    { id: syncId, date }: { readonly id: string; readonly date: Date },
    notes: CopiedRows,
    mostConflicts: number,
  ): Promise<Restored> {
    const client = this.transactions.client();
    const tables = await this.effets.tables();
    await client.query(`CREATE TEMPORARY TABLE notes (${NOTE_COLUMNS}) ON COMMIT DROP`);
    await notes.into(client, 'notes');
    await this.follow(tenantId, syncId);
    await client.query(
      `CREATE TEMPORARY TABLE notes_nettes ON COMMIT DROP AS ${mergedNotes('notes')};
       CREATE TEMPORARY TABLE images ON COMMIT DROP AS ${imagesOf(tables, 'notes_nettes')};
       CREATE TEMPORARY TABLE restaures (${RESTORED_COLUMNS}) ON COMMIT DROP;
       DROP TABLE notes, notes_nettes`,
    );
    await client.query(`CREATE INDEX ON images (entite, id_externe); ANALYZE images; ${FRESH_PLANS}`);
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
         JOIN images i ON i.entite = 'Employe' AND i.id_externe = t.id_externe AND i.image->>'de' IS NULL WHERE t.tenant_id = $1`,
        [tenantId],
      );
      await write(tables.toReversed().map((table) => removeMade(table, tables)));
    });
    await client.query(
      'DELETE FROM retires r USING employe e WHERE e.tenant_id = $1 AND e.id_externe = r.id_externe',
      [tenantId],
    );
    return this.restored(tenantId, date, mostConflicts);
  }

  /** Gives the notes of a sync the identifiers that employees have got since, by the feed of changes. */
  private async follow(tenantId: string, syncId: string): Promise<void> {
    const client = this.transactions.client();
    const { rows } = await client.query<{ lot: string }>(
      `SELECT DISTINCT lot FROM changement WHERE tenant_id = $1 AND ancien_id_externe IS NOT NULL AND lot > (
         SELECT id_unique FROM changement_lot WHERE tenant_id = $1 AND sync_id = $2 ORDER BY 1 DESC LIMIT 1) ORDER BY lot`,
      [tenantId, syncId],
    );
    for (const { lot } of rows)
      for (const [column, entites] of [
        ['id_externe', `'Employe'`],
        ['parent', OF_EMPLOYES],
      ])
        await client.query(
          `UPDATE notes n SET ${column} = c.id_externe FROM changement c
           WHERE c.tenant_id = $1 AND c.lot = $2 AND c.nature = 'Modifie' AND c.ancien_id_externe = n.${column}
             AND n.entite IN (${entites})`,
          [tenantId, lot],
        );
  }

  /** Returns the notes of a sync without those of an employee. */
  async without(notes: CopiedRows, idExterne: string): Promise<CopiedRows> {
    const client = this.transactions.client();
    await client.query(
      `CREATE TEMPORARY TABLE IF NOT EXISTS notes (${NOTE_COLUMNS}) ON COMMIT DROP; TRUNCATE notes`,
    );
    await notes.into(client, 'notes');
    await client.query(`DELETE FROM notes WHERE ${ofEmploye('$1')}`, [idExterne]);
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

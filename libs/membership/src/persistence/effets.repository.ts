import { Injectable } from '@nestjs/common';
import { CopiedRows } from '#platform/bulk/copied-rows';
import { keptTable } from '#platform/bulk/stage';
import { Transactions } from '#platform/database/transactions';
import { hasNotEnded, TODAY } from './days.sql';
import { CHANGED_EMPLOYES, changedRecords, CHANGEMENT_COLUMNS, EMPLOYEUR, STAGES } from './effets.sql';
import { mergedNotes, NOTE_COLUMNS } from './images.sql';
import { type NotedTable, notedTables } from './noted-tables';
import { EMPLOIS } from './published.sql';

/** Numbers of changes of one employer's records, or of records that belong to none (null). */
export interface EffetsOfEmployeur {
  readonly employeur: string | null;
  readonly crees: number;
  readonly modifies: number;
  readonly inchanges: number;
  readonly termines: number;
  readonly champsVides: number;
}

/** The changes of a sync in the wire's terms. */
export interface DescribedEffets {
  /** Rows of `CHANGEMENT_COLUMNS`. */
  readonly changements: CopiedRows;
  /** The employers with the most changes, at most `MOST_EMPLOYEURS`. */
  readonly parEmployeur: readonly EffetsOfEmployeur[];
  /** The temporary table of the employees that were written, or whose employments or memberships were: column `id_externe`. */
  readonly employes: string;
}

/** Maximum number of employers whose changes are counted. */
const MOST_EMPLOYEURS = 1_000;

/** Notes the rows that a sync writes, and describes them in the wire's terms (docs/adr/0052). All in the ambient transaction. */
@Injectable()
export class EffetsRepository {
  private known: readonly NotedTable[] | undefined;

  constructor(private readonly transactions: Transactions) {}

  /** The noted tables, which the migrations of this release have made. */
  async tables(): Promise<readonly NotedTable[]> {
    this.known ??= await notedTables(this.transactions.client());
    return this.known;
  }

  /** From now to `end` or `merge`, or to a rollback to a savepoint before, triggers note each written row (effets_noter.sql). */
  async note(): Promise<void> {
    await this.transactions
      .client()
      .query(`${keptTable('effets', NOTE_COLUMNS)}; SELECT set_config('app.effets', 'notes', true)`);
  }

  /** Ends the noting, and returns the notes: rows of `NOTE_COLUMNS`. */
  async end(): Promise<CopiedRows> {
    const client = this.transactions.client();
    await client.query(`SELECT set_config('app.effets', '', true)`);
    return CopiedRows.of(client, 'effets');
  }

  /** Ends the noting, and merges the notes of each record into the temporary table `effets_nets`. */
  async merge(): Promise<void> {
    await this.transactions.client().query(
      `SELECT set_config('app.effets', '', true);
       CREATE TEMPORARY TABLE effets_nets ON COMMIT DROP AS ${mergedNotes('effets')};
       ANALYZE effets_nets`,
    );
  }

  /** Returns a digest of all written records, as before and after the sync. Call `merge` first. */
  async digest(): Promise<string> {
    // Leaves out what a second try changes: new identifiers and times, and the day on which employments that are left out end.
    return this.transactions.value<string>(
      `SELECT encode(sha256(coalesce(string_agg(ligne, '' ORDER BY entite, parent, id_externe), '')::bytea), 'hex') FROM (
         SELECT entite, parent, id_externe, md5(row(entite, parent, id_externe, avant,
           (apres - '{id_unique,date_creation,derniere_maj}'::text[]) || (CASE
             WHEN apres->'date_fin' = jour AND avant->'date_fin' IS DISTINCT FROM jour THEN '{"date_fin": "jour"}' ELSE '{}' END)::jsonb
         )::text) AS ligne
         FROM effets_nets, (SELECT to_jsonb(${TODAY}::timestamptz(3)) AS jour) j
       ) e`,
    );
  }

  /** Returns the changes of the sync, after `merge` and while its stages exist. */
  async describe(tenantId: string, version: 'V1' | 'V2'): Promise<DescribedEffets> {
    const client = this.transactions.client();
    await client.query(`CREATE TEMPORARY TABLE effets_dits ON COMMIT DROP AS ${changedRecords(version)}`);
    await client.query(`CREATE TEMPORARY TABLE effets_changements (${CHANGEMENT_COLUMNS}) ON COMMIT DROP`);
    await client.query(
      `INSERT INTO effets_changements SELECT row_number() OVER (ORDER BY coalesce(id_externe_employe, id_externe), entite, id_externe),
         entite, id_externe, id_externe_employe, nature, ('[' || champs || ']')::json FROM effets_dits WHERE nature <> 'Modifie' OR champs <> ''`,
    );
    const changements = await CopiedRows.of(client, 'effets_changements');
    await client.query(
      `CREATE TEMPORARY TABLE effets_employes ON COMMIT DROP AS
       SELECT DISTINCT coalesce(id_externe_employe, id_externe) AS id_externe FROM effets_dits
       WHERE entite IN ('Employe', 'Emploi', 'Adhesion');
       ANALYZE effets_employes`,
    );
    return { changements, parEmployeur: await this.byEmployeur(tenantId), employes: CHANGED_EMPLOYES };
  }

  /** Counts changed and unchanged records by employer: that of an employment, or of the newest employment of an employee. */
  private async byEmployeur(tenantId: string): Promise<EffetsOfEmployeur[]> {
    const client = this.transactions.client();
    const { rows: stages } = await client.query<{ name: string }>(
      'SELECT relname AS name FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relname = ANY ($1)',
      [Object.keys(STAGES)],
    );
    const staged = stages.map(({ name }) => `UNION ALL ${STAGES[name]}`).join(' ');
    const { rows } = await client.query<EffetsOfEmployeur>(
      `WITH sent (entite, id_externe, id_externe_employe, employeur) AS (
         SELECT NULL, NULL, NULL, NULL WHERE false ${staged}
       ), alle AS (
         SELECT entite, id_externe, id_externe_employe, employeur, nature, vides FROM effets_dits
         UNION ALL SELECT s.*, NULL, 0 FROM sent s WHERE NOT EXISTS (
           SELECT FROM effets_dits d WHERE d.entite = s.entite AND d.id_externe = s.id_externe
             -- PostgreSQL hashes no IS NOT DISTINCT FROM.
             AND coalesce(d.id_externe_employe, '') = coalesce(s.id_externe_employe, ''))
       ), employeurs AS (
         SELECT DISTINCT ON (m.id_externe_employe) m.id_externe_employe, m.${EMPLOYEUR} AS employeur
         FROM ${EMPLOIS} m WHERE m.tenant_id = $1 AND m.id_externe_employe IN (
           SELECT coalesce(id_externe_employe, id_externe) FROM alle WHERE entite IN ('Employe', 'Adhesion'))
         ORDER BY m.id_externe_employe, ${hasNotEnded(TODAY, 'm.')} DESC, m.date_debut DESC NULLS LAST, m.identifiant_externe
       )
       SELECT coalesce(a.employeur, e.employeur) AS employeur,
         count(*) FILTER (WHERE nature = 'Cree')::int AS crees, count(*) FILTER (WHERE nature = 'Modifie')::int AS modifies,
         count(*) FILTER (WHERE nature IS NULL)::int AS inchanges, count(*) FILTER (WHERE nature = 'Termine')::int AS termines,
         coalesce(sum(vides), 0)::int AS "champsVides"
       FROM alle a LEFT JOIN employeurs e
         ON a.entite IN ('Employe', 'Adhesion') AND e.id_externe_employe = coalesce(a.id_externe_employe, a.id_externe)
       WHERE coalesce(a.employeur, e.employeur) IS NOT NULL
       GROUP BY 1 ORDER BY count(nature) DESC, 1 LIMIT ${MOST_EMPLOYEURS}`,
      [tenantId],
    );
    return rows;
  }
}

import { Injectable } from '@nestjs/common';
import type { QueryConfig } from 'pg';
import { OWN_CELL, PURGE_BATCH, Transactions } from '#platform/database/transactions';
import type { Effets, Synced } from '../domain/effets.types';
import type { ErreurTache, EtatTache } from '../domain/tache.types';

/** A task as partners see it; `resultat` is JSON text. */
export interface TacheRow {
  id: string;
  type: string;
  etat: EtatTache;
  traites: number;
  total: number;
  resultat: string | null;
  /** Effects of a task that has succeeded; null for tasks of older versions. */
  effets: Effets | null;
  erreur: ErreurTache | null;
}

/** The data that a worker needs for a task. */
export interface TacheWork {
  readonly corps: Buffer;
  readonly total: number;
  readonly simulation: boolean;
}

/** Reads the body in PostgreSQL's binary format, because its text format would turn 64 MB into 128 MB. */
function rawCorps(tenantId: string, id: string): QueryConfig & { binary: true } {
  return {
    text: 'SELECT corps FROM tache WHERE tenant_id = $1 AND id_unique = $2',
    values: [tenantId, id],
    types: { getTypeParser: () => (value: unknown) => value },
    binary: true,
  };
}

/** The forms in which a JSON text may contain a string. The body is stored as sent, even if it is not JSON. */
function formsOf(text: string): Buffer[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const escaped = plain.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const upperCase = escaped.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
  const forms = [plain, escaped, upperCase].flatMap((form) => [form, form.replaceAll('/', '\\/')]);
  return [...new Set(forms)].map((form) => Buffer.from(form));
}

/** Tasks of a tenant. */
@Injectable()
export class TacheRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Adds a task in the ambient transaction. @param id given by the database if absent @returns its id */
  async insert(tenantId: string, { corps, total, simulation }: TacheWork, id?: string): Promise<string> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO tache (tenant_id, id_unique, type, etat, total, simulation, corps)
       VALUES ($1, coalesce($5, uuidv7()), 'sync', 'EnAttente', $2, $3, $4) RETURNING id_unique AS id`,
      [tenantId, total, simulation, corps, id],
    );
    return rows[0]!.id;
  }

  async countUnfinished(tenantId: string): Promise<number> {
    const text = 'SELECT count(*)::int AS count FROM tache WHERE tenant_id = $1 AND date_fin IS NULL';
    const { rows } = await this.transactions.client().query<{ count: number }>(text, [tenantId]);
    return rows[0]!.count;
  }

  async find(tenantId: string, id: string): Promise<TacheRow | undefined> {
    const rows = await this.transactions.query<TacheRow>(
      { tenantId },
      {
        name: 'tache_find',
        text: `SELECT id_unique AS id, type, etat, traites, total, resultat::text, effets, erreur FROM tache
               WHERE tenant_id = $1 AND id_unique = $2`,
        values: [tenantId, id],
      },
    );
    return rows[0];
  }

  /** Returns whether the body of an unfinished task contains an identifier, in the ambient transaction. */
  async isNamed(tenantId: string, idExterne: string): Promise<boolean> {
    const { rowCount } = await this.transactions.client().query(
      `SELECT FROM tache WHERE tenant_id = $1 AND date_fin IS NULL AND NOT simulation
         AND EXISTS (SELECT FROM unnest($2::bytea[]) form WHERE position(form IN corps) > 0) LIMIT 1`,
      [tenantId, formsOf(idExterne)],
    );
    return rowCount === 1;
  }

  /** Marks a task as begun. Returns undefined if it has ended or was removed. */
  async begin(tenantId: string, id: string): Promise<TacheWork | undefined> {
    return this.transactions.run({ tenantId }, async () => {
      const client = this.transactions.client();
      const { rows } = await client.query<Omit<TacheWork, 'corps'>>(
        `UPDATE tache SET etat = 'EnCours', traites = 0 WHERE tenant_id = $1 AND id_unique = $2 AND corps IS NOT NULL
         RETURNING total, simulation`,
        [tenantId, id],
      );
      if (!rows[0]) return undefined;
      const bodies = await client.query<{ corps: Buffer }>(rawCorps(tenantId, id));
      return { ...rows[0], corps: bodies.rows[0]!.corps };
    });
  }

  /** Writes the progress of a task in its own transaction. */
  async advance(tenantId: string, id: string, traites: number): Promise<void> {
    await this.transactions.execute(
      { tenantId },
      {
        name: 'tache_advance',
        text: `UPDATE tache SET traites = $3 WHERE tenant_id = $1 AND id_unique = $2 AND etat = 'EnCours' AND traites < $3`,
        values: [tenantId, id, traites],
      },
    );
  }

  /** Ends a task with its result, in the ambient transaction. Returns false if it had ended already. */
  async succeed(tenantId: string, id: string, { resultat, effets }: Synced<object>): Promise<boolean> {
    const { rowCount } = await this.transactions.client().query(
      `UPDATE tache SET etat = 'Reussie', traites = total, resultat = $3, effets = $4, corps = NULL, date_fin = clock_timestamp()
       WHERE tenant_id = $1 AND id_unique = $2 AND corps IS NOT NULL`,
      [tenantId, id, JSON.stringify(resultat), JSON.stringify(effets)],
    );
    return rowCount === 1;
  }

  /** Ends a task with an error, in the ambient transaction. Returns undefined if it had ended already. */
  async fail(
    tenantId: string,
    id: string,
    erreur: ErreurTache,
  ): Promise<{ simulation: boolean } | undefined> {
    const { rows } = await this.transactions.client().query<{ simulation: boolean }>(
      `UPDATE tache SET etat = 'Echouee', erreur = $3, corps = NULL, date_fin = clock_timestamp()
       WHERE tenant_id = $1 AND id_unique = $2 AND corps IS NOT NULL RETURNING simulation`,
      [tenantId, id, JSON.stringify(erreur)],
    );
    return rows[0];
  }

  /** Removes a batch of tasks, of all tenants, that ended more than 7 days ago. @returns their number */
  async purgeExpired(): Promise<number> {
    const rows = await this.transactions.execute<{ count: number }>(OWN_CELL, {
      name: 'tache_purge',
      text: `WITH removed AS (
               DELETE FROM tache WHERE (tenant_id, id_unique) IN (
                 SELECT tenant_id, id_unique FROM tache WHERE date_fin < now() - interval '7 days'
                 ORDER BY date_fin LIMIT $1
               ) RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [PURGE_BATCH],
    });
    return rows[0]?.count ?? 0;
  }
}

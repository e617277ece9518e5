import { Injectable } from '@nestjs/common';
import { oldestRows, PURGE_BATCH } from '#platform/database/oldest-rows.sql';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import type { Json } from '#platform/database/json';
import type { Effets } from '../domain/effets.types';
import { formsOf, rawCorps } from './corps.sql';
import type { ErreurTache, EtatTache, TypeTache } from '../domain/tache.types';

/** A task as partners see it. */
export interface TacheRow {
  readonly id: string;
  readonly type: string;
  readonly etat: EtatTache;
  readonly traites: number;
  readonly total: number;
  /** JSON text; null without a result, or if it is long. */
  readonly resultat: string | null;
  readonly long: LongResult | null;
  /** Effects of a task that has succeeded; null for tasks of older versions. */
  readonly effets: Effets | null;
  readonly erreur: ErreurTache | null;
}

/** A result that is read part by part. */
export interface LongResult {
  /** Digests of its parts. */
  readonly empreinte: string;
  readonly morceaux: number;
  /** Whether it is one value, as the release before stored it. */
  readonly estEntier: boolean;
}

/** Length up to which a result is one value, in UTF-16 units. The release before stored results of any length so. */
const SHORT_LENGTH = 65_536;

/** Bytes up to which a result that is one value is read whole. */
const MOST_WHOLE = 2 ** 20;

/** Bytes of results that one statement of the purge removes, and those of one task more. */
const PURGED_BYTES = 256 * 2 ** 20;

/** Length of a part, in UTF-16 units. */
const PART_LENGTH = 262_144;

interface Morceau {
  /** The list whose errors the part has; null for the text between lists. */
  readonly liste: string | null;
  readonly octets: Buffer;
}

/** The data that a worker needs for a task. */
export interface TacheWork {
  readonly type: TypeTache;
  readonly corps: Buffer;
  readonly total: number;
  readonly simulation: boolean;
  /** Version of the sync that is planned; of a plan only. */
  readonly version?: 'V1' | 'V2' | null;
}

const PART = {
  name: 'tache_part',
  text: 'SELECT liste, octets FROM tache_morceau WHERE tenant_id = $1 AND tache_id = $2 AND place = $3',
} as const;

const SLICE = {
  name: 'tache_slice',
  text: `SELECT NULL AS liste, convert_to(substr(resultat::text, $3::integer * ${PART_LENGTH} + 1, ${PART_LENGTH}), 'UTF8') AS octets
         FROM tache WHERE tenant_id = $1 AND id_unique = $2`,
} as const;

const COMMA = Buffer.from(',');

/** A result: counts and errors of each list. */
type Lists = Readonly<Record<string, { readonly Erreurs: readonly object[] }>>;

/** Returns the JSON text of a result, or undefined if it is long. */
function shortText(resultat: Lists): string | undefined {
  let text = '';
  let before: string | null = null;
  for (const { liste, octets } of morceauxOf(resultat)) {
    text += (liste !== null && liste === before ? ',' : '') + octets.toString();
    if (text.length > SHORT_LENGTH) return undefined;
    before = liste;
  }
  return text;
}

/** Yields the JSON text of a result in parts. Each has whole errors of one list, or the text between two lists. */
function* morceauxOf(resultat: Lists): Generator<Morceau, void> {
  let glue = '{';
  for (const [name, { Erreurs, ...counts }] of Object.entries(resultat)) {
    glue += `${JSON.stringify(name)}:{${JSON.stringify(counts).slice(1, -1)},"Erreurs":[`;
    yield { liste: null, octets: Buffer.from(glue) };
    let errors = '';
    for (const error of Erreurs) {
      errors += (errors && ',') + JSON.stringify(error);
      if (errors.length < PART_LENGTH) continue;
      yield { liste: name, octets: Buffer.from(errors) };
      errors = '';
    }
    if (errors) yield { liste: name, octets: Buffer.from(errors) };
    glue = ']},';
  }
  yield { liste: null, octets: Buffer.from(`${glue.replace(',', '')}}`) };
}

/** Tasks of a tenant. */
@Injectable()
export class TacheRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Adds a task in the ambient transaction. @param id given by the database if absent @returns its id */
  async insert(
    tenantId: string,
    { type, corps, total, simulation, version }: TacheWork,
    id?: string,
  ): Promise<string> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO tache (tenant_id, id_unique, type, etat, total, simulation, corps, version)
       VALUES ($1, coalesce($5, uuidv7()), $6, 'EnAttente', $2, $3, $4, $7) RETURNING id_unique AS id`,
      [tenantId, total, simulation, corps, id, type, version],
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
        text: `SELECT t.id_unique AS id, t.type, t.etat, t.traites, t.total,
                 CASE WHEN NOT r.est_long THEN t.resultat::text END AS resultat,
                 CASE WHEN r.est_long THEN json_build_object('empreinte', md5(t.resultat::text),
                     'morceaux', ceil(length(t.resultat::text)::numeric / ${PART_LENGTH}), 'estEntier', true)
                   WHEN m.count > 0 THEN json_build_object('empreinte', m.empreinte, 'morceaux', m.count, 'estEntier', false)
                 END AS long,
                 t.effets, t.erreur
               FROM tache t,
                 LATERAL (SELECT coalesce(octet_length(t.resultat::text) > ${MOST_WHOLE}, false) AS est_long OFFSET 0) r,
                 LATERAL (
                   SELECT count(*)::int, string_agg(encode(m.empreinte, 'hex'), '' ORDER BY m.place) AS empreinte
                   FROM tache_morceau m WHERE m.tenant_id = $1 AND m.tache_id = t.id_unique
                 ) m
               WHERE t.tenant_id = $1 AND t.id_unique = $2`,
        values: [tenantId, id],
      },
    );
    return rows[0];
  }

  /** Yields the parts of a long result. @throws Error if the task has been removed meanwhile */
  async *parts(tenantId: string, id: string, long: LongResult): AsyncGenerator<Buffer, void> {
    let liste: string | null = null;
    for (let place = 0; place < long.morceaux; place++) {
      const [part] = await this.transactions.query<Morceau>(
        { tenantId },
        {
          ...(long.estEntier ? SLICE : PART),
          values: [tenantId, id, place],
        },
      );
      if (!part) throw new Error('The task was removed while its result was read.');
      if (part.liste !== null && part.liste === liste) yield COMMA;
      yield part.octets;
      ({ liste } = part);
    }
  }

  /** Returns whether the body of an unfinished task contains one of the identifiers, in the ambient transaction. */
  async isNamed(tenantId: string, ...idsExternes: readonly string[]): Promise<boolean> {
    const { rowCount } = await this.transactions.client().query(
      `SELECT FROM tache WHERE tenant_id = $1 AND date_fin IS NULL AND NOT simulation
         AND EXISTS (SELECT FROM unnest($2::bytea[]) form WHERE position(form IN corps) > 0) LIMIT 1`,
      [tenantId, idsExternes.flatMap(formsOf)],
    );
    return rowCount === 1;
  }

  /** Marks a task as begun. Returns undefined if it has ended or was removed. */
  async begin(tenantId: string, id: string): Promise<TacheWork | undefined> {
    return this.transactions.run({ tenantId }, async () => {
      const client = this.transactions.client();
      const { rows } = await client.query<Omit<TacheWork, 'corps'>>(
        `UPDATE tache SET etat = 'EnCours', traites = 0 WHERE tenant_id = $1 AND id_unique = $2 AND corps IS NOT NULL
         RETURNING type, total, simulation, version`,
        [tenantId, id],
      );
      if (!rows[0]) return undefined;
      const bodies = await client.query<{ corps: Buffer }>(rawCorps('tache', tenantId, id));
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

  /** Whether a task of a type has not ended. In the ambient transaction. */
  hasUnfinished(tenantId: string, type: TypeTache): Promise<boolean> {
    return this.transactions.value(
      'SELECT EXISTS (SELECT FROM tache WHERE tenant_id = $1 AND date_fin IS NULL AND type = $2)',
      [tenantId, type],
    );
  }

  /** Whether a sync that writes, or a plan, has not ended. In the ambient transaction. */
  hasUnfinishedSync(tenantId: string): Promise<boolean> {
    return this.transactions.value(
      `SELECT EXISTS (SELECT FROM tache WHERE tenant_id = $1 AND date_fin IS NULL AND NOT simulation AND type IN ('sync', 'plan'))`,
      [tenantId],
    );
  }

  /**
   * Ends a task with its result, in the ambient transaction. Returns false if it had ended already.
   *
   * @param mostBytes of long results of the data space: beyond them the tasks that ended first are removed
   */
  async succeed(
    tenantId: string,
    id: string,
    { resultat, effets }: { readonly resultat: Lists | Json; readonly effets: Effets | null },
    mostBytes: number,
  ): Promise<boolean> {
    const short = typeof resultat === 'string' ? resultat : shortText(resultat);
    const client = this.transactions.client();
    const { rowCount } = await client.query(
      `UPDATE tache SET etat = 'Reussie', traites = total, resultat = $3, effets = $4, corps = NULL, date_fin = clock_timestamp()
       WHERE tenant_id = $1 AND id_unique = $2 AND corps IS NOT NULL`,
      [tenantId, id, short, effets && JSON.stringify(effets)],
    );
    if (rowCount !== 1) return false;
    if (short !== undefined) return true;
    let place = 0;
    let bytes = 0;
    for (const { liste, octets } of morceauxOf(resultat as Lists)) {
      bytes += octets.length;
      await client.query({
        name: 'tache_part_add',
        text: 'INSERT INTO tache_morceau (tenant_id, tache_id, place, liste, octets) VALUES ($1, $2, $3, $4, $5)',
        values: [tenantId, id, place++, liste, octets],
      });
    }
    await client.query({
      name: 'tache_octets',
      text: `WITH noted AS (
               UPDATE tache SET octets = $3 WHERE tenant_id = $1 AND id_unique = $2
             ), earlier AS (
               SELECT id_unique, sum(octets) OVER (ORDER BY date_fin DESC, id_unique) AS total FROM tache
               WHERE tenant_id = $1 AND id_unique <> $2 AND octets > 0
             ) DELETE FROM tache WHERE tenant_id = $1 AND id_unique IN (SELECT id_unique FROM earlier WHERE total + $3 > $4)`,
      values: [tenantId, id, bytes, mostBytes],
    });
    return true;
  }

  /** Ends a task with an error, in the ambient transaction. Returns undefined if it had ended already. */
  async fail(
    tenantId: string,
    id: string,
    erreur: ErreurTache,
  ): Promise<Pick<TacheWork, 'type' | 'simulation'> | undefined> {
    const { rows } = await this.transactions.client().query<Pick<TacheWork, 'type' | 'simulation'>>(
      `UPDATE tache SET etat = 'Echouee', erreur = $3, corps = NULL, date_fin = clock_timestamp()
       WHERE tenant_id = $1 AND id_unique = $2 AND corps IS NOT NULL RETURNING type, simulation`,
      [tenantId, id, JSON.stringify(erreur)],
    );
    return rows[0];
  }

  /** Removes a batch of tasks of data spaces that ended more than 7 days ago. @returns their number */
  async purgeExpired(spaces: readonly string[]): Promise<number> {
    const rows = await this.transactions.execute<{ count: number }>(OWN_CELL, {
      name: 'tache_purge',
      text: `WITH removed AS (
               DELETE FROM tache WHERE (tenant_id, id_unique) IN (
                 SELECT tenant_id, id_unique FROM (
                   SELECT tenant_id, id_unique, octets, sum(octets) OVER (ORDER BY place, id_unique) AS total
                   FROM (${oldestRows('tache', 'id_unique, octets', 'date_fin', '7 days')}) o
                 ) counted WHERE total - octets < $3
               ) RETURNING 1
             ) SELECT count(*)::int AS count FROM removed`,
      values: [spaces, PURGE_BATCH, PURGED_BYTES],
    });
    return rows[0]?.count ?? 0;
  }
}

import { Injectable } from '@nestjs/common';
import { upToPage } from '#platform/database/json-items';
import type { Piece } from '#platform/database/work-notes';
import { Maintenance } from '#platform/database/maintenance';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { NOW } from '../../campagne/persistence/campagne.sql';
import { dueCampagnes } from '../../campagne/persistence/due-campagnes.sql';
import { base64url } from '../../persistence/base64url.sql';
import { rollLeaf, rollLine, rollSalt } from '../../roll/persistence/roll-leaves.sql';

/** Voters in one part of the roll, unless their lines fill it earlier. */
const ROLL_PART = 5_000;

/** The class of advisory locks under which bundles are built. */
const BUILDING = 5;

/** A file of a bundle. */
export interface DossierFile {
  readonly nom: string;
  readonly octets: number;
  readonly sha256: string;
}

/** A bundle that is built. Digests in hex. */
export interface Dossier {
  readonly empreinte: string;
  readonly empreinteArchive: string;
  /** Time of all files in the archive. */
  readonly fermeture: Date;
  /** Files in the order of the archive. */
  readonly fichiers: readonly DossierFile[];
}

/** The state of a campaign, as far as its bundle depends on it. */
export interface DossierState {
  readonly estDu: boolean;
  readonly estScellee: boolean;
  /** Seconds until the vote ends; null before its publication. */
  readonly secondes: number | null;
  readonly constat: string | null;
}

/** Stores the bundles of sealed boxes, and reads them part by part. */
@Injectable()
export class DossierRepository {
  constructor(
    private readonly transactions: Transactions,
    private readonly maintenance: Maintenance,
  ) {}

  /** Campaigns of all tenants whose bundle is to be built. @param except campaigns to pass over */
  due(except: readonly string[]): Promise<Piece[]> {
    return this.transactions.query(OWN_CELL, {
      name: 'campagne_dossier_du',
      text: dueCampagnes('dossier_du'),
      values: [except],
    });
  }

  /**
   * Locks a campaign to build its bundle, and raises the time limits of the ambient transaction.
   *
   * @returns false if another worker builds it, or it is not due
   */
  async begin(tenantId: string, id: string): Promise<boolean> {
    await this.maintenance.raiseTimeLimits();
    const isFree = await this.transactions.value<boolean>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended($1, ${BUILDING}))`,
      [`${tenantId} ${id}`],
    );
    if (!isFree) return false;
    const { rowCount } = await this.transactions
      .client()
      .query('SELECT FROM campagne WHERE tenant_id = $1 AND id_unique = $2 AND dossier_du FOR KEY SHARE', [
        tenantId,
        id,
      ]);
    return rowCount === 1;
  }

  async addPart(tenantId: string, id: string, fichier: number, place: number, octets: Buffer): Promise<void> {
    await this.transactions.client().query({
      name: 'dossier_part_add',
      text: 'INSERT INTO dossier_morceau (tenant_id, campagne_id, fichier, place, octets) VALUES ($1, $2, $3, $4, $5)',
      values: [tenantId, id, fichier, place, octets],
    });
  }

  /** Stores a bundle whose parts are stored. */
  async add(tenantId: string, id: string, dossier: Omit<Dossier, 'fermeture'>, sel: Buffer): Promise<void> {
    const client = this.transactions.client();
    const { empreinte, empreinteArchive, fichiers } = dossier;
    await client.query(
      `INSERT INTO dossier (tenant_id, campagne_id, empreinte, empreinte_archive, sel)
       VALUES ($1, $2, decode($3, 'hex'), decode($4, 'hex'), $5)`,
      [tenantId, id, empreinte, empreinteArchive, sel],
    );
    await client.query(
      `INSERT INTO dossier_fichier (tenant_id, campagne_id, place, nom, octets, sha256)
       SELECT $1, $2, f.place - 1, f.value ->> 'nom', (f.value ->> 'octets')::bigint, decode(f.value ->> 'sha256', 'hex')
       FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY f (value, place)`,
      [tenantId, id, JSON.stringify(fichiers)],
    );
    await client.query('SELECT urne_livrer($1)', [id]);
  }

  /** Returns undefined without a bundle. */
  async find(tenantId: string, id: string): Promise<Dossier | undefined> {
    const [row] = await this.transactions.query<
      Omit<Dossier, 'fichiers'> & { fichiers: Dossier['fichiers'] | null }
    >(
      { tenantId },
      {
        name: 'dossier_find',
        text: `SELECT encode(d.empreinte, 'hex') AS empreinte, encode(d.empreinte_archive, 'hex') AS "empreinteArchive",
                 c.fermeture_du_vote_utc AS fermeture, (
                   SELECT jsonb_agg(jsonb_build_object('nom', f.nom, 'octets', f.octets, 'sha256', encode(f.sha256, 'hex'))
                     ORDER BY f.place)
                   FROM dossier_fichier f WHERE f.tenant_id = $1 AND f.campagne_id = $2) AS fichiers
               FROM dossier d JOIN campagne c ON c.tenant_id = d.tenant_id AND c.id_unique = d.campagne_id
               WHERE d.tenant_id = $1 AND d.campagne_id = $2`,
        values: [tenantId, id],
      },
    );
    // The erasure of a rehearsal removes the files first.
    return row?.fichiers ? { ...row, fichiers: row.fichiers } : undefined;
  }

  /** Returns undefined for an unknown campaign. */
  async state(tenantId: string, id: string): Promise<DossierState | undefined> {
    const [row] = await this.transactions.query<DossierState>(
      { tenantId },
      {
        name: 'dossier_state',
        text: `SELECT dossier_du AS "estDu", urne_scellee AS "estScellee", urne_constat AS constat,
                 CASE WHEN publiee THEN ceil(extract(epoch FROM fermeture_du_vote_utc - ${NOW}))::float8 END AS secondes
               FROM campagne WHERE tenant_id = $1 AND id_unique = $2`,
        values: [tenantId, id],
      },
    );
    return row;
  }

  /** The bytes of a file, part by part: each is read when it is wanted, so a slow reader holds no connection. */
  async *parts(tenantId: string, id: string, fichier: number): AsyncGenerator<Buffer, void> {
    for (let place = 0; ; place++) {
      const [row] = await this.transactions.query<{ octets: Buffer }>(
        { tenantId },
        {
          name: 'dossier_part',
          text: `SELECT octets FROM dossier_morceau
                 WHERE tenant_id = $1 AND campagne_id = $2 AND fichier = $3 AND place = $4`,
          values: [tenantId, id, fichier, place],
        },
      );
      if (!row) return;
      yield row.octets;
    }
  }

  /** The roll with the salts of its leaves, as NDJSON, in the order of the voters' ids. */
  async *roll(tenantId: string, id: string): AsyncGenerator<Buffer, void> {
    const lines = `SELECT v.id_unique AS id, ${rollLine(base64url(rollSalt('d.sel')))} || E'\\n' AS ligne
      FROM votant v JOIN dossier d ON d.tenant_id = v.tenant_id AND d.campagne_id = v.campagne_id
      WHERE v.tenant_id = $1 AND v.campagne_id = $2 AND ($3::uuid IS NULL OR v.id_unique > $3)
      ORDER BY v.id_unique LIMIT ${ROLL_PART}`;
    let after: string | null = null;
    do {
      const rows: { lignes: string | null; last: string | null }[] = await this.transactions.query(
        { tenantId },
        {
          name: 'dossier_roll',
          text: `SELECT string_agg(ligne, '' ORDER BY id) AS lignes, (array_agg(id ORDER BY id DESC))[1] AS last
                 FROM (${upToPage(lines, ['ligne', 'id'])}) v`,
          values: [tenantId, id, after],
        },
      );
      if (rows[0]!.lignes !== null) yield Buffer.from(rows[0]!.lignes);
      after = rows[0]!.last;
    } while (after !== null);
  }

  /** The proof of one voter. Returns undefined for an unknown voter. */
  async voter(tenantId: string, id: string, votantId: string) {
    const [row] = await this.transactions.query<{
      VotantId: string;
      Ligne: string;
      Sel: string;
      Feuille: string;
    }>(
      { tenantId },
      {
        name: 'dossier_voter',
        text: `SELECT v.id_unique AS "VotantId", ${rollLine()} AS "Ligne", ${base64url(rollSalt('d.sel'))} AS "Sel",
                 ${base64url(rollLeaf('d.sel'))} AS "Feuille"
               FROM votant v JOIN dossier d ON d.tenant_id = v.tenant_id AND d.campagne_id = v.campagne_id
               WHERE v.tenant_id = $1 AND v.campagne_id = $2 AND v.id_unique = $3`,
        values: [tenantId, id, votantId],
      },
    );
    return row;
  }
}

import { Injectable } from '@nestjs/common';
import { OWN_CELL } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import type { Piece } from '#platform/database/work-notes';
import { base64url } from '../../persistence/base64url.sql';
import { dueCampagnes } from '../../campagne/persistence/due-campagnes.sql';

/** The guardians of a campaign, and how far they are. */
export interface Chiffrement {
  readonly seuil: number;
  readonly gardiens: readonly string[];
  /** The key of the vote; null before the end of the ceremony. */
  readonly cle: Buffer | null;
  /** Digest of the ceremony. */
  readonly ceremonie: Buffer | null;
  /** SHA-256 of bulletins.ndjson; null until the sums are made. */
  readonly bulletins: Buffer | null;
}

/** A sum that the guardians have decrypted, as `urne_dechiffrer` takes it. */
export interface DecryptedSum {
  readonly classe: number;
  readonly question: number;
  readonly reponse: string;
  readonly bulletins: number;
  readonly poids: string;
}

/** Rounds of the ceremony; the files of the round behind them decrypt the sums. */
export const ROUNDS = 3;

/** Ballots that are read at once. The largest have some tens of kB each. */
const BALLOTS = 200;

/** The key and the structure by which a voter's device seals a ballot. */
export interface SealedScrutin {
  readonly campagneId: string;
  readonly ceremonie: string;
  readonly cle: string;
  readonly questions: SealedQuestion[];
  readonly seuilAnonymat: number;
  /** How often the campaign has been published. */
  readonly publications: number;
}

export interface SealedQuestion {
  readonly QuestionId: string;
  readonly Titre: string;
  readonly MinReponses: number;
  readonly MaxReponses: number;
  readonly Options: string[];
  readonly Libelles: string[];
}

/** Guardians, their files, and the sums of encrypted votes, in the ambient transaction unless said otherwise. */
@Injectable()
export class ChiffrementRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Returns undefined for a vote without guardians. */
  async find(tenantId: string, id: string): Promise<Chiffrement | undefined> {
    const { rows } = await this.transactions
      .client()
      .query<Chiffrement>(
        `SELECT seuil, gardiens, cle, ceremonie, bulletins FROM chiffrement WHERE tenant_id = $1 AND campagne_id = $2`,
        [tenantId, id],
      );
    return rows[0];
  }

  /** Replaces the guardians, whose files are deleted. */
  async define(tenantId: string, id: string, seuil: number, gardiens: readonly string[]): Promise<void> {
    const client = this.transactions.client();
    await client.query('DELETE FROM chiffrement WHERE tenant_id = $1 AND campagne_id = $2', [tenantId, id]);
    await client.query(
      'INSERT INTO chiffrement (tenant_id, campagne_id, seuil, gardiens) VALUES ($1, $2, $3, $4)',
      [tenantId, id, seuil, gardiens],
    );
  }

  /** Whether a question of the draft is ranked. */
  hasRankedQuestion(tenantId: string, id: string): Promise<boolean> {
    return this.transactions.value(
      'SELECT EXISTS (SELECT FROM question WHERE tenant_id = $1 AND campagne_id = $2 AND est_preferentiel)',
      [tenantId, id],
    );
  }

  /** The files of guardians, by round and then by guardian: of the ceremony, or the decryptions. */
  async files(tenantId: string, id: string, of: 'ceremony' | 'decryption'): Promise<string[]> {
    const { rows } = await this.transactions.client().query<{ contenu: string }>(
      `SELECT contenu FROM chiffrement_fichier
       WHERE tenant_id = $1 AND campagne_id = $2 AND (tour <= ${ROUNDS}) = $3 ORDER BY tour, gardien`,
      [tenantId, id, of === 'ceremony'],
    );
    return rows.map(({ contenu }) => contenu);
  }

  /** The decryptions that the result is made of: those of the first guardians that are enough. */
  async used(tenantId: string, id: string): Promise<string[]> {
    const { seuil } = (await this.find(tenantId, id))!;
    return (await this.files(tenantId, id, 'decryption')).slice(0, seuil);
  }

  /** @returns false if the guardian has given a file in this round */
  async addFile(
    tenantId: string,
    id: string,
    { tour, gardien, contenu }: { tour: number; gardien: number; contenu: string },
  ): Promise<boolean> {
    const { rowCount } = await this.transactions.client().query(
      `INSERT INTO chiffrement_fichier (tenant_id, campagne_id, tour, gardien, contenu) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
      [tenantId, id, tour, gardien, contenu],
    );
    return rowCount === 1;
  }

  async finish(tenantId: string, id: string, cle: Uint8Array, ceremonie: Uint8Array): Promise<void> {
    await this.transactions
      .client()
      .query('UPDATE chiffrement SET cle = $3, ceremonie = $4 WHERE tenant_id = $1 AND campagne_id = $2', [
        tenantId,
        id,
        Buffer.from(cle),
        Buffer.from(ceremonie),
      ]);
  }

  /** Returns undefined unless the campaign is published as an encrypted vote. Call it outside of a transaction. */
  async scrutin(tenantId: string, id: string): Promise<SealedScrutin | undefined> {
    const [row] = await this.transactions.query<SealedScrutin>(
      { tenantId },
      {
        name: 'chiffrement_scrutin',
        text: `SELECT c.id_unique AS "campagneId", ${base64url('u.ceremonie')} AS ceremonie, ${base64url('u.cle')} AS cle, (
                 SELECT jsonb_agg(jsonb_build_object('QuestionId', q.question_id, 'Titre', q.titre,
                   'MinReponses', greatest(1, q.min_reponses), 'MaxReponses', q.max_reponses,
                   'Options', o.ids, 'Libelles', o.libelles) ORDER BY q.place)
                 FROM urne_question q CROSS JOIN LATERAL (
                   SELECT jsonb_agg(o.option_id ORDER BY o.place) AS ids, jsonb_agg(o.libelle ORDER BY o.place) AS libelles
                   FROM urne_option o WHERE o.tenant_id = $1 AND o.campagne_id = $2 AND o.question = q.place) o
                 WHERE q.tenant_id = $1 AND q.campagne_id = $2
               ) AS questions, c.seuil_anonymat AS "seuilAnonymat", c.publications
               FROM campagne c JOIN urne u ON u.tenant_id = c.tenant_id AND u.campagne_id = c.id_unique
               WHERE c.tenant_id = $1 AND c.id_unique = $2 AND c.chiffree AND c.publiee`,
        values: [tenantId, id],
      },
    );
    return row;
  }

  /** Sealed boxes of all tenants whose sums are to be made, or of which enough guardians have decrypted them. @param except to pass over */
  due(except: readonly string[]): Promise<Piece[]> {
    return this.transactions.query(OWN_CELL, {
      name: 'chiffrement_du',
      text: dueCampagnes('chiffrement_du'),
      values: [except],
    });
  }

  /** Tells the workers that a step of the count is due, as soon as enough guardians have decrypted the sums. */
  async announce(tenantId: string, id: string): Promise<void> {
    await this.transactions.client().query(
      `UPDATE campagne c SET chiffrement_du = true FROM chiffrement h
       WHERE c.tenant_id = $1 AND c.id_unique = $2 AND NOT c.dechiffree AND h.tenant_id = $1 AND h.campagne_id = $2
         AND h.seuil <= (SELECT count(*) FROM chiffrement_fichier f
           WHERE f.tenant_id = $1 AND f.campagne_id = $2 AND f.tour > ${ROUNDS})`,
      [tenantId, id],
    );
  }

  /** The encrypted ballots of a sealed box: lines of bulletins.ndjson without their ends, in batches. Outside of a transaction. */
  async *ballots(tenantId: string, id: string): AsyncGenerator<readonly string[], void> {
    // Once, because every ballot of the box is counted for the classes.
    const cells = await this.transactions.query<Cell & { classe: number }>(
      { tenantId },
      {
        name: 'chiffrement_classes',
        text: 'SELECT k.*, trim_scale(k.poids)::text AS poids FROM urne_classes($1) k',
        values: [id],
      },
    );
    const classes = new Map(cells.map((cell) => [nameOf(cell), cell.classe]));
    for (let after: Buffer = Buffer.alloc(0); ;) {
      const rows = await this.transactions.query<BallotRow>(
        { tenantId },
        {
          name: 'chiffrement_bulletins',
          text: 'SELECT * FROM urne_bulletins($1, $2, $3)',
          values: [id, after, BALLOTS],
        },
      );
      if (rows.length === 0) return;
      yield rows.map((row) => lineOf(row, classes.get(nameOf(row))!));
      after = rows.at(-1)!.recu;
    }
  }

  /** Keeps the sums of all classes, and the SHA-256 of bulletins.ndjson. @returns false if they are there already */
  async keepSums(
    tenantId: string,
    id: string,
    lines: readonly string[],
    digest: Uint8Array,
  ): Promise<boolean> {
    const client = this.transactions.client();
    const { rowCount } = await client.query(
      'UPDATE chiffrement SET bulletins = $3 WHERE tenant_id = $1 AND campagne_id = $2 AND bulletins IS NULL',
      [tenantId, id, Buffer.from(digest)],
    );
    if (rowCount === 0) return false;
    await client.query('UPDATE campagne SET chiffrement_du = false WHERE tenant_id = $1 AND id_unique = $2', [
      tenantId,
      id,
    ]);
    await client.query(
      `INSERT INTO chiffrement_somme (tenant_id, campagne_id, classe, ligne)
       SELECT $1, $2, (ligne::jsonb ->> 'classe')::integer, ligne FROM unnest($3::text[]) s (ligne)`,
      [tenantId, id, lines],
    );
    return true;
  }

  /** The sums of all classes, as lines of sommes.ndjson without their ends. */
  async sums(tenantId: string, id: string): Promise<string[]> {
    const { rows } = await this.transactions
      .client()
      .query<{ ligne: string }>(
        'SELECT ligne FROM chiffrement_somme WHERE tenant_id = $1 AND campagne_id = $2 ORDER BY classe',
        [tenantId, id],
      );
    return rows.map(({ ligne }) => ligne);
  }

  /** Keeps the result. @returns false if it is there already */
  keepResult(id: string, sums: readonly DecryptedSum[]): Promise<boolean> {
    return this.transactions.value('SELECT urne_dechiffrer($1, $2)', [id, JSON.stringify(sums)]);
  }
}

/** Union, employer and weight, which determine the class of a ballot. */
interface Cell {
  readonly syndicat: string | null;
  readonly employeur: string | null;
  readonly poids: string;
}

/** An encrypted ballot of a sealed box. */
interface BallotRow extends Cell {
  readonly recu: Buffer;
  readonly bulletin: string;
  readonly votant: string;
}

const nameOf = ({ syndicat, employeur, poids }: Cell): string => JSON.stringify([syndicat, employeur, poids]);

/** Canonical JSON: base64url and decimals need no escape. */
function lineOf({ bulletin, poids, votant }: BallotRow, classe: number): string {
  return `{"bulletin":"${bulletin}","classe":${classe},"poids":"${poids}","votant":"${votant}"}`;
}

import type { Client } from 'pg';
import { MOST_OPTIONS, MOST_QUESTIONS } from '../../../libs/voting/src/structure/domain/question.fields';
import type { Answer, Fleet, FleetSpace } from './fleet';

/** Bytes of a structure at publication, of titles, labels and descriptions (docs/contract.md, "States and transitions"). */
export const MOST_BYTES = 2 * 2 ** 20;

/** A vote on the most questions and options, in which all voters abstain. */
export interface Structure {
  readonly what: string;
  /** SQL expression of the label of option `n` of all, from 0. */
  readonly libelle: string;
  readonly voters: number;
  /** Whether each voter has a union and an employer of their own. */
  readonly isDivided?: boolean;
  /** Published by a statement, as before structures had a bound. */
  readonly isUnbounded?: boolean;
}

const OPTIONS = MOST_QUESTIONS * MOST_OPTIONS;

/** Bytes of each label where all labels and titles together have the most bytes. Each title has one byte. */
const LABEL_BYTES = Math.floor((MOST_BYTES - MOST_QUESTIONS) / OPTIONS);

export const STRUCTURES = {
  largest: {
    what: 'the largest structure',
    libelle: `lpad(n::text, ${LABEL_BYTES}, 'o')`,
    voters: 1,
  },
  divided: {
    what: '40 voters, each with a union and an employer',
    libelle: `'Option ' || n`,
    voters: 40,
    isDivided: true,
  },
  unbounded: {
    what: 'labels of 490 four-byte characters, published before there was a bound',
    libelle: `repeat('𝄞', 484) || lpad(n::text, 6, '0')`,
    voters: 1,
    isUnbounded: true,
  },
} as const satisfies Record<string, Structure>;

/** Votes of one data space with large structures. */
export class LargeStructures {
  constructor(
    private readonly fleet: Fleet,
    private readonly url: string,
    private readonly database: Client,
    private readonly space: FleetSpace,
  ) {}

  /** Creates a draft. @returns its id */
  async draft({ what, libelle, voters, isDivided = false }: Structure): Promise<string> {
    const day = 86_400_000;
    const id = (await this.sent('POST', '', {
      titre: `${what} ${Date.now()}`,
      ouvertureDuVoteUtc: new Date(Date.now() + day).toISOString(),
      fermetureDuVoteUtc: new Date(Date.now() + 2 * day).toISOString(),
    })) as string;
    const values = await this.valuesOf(id);
    await this.database.query(
      `WITH q AS (
         INSERT INTO question (tenant_id, campagne_id, id_unique, ordre, titre, type, est_preferentiel,
           ordre_reponses_aleatoire, min_reponses, max_reponses)
         SELECT $1, $2, uuidv7(), ordre, 'Q', 'ChoixLibre', false, 0, 1, 1 FROM generate_series(1, ${MOST_QUESTIONS}) ordre
         RETURNING tenant_id, id_unique, ordre
       )
       INSERT INTO option (tenant_id, question_id, id_unique, ordre, libelle)
       SELECT q.tenant_id, q.id_unique, uuidv7(), o.place, ${libelle}
       FROM q CROSS JOIN generate_series(1, ${MOST_OPTIONS}) o (place)
         CROSS JOIN LATERAL (SELECT (q.ordre - 1) * ${MOST_OPTIONS} + o.place - 1 AS n) n`,
      values,
    );
    await this.database.query(
      `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, a_droit_de_vote, poids, syndicat_id_externe,
         employeur_identifiant_externe)
       SELECT $1, $2, 'Zoé', 'Roy', true, 1, CASE WHEN $4 THEN 'SYN-' || n END, CASE WHEN $4 THEN 'EMP-' || n END
       FROM generate_series(1, $3::int) n`,
      [...values, voters, isDivided],
    );
    await this.database.query(
      'UPDATE campagne SET nombre_votants = $3 WHERE tenant_id = $1 AND id_unique = $2',
      [...values, voters],
    );
    return id;
  }

  /** Creates an open vote in which all voters have abstained. @returns its id */
  async open(structure: Structure): Promise<string> {
    const id = await this.draft(structure);
    if (structure.isUnbounded) await this.publishUnbounded(id);
    else {
      await this.sent('POST', `/${id}/publier`);
      await this.sent('POST', `/${id}/ouvrir`);
    }
    await this.database.query(
      `WITH voted AS (
         UPDATE votant SET a_vote = true WHERE tenant_id = $1 AND campagne_id = $2
         RETURNING tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids
       ), receipt AS (
         INSERT INTO recu (tenant_id, campagne_id, empreinte)
         SELECT tenant_id, campagne_id, sha256(gen_random_uuid()::text::bytea) FROM voted
       )
       INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
       SELECT v.*, array_fill(''::text, ARRAY[${MOST_QUESTIONS}]) FROM voted v`,
      await this.valuesOf(id),
    );
    await this.database.query('ANALYZE');
    return id;
  }

  async close(id: string): Promise<void> {
    await this.sent('POST', `/${id}/fermer`);
  }

  async isBuilt(id: string): Promise<boolean> {
    const { rows } = await this.database.query('SELECT FROM dossier WHERE campagne_id = $1', [id]);
    return rows.length > 0;
  }

  /** MB that the stored bundle has. */
  async megabytes(id: string): Promise<number> {
    const { rows } = await this.database.query<{ bytes: string }>(
      'SELECT coalesce(sum(octet_length(octets)), 0) AS bytes FROM dossier_morceau WHERE campagne_id = $1',
      [id],
    );
    return Math.round(Number(rows[0]!.bytes) / 100_000) / 10;
  }

  send(method: string, path: string): Promise<Answer> {
    return this.fleet.send(this.url, this.space.partner, method, `/b2b/v1/campagnes${path}`);
  }

  private async publishUnbounded(id: string): Promise<void> {
    const values = await this.valuesOf(id);
    await this.database.query(
      `UPDATE campagne SET publiee = true, publications = publications + 1, ouverture_du_vote_utc = clock_timestamp()
       WHERE tenant_id = $1 AND id_unique = $2`,
      values,
    );
    await this.database.query(
      `WITH entered AS MATERIALIZED (SELECT set_config('app.tenant_id', $1::text, true))
       SELECT urne_preparer($2) FROM entered`,
      values,
    );
  }

  private async valuesOf(id: string): Promise<[tenantId: string, id: string]> {
    const { rows } = await this.database.query<{ id: string }>(
      'SELECT tenant_id AS id FROM cle WHERE id = $1',
      [this.space.partnerId],
    );
    return [rows[0]!.id, id];
  }

  private async sent(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await this.fleet.send(
      ...([this.url, this.space.partner, method, `/b2b/v1/campagnes${path}`, body] as const),
    );
    if (answer.status >= 300) throw new Error(`${path} ${answer.status} ${answer.text}`);
    return answer.json;
  }
}

import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { base64url, rollLeaf } from './roll-leaves.sql';

/** A question as the bundle shows it. */
export interface DossierQuestion {
  readonly QuestionId: string;
  readonly Titre: string;
  readonly Type: string;
  readonly EstPreferentiel: boolean;
  readonly MinReponses: number;
  readonly MaxReponses: number;
  readonly NombreElus: number | null;
  readonly Options: readonly { readonly OptionId: string; readonly Libelle: string }[];
}

/** The subject of the vote: questions, options, dates, threshold, seeds. */
export interface Scrutin {
  readonly campagneId: string;
  readonly titre: string;
  readonly ouvertureDuVoteUtc: string;
  readonly fermetureDuVoteUtc: string;
  readonly seuilAnonymat: number;
  readonly graineDepartage: string;
  readonly grainePartenaire: string | null;
  readonly questions: readonly DossierQuestion[];
}

/** Ballots that are published together (`urne_classes`). */
export interface DossierClass {
  readonly classe: number;
  readonly bulletins: number;
  readonly poids: string;
  readonly perimetres: readonly {
    readonly syndicatIdExterne: string | null;
    readonly employeurIdentifiantExterne: string | null;
  }[];
}

/** Totals of the roll. */
export interface RollTotals {
  readonly totalVotants: number;
  readonly totalVotantsAvecDroitDeVote: number;
  readonly votantsAyantVote: number;
  readonly poidsVotants: string;
  readonly poidsVotantsAvecDroitDeVote: string;
}

/** Equal answers to a question within a filter; of rankings, the first choice. */
export interface FilteredAnswers {
  readonly syndicat: string | null;
  readonly employeur: string | null;
  readonly question: number;
  readonly reponse: string;
  readonly bulletins: number;
  readonly poids: string;
}

/** Voters of a union and employer. */
export interface DossierParticipation {
  readonly syndicat: string | null;
  readonly employeur: string | null;
  readonly inscrits: number;
  readonly avecDroit: number;
  readonly ayantVote: number;
}

/** Digests that one row has: 128 KiB. */
const DIGESTS = 4_096;

/** Reads what the bundle of a sealed box is made of, in the ambient transaction. Large sources come in parts. */
@Injectable()
export class DossierSourcesQuery {
  constructor(private readonly transactions: Transactions) {}

  async scrutin(tenantId: string, id: string): Promise<Scrutin> {
    return this.transactions.value(
      `SELECT jsonb_build_object('campagneId', c.id_unique, 'titre', c.titre,
         'ouvertureDuVoteUtc', ${wireTimestamp('c.ouverture_du_vote_utc')},
         'fermetureDuVoteUtc', ${wireTimestamp('c.fermeture_du_vote_utc')}, 'seuilAnonymat', c.seuil_anonymat,
         'graineDepartage', encode(g.graine, 'hex'), 'grainePartenaire', encode(g.graine_partenaire, 'base64'),
         'questions', (
           SELECT coalesce(jsonb_agg(jsonb_build_object('QuestionId', q.question_id, 'Titre', q.titre, 'Type', q.type,
             'EstPreferentiel', q.est_preferentiel, 'MinReponses', q.min_reponses, 'MaxReponses', q.max_reponses,
             'NombreElus', q.nombre_elus, 'Options', (
               SELECT jsonb_agg(jsonb_build_object('OptionId', o.option_id, 'Libelle', o.libelle) ORDER BY o.place)
               FROM urne_option o WHERE o.tenant_id = $1 AND o.campagne_id = $2 AND o.question = q.place)) ORDER BY q.place), '[]')
           FROM urne_question q WHERE q.tenant_id = $1 AND q.campagne_id = $2))
       FROM campagne c, urne_graines($2) g WHERE c.tenant_id = $1 AND c.id_unique = $2`,
      [tenantId, id],
    );
  }

  classes(id: string): Promise<DossierClass[]> {
    return this.transactions.value(
      `SELECT coalesce(jsonb_agg(jsonb_build_object('classe', classe, 'bulletins', bulletins, 'poids', poids,
         'perimetres', perimetres) ORDER BY classe), '[]')
       FROM (
         SELECT classe, sum(bulletins) AS bulletins, trim_scale(sum(bulletins * poids))::text AS poids,
           jsonb_agg(DISTINCT jsonb_build_object('syndicatIdExterne', syndicat, 'employeurIdentifiantExterne', employeur)) AS perimetres
         FROM urne_classes($1) GROUP BY classe
       ) c`,
      [id],
    );
  }

  async rollTotals(tenantId: string, id: string): Promise<RollTotals> {
    return this.transactions.value(
      `SELECT jsonb_build_object('totalVotants', count(*), 'totalVotantsAvecDroitDeVote', count(*) FILTER (WHERE a_droit_de_vote),
         'votantsAyantVote', count(*) FILTER (WHERE a_vote), 'poidsVotants', trim_scale(coalesce(sum(poids), 0))::text,
         'poidsVotantsAvecDroitDeVote', trim_scale(coalesce(sum(poids) FILTER (WHERE a_droit_de_vote), 0))::text)
       FROM votant WHERE tenant_id = $1 AND campagne_id = $2`,
      [tenantId, id],
    );
  }

  /** The answers of each published filter with ballots; those of a filter follow each other. */
  filtered(id: string): AsyncGenerator<FilteredAnswers> {
    return this.rows(
      'SELECT syndicat, employeur, question, reponse, bulletins::int, poids::text FROM urne_filtrer($1)',
      [id],
    );
  }

  /** Voters by union and employer. */
  async participation(tenantId: string, id: string): Promise<DossierParticipation[]> {
    const { rows } = await this.transactions.client().query<DossierParticipation>(
      `SELECT syndicat_id_externe AS syndicat, employeur_identifiant_externe AS employeur, inscrits, avec_droit AS "avecDroit",
         ayant_vote AS "ayantVote"
       FROM participation WHERE tenant_id = $1 AND campagne_id = $2`,
      [tenantId, id],
    );
    return rows;
  }

  /** Lines of class, ballots, weight, decimals of the finest weight, and answer, sorted by the text of the class. */
  answers(id: string, question: number): AsyncGenerator<string> {
    return this.parts('SELECT lignes AS part FROM urne_dossier($1, $2)', [id, question]);
  }

  /** The digests of receipts, in the order of the log. */
  receipts(tenantId: string, id: string): AsyncGenerator<Buffer> {
    return this.digests(
      'SELECT empreinte AS digest, row_number() OVER (ORDER BY place) AS n FROM recu WHERE tenant_id = $1 AND campagne_id = $2',
      [tenantId, id],
    );
  }

  /** The checkpoints of the log of receipts, a line each. */
  async *engagements(tenantId: string, id: string): AsyncGenerator<string, void> {
    yield* this.parts<string>(
      `SELECT row_to_json(e)::text || E'\\n' AS part FROM (
         SELECT note, ${base64url('racine')} AS racine, taille FROM engagement WHERE tenant_id = $1 AND campagne_id = $2
       ) e ORDER BY taille`,
      [tenantId, id],
    );
  }

  /** The leaves of the roll, in the order of their bytes. */
  rollLeaves(tenantId: string, id: string, sel: Buffer): AsyncGenerator<Buffer> {
    return this.digests(
      `SELECT leaf AS digest, row_number() OVER (ORDER BY leaf) AS n
       FROM (SELECT ${rollLeaf('$3::bytea')} AS leaf FROM votant v WHERE v.tenant_id = $1 AND v.campagne_id = $2) l`,
      [tenantId, id, sel],
    );
  }

  private digests(source: string, values: readonly unknown[]): AsyncGenerator<Buffer> {
    return this.parts(
      `SELECT string_agg(digest, ''::bytea ORDER BY n) AS part FROM (${source}) d GROUP BY (n - 1) / ${DIGESTS} ORDER BY (n - 1) / ${DIGESTS}`,
      values,
    );
  }

  private async *parts<T>(text: string, values: readonly unknown[]): AsyncGenerator<T, void> {
    for await (const { part } of this.rows<{ part: T }>(text, values, 16)) yield part;
  }

  private async *rows<T extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
    atOnce = 10_000,
  ): AsyncGenerator<T, void> {
    const client = this.transactions.client();
    await client.query({ text: `DECLARE lines NO SCROLL CURSOR FOR ${text}`, values: [...values] });
    for (;;) {
      const { rows } = await client.query<T>(`FETCH ${atOnce} FROM lines`);
      if (rows.length === 0) break;
      yield* rows;
    }
    await client.query('CLOSE lines');
  }
}

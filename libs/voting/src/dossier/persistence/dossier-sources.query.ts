import { Injectable } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { jsonObject, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { ENROLMENT_MOTIFS } from '../../roll/persistence/enrolment-motifs.sql';
import { base64url } from '../../persistence/base64url.sql';
import { rollLeaf } from '../../roll/persistence/roll-leaves.sql';

/** A question without its texts. */
export interface DossierQuestion {
  readonly QuestionId: string;
  readonly EstPreferentiel: boolean;
  /** Ids of the options, in their order. */
  readonly options: readonly string[];
}

/** A question as the bundle shows it, but for its `Decimales`. */
export interface ShownQuestion {
  readonly QuestionId: string;
  readonly Titre: string;
  readonly Type: string;
  readonly EstPreferentiel: boolean;
  readonly MinReponses: number;
  readonly MaxReponses: number;
  readonly NombreElus: number | null;
  readonly Options: readonly { readonly OptionId: string; readonly Libelle: string }[];
}

/** The subject of the vote without its questions: dates, threshold, seeds. */
export interface Scrutin {
  readonly campagneId: string;
  readonly titre: string;
  readonly ouvertureDuVoteUtc: string;
  readonly fermetureDuVoteUtc: string;
  readonly seuilAnonymat: number;
  /** Commitment of the service's seed, as the campaign shows it from its publication on. */
  readonly empreinteGraineDepartage: string;
  readonly graineDepartage: string;
  readonly grainePartenaire: string | null;
  /** Key and guardians of an encrypted vote; absent in others. */
  readonly chiffrement?: object;
}

/** A union and employer of a class of ballots (`urne_classes`), with the totals of the class. */
export interface DossierPerimetre {
  readonly classe: number;
  readonly bulletins: number;
  readonly poids: string;
  /** Canonical JSON of union and employer. */
  readonly perimetre: string;
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

/** Voters of a filter. */
export interface FilteredVoters {
  readonly syndicat: string | null;
  readonly employeur: string | null;
  readonly question: null;
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
         'empreinteGraineDepartage', encode(u.empreinte_graine, 'hex'),
         'graineDepartage', encode(g.graine, 'hex'), 'grainePartenaire', encode(g.graine_partenaire, 'base64'))
         || coalesce((SELECT jsonb_build_object('chiffrement', jsonb_build_object('ceremonie', ${base64url('u.ceremonie')},
             'cle', ${base64url('u.cle')}, 'gardiens', h.gardiens, 'seuil', h.seuil))
           FROM chiffrement h WHERE h.tenant_id = $1 AND h.campagne_id = $2 AND u.cle IS NOT NULL), '{}')
       FROM campagne c JOIN urne u ON u.tenant_id = c.tenant_id AND u.campagne_id = c.id_unique, urne_graines($2) g
       WHERE c.tenant_id = $1 AND c.id_unique = $2`,
      [tenantId, id],
    );
  }

  /** The questions in their order, without their texts. */
  async questions(tenantId: string, id: string): Promise<DossierQuestion[]> {
    const { rows } = await this.transactions.client().query<DossierQuestion>(
      `SELECT q.question_id AS "QuestionId", q.est_preferentiel AS "EstPreferentiel", (
         SELECT jsonb_agg(o.option_id ORDER BY o.place)
         FROM urne_option o WHERE o.tenant_id = $1 AND o.campagne_id = $2 AND o.question = q.place) AS options
       FROM urne_question q WHERE q.tenant_id = $1 AND q.campagne_id = $2 ORDER BY q.place`,
      [tenantId, id],
    );
    return rows;
  }

  /** A question with its texts, which may have two megabytes. */
  shown(tenantId: string, id: string, place: number): Promise<ShownQuestion> {
    return this.transactions.value(
      `SELECT jsonb_build_object('QuestionId', q.question_id, 'Titre', q.titre, 'Type', q.type,
         'EstPreferentiel', q.est_preferentiel, 'MinReponses', q.min_reponses, 'MaxReponses', q.max_reponses,
         'NombreElus', q.nombre_elus, 'Options', (
           SELECT jsonb_agg(jsonb_build_object('OptionId', o.option_id, 'Libelle', o.libelle) ORDER BY o.place)
           FROM urne_option o WHERE o.tenant_id = $1 AND o.campagne_id = $2 AND o.question = q.place))
       FROM urne_question q WHERE q.tenant_id = $1 AND q.campagne_id = $2 AND q.place = $3`,
      [tenantId, id, place],
    );
  }

  /** The unions and employers of each class, those of a class in the order of their bytes. */
  perimetres(id: string): AsyncGenerator<DossierPerimetre> {
    return this.rows(
      `SELECT classe, perimetre, (sum(bulletins) OVER w)::int AS bulletins, trim_scale(sum(poids) OVER w)::text AS poids
       FROM (
         SELECT classe, sum(bulletins) AS bulletins, sum(bulletins * poids) AS poids,
           '{"employeurIdentifiantExterne":' || coalesce(to_json(employeur)::text, 'null')
             || ',"syndicatIdExterne":' || coalesce(to_json(syndicat)::text, 'null') || '}' AS perimetre
         FROM urne_classes($1) GROUP BY classe, syndicat, employeur
       ) c WINDOW w AS (PARTITION BY classe) ORDER BY classe, perimetre COLLATE "C"`,
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

  /**
   * The voters of each filter, and behind them its answers if it is published and has ballots: question by question, without
   * abstentions but for the first question, whose answers are all ballots of the filter.
   */
  filtered(tenantId: string, id: string): AsyncGenerator<FilteredAnswers | FilteredVoters> {
    // Not a join: without statistics PostgreSQL would compare the voters of each filter with each answer.
    return this.rows(
      `SELECT syndicat, employeur, question, reponse, bulletins::int, poids::text, NULL::int AS inscrits, NULL::int AS "avecDroit",
         NULL::int AS "ayantVote"
       FROM urne_filtrer($2) WHERE question = 0 OR reponse <> ''
       UNION ALL
       SELECT syndicat_id_externe, employeur_identifiant_externe, NULL, NULL, NULL, NULL, sum(inscrits)::int,
         sum(avec_droit)::int, sum(ayant_vote)::int
       FROM participation WHERE tenant_id = $1 AND campagne_id = $2
       GROUP BY GROUPING SETS ((syndicat_id_externe), (employeur_identifiant_externe),
         (syndicat_id_externe, employeur_identifiant_externe))
       -- A voter without a union or employer is in no filter by it.
       HAVING (grouping(syndicat_id_externe) = 1 OR syndicat_id_externe IS NOT NULL)
         AND (grouping(employeur_identifiant_externe) = 1 OR employeur_identifiant_externe IS NOT NULL)
       ORDER BY 1 NULLS FIRST, 2 NULLS FIRST, 3 NULLS FIRST`,
      [tenantId, id],
    );
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

  /** The criteria of each list as JSON, in the order in which they were made. Employees are only counted. */
  listes(tenantId: string, id: string): AsyncGenerator<string> {
    const sorted = (names: string) =>
      `CASE WHEN ${names} IS NOT NULL THEN ARRAY(SELECT DISTINCT unnest(${names}) COLLATE "C" ORDER BY 1) END`;
    return this.parts(
      `SELECT ${jsonObject({
        ActifsLe: wireTimestamp('l.actifs_le'),
        Employes: 'cardinality(l.employes)',
        EmployeursIdentifiantsExternes: sorted('l.employeurs'),
        Poids: 'trim_scale(l.poids)::text',
        SyndicatsIdExternes: sorted('l.syndicats'),
      })}::text AS part FROM liste_electorale l WHERE l.tenant_id = $1 AND l.campagne_id = $2 ORDER BY l.date_creation, l.id_unique`,
      [tenantId, id],
    );
  }

  /** The number of voters by the code of each reason for which they are on the roll. */
  async motifs(tenantId: string, id: string): Promise<Record<string, number>> {
    return this.transactions.value(
      `SELECT coalesce(json_object_agg(code, n), '{}') FROM (
         SELECT 'Motif.' || p.code AS code, count(DISTINCT v.id_unique) AS n
         FROM votant v ${ENROLMENT_MOTIFS} WHERE v.tenant_id = $1 AND v.campagne_id = $2 AND p.compte GROUP BY 1) m`,
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

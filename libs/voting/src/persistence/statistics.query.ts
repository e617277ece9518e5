import { Injectable } from '@nestjs/common';
import { Transactions } from '#shared/database/transactions';
import type { CountedCampagne, Participation } from '../domain/statistics';
import type { Answers, FirstChoices } from '../domain/tally/tally';
import { UNITS, weightOf } from '../domain/tally/weight';
import { ETAT, RESULTATS_VISIBLES } from './campagne.sql';

/** Voters of this union and of this employer; null asks for all. */
export interface StatisticsFilter {
  readonly syndicatIdExterne?: string | null;
  readonly employeurIdentifiantExterne?: string | null;
}

/** A campaign with what decides how much of its count is told. */
export interface StatedCampagne extends CountedCampagne {
  readonly estTerminee: boolean;
  readonly urneClose: boolean;
  readonly urneScellee: boolean;
}

const FILTERED = `tenant_id = $1 AND campagne_id = $2 AND ($3::text IS NULL OR syndicat_id_externe = $3)
  AND ($4::text IS NULL OR employeur_identifiant_externe = $4)`;

/** The questions that the ballot box keeps of a published campaign. */
const COPIED = `
  SELECT q.question_id AS id, q.titre, q.type, q.est_preferentiel, q.nombre_elus, q.place, (
    SELECT jsonb_agg(jsonb_build_object('id', o.option_id, 'libelle', o.libelle) ORDER BY o.place)
    FROM urne_option o WHERE o.tenant_id = $1 AND o.campagne_id = $2 AND o.question = q.place) AS options
  FROM urne_question q WHERE q.tenant_id = $1 AND q.campagne_id = $2`;

/** The questions of a draft. */
const DRAFTED = `
  SELECT q.id_unique, q.titre, q.type, q.est_preferentiel, q.nombre_elus, q.ordre, (
    SELECT coalesce(jsonb_agg(jsonb_build_object('id', o.id_unique, 'libelle', o.libelle) ORDER BY o.ordre), '[]')
    FROM option o WHERE o.tenant_id = $1 AND o.question_id = q.id_unique)
  FROM question q WHERE q.tenant_id = $1 AND q.campagne_id = $2 AND NOT campagne.publiee`;

/** What statistics are made of. Ballots come as counts (docs/adr/0014). */
@Injectable()
export class StatisticsQuery {
  constructor(private readonly transactions: Transactions) {}

  /** Undefined where there is no such campaign. */
  async campagne(tenantId: string, id: string): Promise<StatedCampagne | undefined> {
    const [row] = await this.transactions.query<StatedCampagne & { id: string }>(
      { tenantId },
      {
        name: 'statistics_campagne',
        text: `SELECT id_unique AS id, titre, ${ETAT} AS etat, ${RESULTATS_VISIBLES} AS "resultatsVisibles",
                 coalesce((SELECT concat_ws(':', encode(g.graine, 'hex'), encode(g.graine_partenaire, 'base64')) FROM urne_graines($2) g), '') AS graine,
                 urne_close AS "urneClose", urne_scellee AS "urneScellee",
                 json_build_object('ajoutes', votants_ajoutes, 'retires', votants_retires, 'modifies', votants_modifies) AS modifications,
                 urne_constat AS "raisonConstat", publiee AND statement_timestamp() >= fermeture_du_vote_utc AS "estTerminee", (
                   SELECT coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'titre', q.titre, 'type', q.type,
                     'estPreferentiel', q.est_preferentiel, 'nombreElus', q.nombre_elus, 'options', q.options) ORDER BY q.place), '[]')
                   FROM (${COPIED} UNION ALL ${DRAFTED}) q
                 ) AS questions
               FROM campagne WHERE tenant_id = $1 AND id_unique = $2`,
        values: [tenantId, id],
      },
    );
    return row;
  }

  /** @param urneScellee whether it is kept: the roll cannot change any more */
  async participation(
    tenantId: string,
    id: string,
    { syndicatIdExterne, employeurIdentifiantExterne }: StatisticsFilter,
    urneScellee: boolean,
  ): Promise<Participation> {
    const [row] = await this.transactions.query<Participation & { inscrits: number }>(
      { tenantId },
      {
        text: urneScellee
          ? `SELECT coalesce(sum(inscrits), 0)::int AS inscrits, coalesce(sum(avec_droit), 0)::int AS "avecDroit",
               coalesce(sum(ayant_vote), 0)::int AS "ayantVote" FROM participation WHERE ${FILTERED}`
          : `SELECT count(*)::int AS inscrits, (count(*) FILTER (WHERE a_droit_de_vote))::int AS "avecDroit",
               (count(*) FILTER (WHERE a_vote))::int AS "ayantVote" FROM votant WHERE ${FILTERED}`,
        values: [tenantId, id, syndicatIdExterne, employeurIdentifiantExterne],
      },
    );
    return row!;
  }

  /** What does not agree in a box that is closed. */
  async anomalies(tenantId: string, id: string): Promise<readonly string[]> {
    const [row] = await this.transactions.query<{ anomalies: string[] | null }>(
      { tenantId },
      { name: 'statistics_anomalies', text: 'SELECT urne_controler($1) AS anomalies', values: [id] },
    );
    return row!.anomalies ?? [];
  }

  /** All ballots that answer a question alike, of a box that is closed. */
  async answers(tenantId: string, id: string): Promise<Answers[]> {
    const rows = await this.transactions.query<AnswersRow & { decimales: number }>(
      { tenantId },
      {
        name: 'statistics_answers',
        text: 'SELECT * FROM urne_compter($1)',
        values: [id],
      },
    );
    return rows.map(({ decimales, ...row }) => ({
      ...countedOf(row),
      unit: UNITS / 10n ** BigInt(decimales),
    }));
  }

  /**
   * Ballots that count for a union and employer, of a box that is closed, by answer; of rankings, by the first choice.
   *
   * @returns undefined where the threshold of the campaign does not let them be told
   */
  async firstChoices(
    tenantId: string,
    id: string,
    { syndicatIdExterne, employeurIdentifiantExterne }: StatisticsFilter,
  ): Promise<FirstChoices[] | undefined> {
    const values = [id, syndicatIdExterne, employeurIdentifiantExterne];
    const rows = await this.transactions.query<AnswersRow>(
      { tenantId },
      {
        name: 'statistics_first_choices',
        text: 'SELECT * FROM urne_compter_par($1, $2, $3)',
        values,
      },
    );
    if (rows.length > 0) return rows.map(countedOf);
    const [row] = await this.transactions.query<{ told: boolean | null }>(
      { tenantId },
      { name: 'statistics_told', text: 'SELECT urne_divulgue($1, $2, $3) AS told', values },
    );
    return row!.told ? [] : undefined;
  }
}

interface AnswersRow {
  readonly question: number;
  readonly reponse: string;
  /** A whole number, as text. */
  readonly bulletins: string;
  readonly poids: string;
}

function countedOf({ question, reponse, bulletins, poids }: AnswersRow): FirstChoices {
  return { question, answer: reponse, ballots: Number(bulletins), weight: weightOf(poids) };
}

import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import type { SizedQuestion } from '../../campagne/domain/result-size';
import type { CountedCampagne, CountOfQuestion, Participation, StatedQuestion } from '../domain/statistics';
import type { Reading } from './reading';
import { ETAT, hasEnded, RESULTATS_VISIBLES } from '../../campagne/persistence/campagne.sql';

/** Voters of this union and of this employer; null asks for all. */
export interface StatisticsFilter {
  readonly syndicatIdExterne?: string | null;
  readonly employeurIdentifiantExterne?: string | null;
}

/** Returns whether the filter asks for all voters. */
export function isWhole({ syndicatIdExterne, employeurIdentifiantExterne }: StatisticsFilter): boolean {
  return syndicatIdExterne == null && employeurIdentifiantExterne == null;
}

/** A question of a campaign, as far as it is known before its options are read. */
export interface PlacedQuestion extends StatedQuestion, SizedQuestion {
  /** The most options that an answer names, or ranks. */
  readonly maxReponses: number;
}

/** A campaign with the facts that decide which results are shown. */
export interface StatedCampagne extends CountedCampagne {
  readonly estTerminee: boolean;
  readonly urneClose: boolean;
  /** The transaction that closed the box; null for an open one. */
  readonly fermeePar: string | null;
  readonly urneScellee: boolean;
  /** On the roll: no more have voted. */
  readonly nombreVotants: number;
  /** Whether the threshold allows the requested result once the box is closed. The unfiltered result is always allowed. */
  readonly estDivulguee: boolean;
  /** Questions, in their order. */
  readonly questions: readonly PlacedQuestion[];
}

/** Options of a question, or answers to it, of which there may be several rows. */
export type CountedRow =
  | { readonly question: number; readonly options: CountOfQuestion['options']; readonly lignes: null }
  | { readonly question: number; readonly options: null; readonly lignes: string };

const FILTERED = `tenant_id = $1 AND campagne_id = $2 AND ($3::text IS NULL OR syndicat_id_externe = $3)
  AND ($4::text IS NULL OR employeur_identifiant_externe = $4)`;

/** The questions that the ballot box keeps of a published campaign. */
const COPIED = `
  SELECT q.question_id AS id, q.titre, q.type, q.est_preferentiel, q.nombre_elus, q.place, q.nombre_options, q.max_reponses
  FROM urne_question q WHERE q.tenant_id = $1 AND q.campagne_id = $2`;

/** The questions of a draft, which has no result. */
const DRAFTED = `
  SELECT q.id_unique, q.titre, q.type, q.est_preferentiel, q.nombre_elus, q.ordre, 0, 0
  FROM question q WHERE q.tenant_id = $1 AND q.campagne_id = $2 AND NOT campagne.publiee`;

/** The decryption of an encrypted vote, as far as it is. */
const DECHIFFREMENT = `(
  SELECT json_build_object('seuil', h.seuil, 'recus', count(f.gardien)::int,
    'attendus', coalesce(json_agg(g.nom ORDER BY g.numero) FILTER (WHERE f.gardien IS NULL), '[]'))
  FROM chiffrement h CROSS JOIN LATERAL unnest(h.gardiens) WITH ORDINALITY g (nom, numero)
    LEFT JOIN chiffrement_fichier f ON f.tenant_id = $1 AND f.campagne_id = $2 AND f.tour = 4 AND f.gardien = g.numero
  WHERE h.tenant_id = $1 AND h.campagne_id = $2 GROUP BY h.seuil)`;

/** Reads the data of statistics. Ballots are read as counts (docs/adr/0014). */
@Injectable()
export class StatisticsQuery {
  constructor(private readonly transactions: Transactions) {}

  /** Returns undefined for an unknown campaign. */
  async campagne(
    tenantId: string,
    id: string,
    filter: StatisticsFilter,
  ): Promise<StatedCampagne | undefined> {
    const statement = {
      name: 'statistics_campagne',
      text: `SELECT id_unique AS id, titre, ${ETAT} AS etat, ${RESULTATS_VISIBLES} AS "resultatsVisibles",
                 urne_close AS "urneClose", urne_fermee_par::text AS "fermeePar", urne_scellee AS "urneScellee", nombre_votants AS "nombreVotants",
                 $3::text IS NULL AND $4::text IS NULL OR urne_divulgue($2, $3, $4) IS TRUE AS "estDivulguee",
                 json_build_object('ajoutes', votants_ajoutes, 'retires', votants_retires, 'modifies', votants_modifies) AS modifications,
                 urne_constat AS "raisonConstat",
                 CASE WHEN chiffree AND urne_close AND urne_constat IS NULL AND NOT dechiffree THEN ${DECHIFFREMENT} END AS dechiffrement, ${hasEnded()} AS "estTerminee", (
                   SELECT coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'titre', q.titre, 'type', q.type,
                     'estPreferentiel', q.est_preferentiel, 'nombreElus', q.nombre_elus, 'nombreOptions', q.nombre_options,
                     'maxReponses', q.max_reponses) ORDER BY q.place), '[]')
                   FROM (${COPIED} UNION ALL ${DRAFTED}) q
                 ) AS questions
               FROM campagne WHERE tenant_id = $1 AND id_unique = $2`,
      values: [tenantId, id, filter.syndicatIdExterne, filter.employeurIdentifiantExterne],
    };
    // The threshold of a filter is checked against all ballots.
    const [row] = isWhole(filter)
      ? await this.transactions.lookUp<StatedCampagne & { id: string }>({ tenantId }, statement)
      : await this.transactions.query<StatedCampagne & { id: string }>({ tenantId }, statement);
    return row;
  }

  /** @param urneScellee whether it is kept: the roll cannot change any more */
  async participation(
    tenantId: string,
    id: string,
    filter: StatisticsFilter,
    urneScellee: boolean,
  ): Promise<Participation> {
    const { syndicatIdExterne, employeurIdentifiantExterne } = filter;
    const [row] = await this.transactions.query<Participation & { inscrits: number }>(
      { tenantId },
      {
        // With a name it would be planned for any filter, and read the whole roll for each.
        ...(urneScellee && isWhole(filter) ? { name: 'statistics_participation' } : {}),
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

  /** Returns the seed that breaks ties: the service's, and behind a colon the partner's if there is one. Empty until the box is closed. */
  async graine(tenantId: string, id: string): Promise<string> {
    const [row] = await this.transactions.query<{ graine: string }>(
      { tenantId },
      {
        name: 'statistics_graine',
        text: `SELECT concat_ws(':', encode(graine, 'hex'), encode(graine_partenaire, 'base64')) AS graine FROM urne_graines($1)`,
        values: [id],
      },
    );
    return row?.graine ?? '';
  }

  /** Returns the bytes of the labels in the ballot box. */
  async octets(tenantId: string, id: string): Promise<number> {
    const [row] = await this.transactions.query<{ octets: number }>(
      { tenantId },
      {
        name: 'statistics_octets',
        text: `SELECT coalesce(sum(octet_length(libelle)), 0)::float8 AS octets FROM urne_option
               WHERE tenant_id = $1 AND campagne_id = $2`,
        values: [tenantId, id],
      },
    );
    return row!.octets;
  }

  /** Returns the anomalies of a closed box. */
  async anomalies(tenantId: string, id: string): Promise<readonly string[]> {
    const [row] = await this.transactions.query<{ anomalies: string[] | null }>(
      { tenantId },
      { name: 'statistics_anomalies', text: 'SELECT urne_controler($1) AS anomalies', values: [id] },
    );
    return row!.anomalies ?? [];
  }

  /**
   * Returns a part of the answers in a closed box, the first part with the options of the questions: of all ballots, or of
   * those of a union and employer if their results are published.
   *
   * @param part from 0
   */
  counted(
    tenantId: string,
    id: string,
    { first, last, parts }: Reading,
    part: number,
    { syndicatIdExterne, employeurIdentifiantExterne }: StatisticsFilter,
  ): Promise<CountedRow[]> {
    return this.transactions.query(
      { tenantId },
      {
        name: 'statistics_counted',
        text: `SELECT question, NULL::jsonb AS options, lignes FROM urne_depouiller($2, $3, $4, $5, $6, $7, $8)
               UNION ALL
               SELECT q.place, (
                 SELECT jsonb_agg(jsonb_build_object('id', o.option_id, 'libelle', o.libelle) ORDER BY o.place)
                 FROM urne_option o WHERE o.tenant_id = $1 AND o.campagne_id = $2 AND o.question = q.place), NULL
               FROM urne_question q WHERE q.tenant_id = $1 AND q.campagne_id = $2 AND q.place BETWEEN $5 AND $6 AND $7::int = 0`,
        values: [tenantId, id, syndicatIdExterne, employeurIdentifiantExterne, first, last, part, parts],
      },
    );
  }
}

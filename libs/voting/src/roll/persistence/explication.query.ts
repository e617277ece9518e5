import { Injectable } from '@nestjs/common';
import { dayOf, EMPLOIS, EMPLOYES, MEMBERSHIPS, TODAY } from '#membership/relations';
import { Transactions } from '#platform/database/transactions';
import type { Enrolment, Found, Motif, Variant } from '../domain/motif';
import { ENROLMENT_MOTIFS } from './enrolment-motifs.sql';
import { MOTIFS } from './matching.sql';

/** Lists that an explanation looks at: the newest. Each is tried with each day on which a membership or an employment begins or ends. */
const MOST_LISTS = 100;

/** Days that are tried, the nearest to today first. */
const MOST_DAYS = 400;

/** Lists with other days that are tried in all: of more lists, each is tried with fewer days, the nearest to its own. */
const MOST_TRIED = 4_000;

/** SQL of the names of a criterion that are the employee's, null for an absent criterion: others do not matter to the employee. */
const own = (names: string, relation: string): string =>
  `CASE WHEN l.${names} IS NOT NULL THEN ARRAY(SELECT x.nom FROM ${relation} x WHERE x.nom = ANY (l.${names})) END AS ${names}`;

/** SQL of the newest lists of the campaign `$2`, with the day on which each was made and the day of a comparison. The employee is `$3`. */
const LISTES = `
  ses_syndicats AS MATERIALIZED (SELECT DISTINCT syndicat_id_externe AS nom FROM ${MEMBERSHIPS} a WHERE tenant_id = $1 AND id_externe_employe = $3),
  ses_employeurs AS MATERIALIZED (SELECT DISTINCT identifiant_externe_employeur AS nom FROM ${EMPLOIS} m WHERE tenant_id = $1 AND id_externe_employe = $3),
  soi AS MATERIALIZED (SELECT $3::text AS nom),
  liste AS MATERIALIZED (
    SELECT l.id_unique, row_number() OVER (ORDER BY l.date_creation DESC, l.id_unique DESC) AS rang, l.actifs_le AS fait,
      CASE WHEN l.jour_donne THEN l.actifs_le ELSE ${TODAY} END AS jour,
      ${own('syndicats', 'ses_syndicats')}, ${own('employeurs', 'ses_employeurs')}, ${own('employes', 'soi')}
    FROM liste_electorale l WHERE l.tenant_id = $1 AND l.campagne_id = $2 ORDER BY l.date_creation DESC, l.id_unique DESC LIMIT ${MOST_LISTS}
  )`;

/** SQL of the moments at which a list may begin or cease to include the employee, each as a day. */
const JOURS = `jour AS MATERIALIZED (
    SELECT j FROM (
      SELECT ${dayOf('moment')} AS j FROM (
        SELECT unnest(ARRAY[date_adhesion, date_fin]) AS moment FROM ${MEMBERSHIPS} a WHERE tenant_id = $1 AND id_externe_employe = $3
        UNION SELECT unnest(ARRAY[date_debut, date_fin]) FROM ${EMPLOIS} m WHERE tenant_id = $1 AND id_externe_employe = $3
      ) b WHERE moment IS NOT NULL
      -- An end at midnight makes the day before the last day.
      UNION SELECT ${dayOf('date_fin')} - interval '1 day' FROM ${MEMBERSHIPS} a WHERE tenant_id = $1 AND id_externe_employe = $3 AND date_fin IS NOT NULL
      UNION SELECT ${dayOf('date_fin')} - interval '1 day' FROM ${EMPLOIS} m WHERE tenant_id = $1 AND id_externe_employe = $3 AND date_fin IS NOT NULL
    ) b ORDER BY abs(extract(epoch FROM j - ${TODAY})), j LIMIT ${MOST_DAYS}
  )`;

const NAMES = { syndicats: 'ses_syndicats', employeurs: 'ses_employeurs', employes: 'soi' } as const;

/** SQL of the changes of one list that add a name of the employee to one criterion. */
const WITH_A_NAME = Object.entries(NAMES)
  .map(([names, relation]) => {
    const lists = Object.keys(NAMES).map((each) => (each === names ? `l.${each} || x.nom` : `l.${each}`));
    return `SELECT l.id_unique, l.rang, '${names}', x.nom, 0, l.jour, ${lists.join(', ')}
      FROM liste l CROSS JOIN ${relation} x WHERE l.${names} IS NOT NULL AND x.nom <> ALL (l.${names})`;
  })
  .join(' UNION ALL ');

/** Order of changes by their size: none, another day, another name. */
const KINDS = `ARRAY['', 'jour', 'employes', 'syndicats', 'employeurs']`;

/** Why an employee is a voter of a campaign, or not (docs/contract.md, "Explanation of a roll"). */
@Injectable()
export class ExplicationQuery {
  constructor(private readonly transactions: Transactions) {}

  /** Returns the employee's place on the roll, or undefined if there is no such employee. In the ambient transaction. */
  async enrolment(tenantId: string, campagneId: string, employe: string): Promise<Enrolment | undefined> {
    const { rows } = await this.transactions.client().query<Enrolment>(
      `SELECT v.id_unique AS "votantId", v.a_droit_de_vote AS "aDroitDeVote", CASE WHEN v.id_unique IS NULL THEN x.date_creation END AS "retireLe"
       FROM ${EMPLOYES} e
         LEFT JOIN votant v ON v.tenant_id = $1 AND v.campagne_id = $2 AND v.employe_id_externe = e.id_externe
         LEFT JOIN votant_ecarte x ON x.tenant_id = $1 AND x.campagne_id = $2 AND x.employe_id_externe = e.id_externe
       WHERE e.tenant_id = $1 AND e.id_externe = $3`,
      [tenantId, campagneId, employe],
    );
    return rows[0];
  }

  /** Returns the reasons that the roll keeps for a voter. In the ambient transaction. */
  async kept(tenantId: string, campagneId: string, votantId: string): Promise<Motif[]> {
    const { rows } = await this.transactions.client().query<Motif>(
      `SELECT p.code, p.code <> 'DroitRetire' AS tient, p.champ AS critere, p.reference, ${dayOf('p.depuis')} AS depuis,
         CASE WHEN p.champ IS NOT NULL THEN v.liste_electorale_id END AS "listeId"
       FROM votant v ${ENROLMENT_MOTIFS} WHERE v.tenant_id = $1 AND v.campagne_id = $2 AND v.id_unique = $3 AND p.compte ORDER BY p.place`,
      [tenantId, campagneId, votantId],
    );
    return rows;
  }

  /** Returns what each of the newest lists found for the employee on the day on which it was made, the newest list first. In the ambient transaction. */
  async found(tenantId: string, campagneId: string, employe: string): Promise<Found[]> {
    const { rows } = await this.transactions.client().query<Found>(
      `WITH ${LISTES}, critere AS MATERIALIZED (SELECT rang AS critere, fait AS jour, syndicats, employeurs, employes FROM liste),
         candidat AS MATERIALIZED (SELECT critere, $3::text AS id_externe FROM critere), ${MOTIFS}
       SELECT l.id_unique AS "listeId", m.tient, m.champ AS critere, m.code, m.reference, ${dayOf('m.depuis')} AS depuis
       FROM motif m JOIN liste l ON l.rang = m.critere ORDER BY l.rang, m.champ`,
      [tenantId, campagneId, employe],
    );
    return rows;
  }

  /**
   * Returns the smallest change of a list with which it would include the employee: none for one that would include the employee now,
   * another day by the number of days, a name that is added. In the ambient transaction.
   */
  async nearest(tenantId: string, campagneId: string, employe: string): Promise<Variant | undefined> {
    const { rows } = await this.transactions.client().query<Variant>(
      `WITH ${LISTES}, ${JOURS}, variante (id_unique, rang, change, valeur, taille, jour, syndicats, employeurs, employes) AS MATERIALIZED (
           SELECT id_unique, rang, '', NULL, 0::numeric, jour, syndicats, employeurs, employes FROM liste
           UNION ALL
           SELECT l.id_unique, l.rang, 'jour', NULL, abs(extract(epoch FROM j.j - l.jour)), j.j, l.syndicats, l.employeurs, l.employes
           FROM liste l CROSS JOIN LATERAL (
             SELECT j FROM jour WHERE j <> l.jour ORDER BY abs(extract(epoch FROM j - l.jour)), j
             LIMIT (SELECT ${MOST_TRIED} / count(*) FROM liste)
           ) j
           UNION ALL ${WITH_A_NAME}
         ), essai AS MATERIALIZED (
           -- Lists that are alike for the employee are tried once.
           SELECT dense_rank() OVER (ORDER BY jour, syndicats, employeurs, employes) AS critere, variante.* FROM variante
         ), critere AS MATERIALIZED (
           SELECT DISTINCT critere, jour, syndicats, employeurs, employes FROM essai
         ), candidat AS MATERIALIZED (SELECT critere, $3::text AS id_externe FROM critere), ${MOTIFS}
       SELECT c.id_unique AS "listeId", c.change, coalesce(c.valeur, to_char(c.jour AT TIME ZONE 'UTC', 'YYYY-MM-DD')) AS valeur
       FROM essai c WHERE EXISTS (SELECT FROM motif m WHERE m.critere = c.critere AND m.convient)
       ORDER BY array_position(${KINDS}, c.change), c.taille, c.rang, c.valeur, c.jour LIMIT 1`,
      [tenantId, campagneId, employe],
    );
    return rows[0];
  }
}

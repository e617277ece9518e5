import { activeOn, dayOf, EMPLOIS, EMPLOYES, MEMBERSHIPS } from '#membership/relations';

/** SQL expressions of the criteria of an electoral list; null stands for a criterion that is absent. */
export interface CriteriaSql {
  readonly day: string;
  readonly syndicats: string;
  readonly employeurs: string;
  readonly employes: string;
}

/**
 * SQL of the employees of the tenant `$1` that meet all criteria, with the union and the employer that they get as voters
 * (docs/contract.md, "Electoral lists"). Members and employed persons match if a union or an employer is named. If none
 * is, the others match, too, unless all their employments have ended.
 */
export function matching({ day, syndicats, employeurs, employes }: CriteriaSql): string {
  const since = dayOf('a.date_adhesion');
  return `
    SELECT e.id_externe, e.prenom, e.nom, e.courriel, a.syndicat_id_externe, m.identifiant_externe_employeur
    FROM ${EMPLOYES} e
    LEFT JOIN (
      -- Of several unions, the one of the oldest membership.
      SELECT DISTINCT ON (a.id_externe_employe) a.id_externe_employe, a.syndicat_id_externe
      FROM ${MEMBERSHIPS} a
      WHERE a.tenant_id = $1 AND (${syndicats} IS NULL OR a.syndicat_id_externe = ANY (${syndicats}))
        AND ${activeOn(day, 'a.', 'date_adhesion')}
      ORDER BY a.id_externe_employe, ${since}, a.date_adhesion, a.syndicat_id_externe
    ) a ON a.id_externe_employe = e.id_externe
    LEFT JOIN (
      -- Of several employers, the one that V1 would show.
      SELECT DISTINCT ON (m.id_externe_employe) m.id_externe_employe, m.identifiant_externe_employeur
      FROM ${EMPLOIS} m
      WHERE m.tenant_id = $1 AND (${employeurs} IS NULL OR m.identifiant_externe_employeur = ANY (${employeurs}))
        AND ${activeOn(day, 'm.')}
      ORDER BY m.id_externe_employe, m.identifiant_externe = 'V1' DESC, m.date_debut DESC NULLS LAST,
        m.date_creation DESC, m.id_unique DESC
    ) m ON m.id_externe_employe = e.id_externe
    WHERE e.tenant_id = $1
      AND (${syndicats} IS NULL OR a.syndicat_id_externe IS NOT NULL)
      AND (${employeurs} IS NULL OR m.identifiant_externe_employeur IS NOT NULL)
      AND (${employes} IS NULL OR e.id_externe = ANY (${employes}))
      AND (a.syndicat_id_externe IS NOT NULL OR m.identifiant_externe_employeur IS NOT NULL
        OR NOT EXISTS (SELECT FROM ${EMPLOIS} k WHERE k.tenant_id = $1 AND k.id_externe_employe = e.id_externe))`;
}

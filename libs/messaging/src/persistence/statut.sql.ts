import { AUTRE_RAISON, RAISONS } from '../domain/retour.types';

/** SQL of the class of a status code; null if there is none. */
export function raisonOf(statut: string): string {
  const cases = Object.entries(RAISONS).map(([subject, raison]) => `WHEN '${subject}' THEN '${raison}'`);
  return `CASE WHEN ${statut} IS NOT NULL THEN CASE split_part(${statut}, '.', 2) ${cases.join(' ')} ELSE '${AUTRE_RAISON}' END END`;
}

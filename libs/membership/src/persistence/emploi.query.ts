import { Injectable } from '@nestjs/common';
import { type FetchPage, JsonItems, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import type { EmploiFilter } from '../domain/employe-v2.fields';
import { activeOn, dayOf, TODAY } from './days.sql';
import { LIST_STATE } from './list-state.sql';

const OF_SYNDICAT = `EXISTS (
  SELECT FROM syndicat_employeur l
  WHERE l.tenant_id = $1 AND l.identifiant_externe_employeur = emploi.identifiant_externe_employeur AND l.id_externe_syndicat = ?
)`;
/** Filter by an employer and a union. PostgreSQL checks their link once, and reads employments only if it exists. */
const LINKED = `EXISTS (
  SELECT FROM syndicat_employeur l
  WHERE l.tenant_id = $1 AND l.identifiant_externe_employeur = (?::text[])[1] AND l.id_externe_syndicat = (?::text[])[2]
)`;

const TOGETHER = [
  'date_creation',
  'id_unique',
  'id_externe_employe',
  'identifiant_externe',
  'identifiant_externe_employeur',
  'matricule',
  'date_debut',
  'date_fin',
];

/** Employments with the names of employee and employer (docs/contract.md, "Employments"). */
@Injectable()
export class EmploiQuery extends JsonItems {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'emploi_v2',
      table: 'emploi',
      state: LIST_STATE,
      // The only employment of employees that V1 alone has written.
      and: { table: 'emploi_v1 emploi', together: TOGETHER },
      columns: {
        identifiantExterne: 'm.identifiant_externe',
        idExterneEmploye: 'm.id_externe_employe',
        prenom: `(SELECT e.prenom FROM employe e WHERE e.tenant_id = $1 AND e.id_externe = m.id_externe_employe)`,
        nom: `(SELECT e.nom FROM employe e WHERE e.tenant_id = $1 AND e.id_externe = m.id_externe_employe)`,
        identifiantExterneEmployeur: 'm.identifiant_externe_employeur',
        nomEmployeur: `(SELECT r.nom FROM employeur r WHERE r.tenant_id = $1 AND r.id_externe = m.identifiant_externe_employeur)`,
        matricule: 'm.matricule',
        dateDebut: wireTimestamp('m.date_debut'),
        dateFin: wireTimestamp('m.date_fin'),
        actif: activeOn(TODAY, 'm.'),
      },
    });
  }

  /** @param filter `actifLe` is the beginning of a day */
  list(tenantId: string, filter: EmploiFilter): FetchPage {
    const { identifiantExterneEmployeur: employeur, idExterneSyndicat: syndicat } = filter;
    const both = employeur != null && syndicat != null;
    return this.pages(tenantId, [
      { sql: 'id_externe_employe = ?', value: filter.idExterneEmploye },
      { sql: 'identifiant_externe_employeur = ?', value: employeur },
      { sql: OF_SYNDICAT, value: both ? null : syndicat, planned: 'for each value' },
      { sql: LINKED, value: both ? [employeur, syndicat] : null },
      { sql: 'matricule = ?', value: filter.matricule },
      { sql: activeOn(`(SELECT ${dayOf('?::timestamptz')})`), value: filter.actifLe },
    ]);
  }
}

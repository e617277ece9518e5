import { Injectable } from '@nestjs/common';
import { jsonList, jsonObject, jsonScalar, jsonText, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { activeOn, TODAY } from './days.sql';
import { EMPLOI_V1 } from './emploi.sql';
import { MasterDataQuery } from './master-data.query';
import { hasRows, VALEURS_V2 } from './valeur-champ.sql';

const EMPLOI = jsonObject({
  identifiantExterne: 'm.identifiant_externe',
  identifiantExterneEmployeur: 'm.identifiant_externe_employeur',
  matricule: 'm.matricule',
  dateDebut: wireTimestamp('m.date_debut'),
  dateFin: wireTimestamp('m.date_fin'),
  actif: activeOn(TODAY, 'm.'),
});
const ONLY_EMPLOI = jsonText({
  identifiantExterne: `'"${EMPLOI_V1}"'`,
  identifiantExterneEmployeur: jsonScalar('employe.identifiant_externe_employeur'),
  matricule: "'null'",
  dateDebut: "'null'",
  dateFin: "'null'",
  actif: "'true'",
});
const EMPLOIS = `CASE
  WHEN employe.a_emplois THEN ${jsonList(
    EMPLOI,
    `FROM emploi m WHERE m.tenant_id = $1 AND m.id_externe_employe = employe.id_externe
     ORDER BY m.date_creation, m.identifiant_externe`,
  )}::text
  WHEN employe.identifiant_externe_employeur IS NOT NULL THEN '[' || ${ONLY_EMPLOI} || ']'
  ELSE '[]' END`;

const ADHESIONS = `CASE WHEN ${hasRows('membership')} THEN ${jsonList(
  jsonObject({
    syndicatIdExterne: 'a.syndicat_id_externe',
    dateAdhesion: wireTimestamp('a.date_adhesion'),
    dateFin: wireTimestamp('a.date_fin'),
  }),
  `FROM membership a WHERE a.tenant_id = $1 AND a.id_externe_employe = employe.id_externe
   ORDER BY a.date_adhesion, a.syndicat_id_externe`,
)}::text ELSE '[]' END`;

/** Employees as V2 shows them, with employments, memberships and custom values (docs/contract.md, "Employees"). */
@Injectable()
export class EmployeV2Query extends MasterDataQuery {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'employe_v2',
      table: 'employe',
      columns: jsonText(
        'employe.json_identite',
        'employe.json_coordonnees',
        { emplois: EMPLOIS, adhesions: ADHESIONS, valeursChampUtilisateur: VALEURS_V2 },
        'employe.json_lecture',
      ),
    });
  }
}

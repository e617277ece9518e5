import { Injectable } from '@nestjs/common';
import { jsonScalar, jsonText, textList, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { activeOn, TODAY } from './days.sql';
import { EMPLOI_V1 } from './emploi.sql';
import { MasterDataQuery } from './master-data.query';
import { hasRows, VALEURS_V2 } from './valeur-champ.sql';

const EMPLOI = jsonText({
  identifiantExterne: jsonScalar('m.identifiant_externe'),
  identifiantExterneEmployeur: jsonScalar('m.identifiant_externe_employeur'),
  matricule: jsonScalar('m.matricule'),
  dateDebut: jsonScalar(wireTimestamp('m.date_debut')),
  dateFin: jsonScalar(wireTimestamp('m.date_fin')),
  actif: jsonScalar(activeOn(TODAY, 'm.')),
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
  WHEN employe.a_emplois THEN ${textList(
    EMPLOI,
    `FROM emploi m WHERE m.tenant_id = $1 AND m.id_externe_employe = employe.id_externe
     ORDER BY m.date_creation, m.id_unique`,
  )}
  WHEN employe.identifiant_externe_employeur IS NOT NULL THEN '[' || ${ONLY_EMPLOI} || ']'
  ELSE '[]' END`;

const ADHESIONS = `CASE WHEN ${hasRows('membership')} THEN ${textList(
  jsonText({
    syndicatIdExterne: jsonScalar('a.syndicat_id_externe'),
    dateAdhesion: jsonScalar(wireTimestamp('a.date_adhesion')),
    dateFin: jsonScalar(wireTimestamp('a.date_fin')),
  }),
  `FROM membership a WHERE a.tenant_id = $1 AND a.id_externe_employe = employe.id_externe
   ORDER BY a.date_adhesion, a.syndicat_id_externe`,
)} ELSE '[]' END`;

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

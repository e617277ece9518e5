import { Injectable } from '@nestjs/common';
import { wireTimestamp } from '#shared/database/json-items';
import { Transactions } from '#shared/database/transactions';
import { employeurV1 } from './emploi.sql';
import { MasterDataQuery } from './master-data.query';
import { VALEURS_V1 } from './valeur-champ.sql';

/** An employee as V1 shows it, of the row of `employe`; `$1` is the tenant. */
export const EMPLOYE_V1_COLUMNS = {
  idExterne: 'id_externe',
  prenom: 'prenom',
  nom: 'nom',
  noMembre: 'no_membre',
  courriel: 'courriel',
  identifiantExterneEmployeur: employeurV1('employe'),
  telephonePrincipal: 'telephone_principal',
  adresse1: 'adresse1',
  ville: 'ville',
  province: 'province',
  codePostal: 'code_postal',
  valeursChampUtilisateur: VALEURS_V1,
  idUnique: 'id_unique',
  derniereMAJ: wireTimestamp('derniere_maj'),
  dateCreation: wireTimestamp('date_creation'),
} as const;

/** Employees as V1 shows them (specification, "Employee"). */
@Injectable()
export class EmployeQuery extends MasterDataQuery {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'employe_v1',
      table: 'employe',
      columns: EMPLOYE_V1_COLUMNS,
    });
  }
}

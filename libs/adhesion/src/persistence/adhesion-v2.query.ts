import { Injectable } from '@nestjs/common';
import { LIST_STATE, syndicatNom } from '#membership/relations';
import { PERSONNE_FIELDS } from '#membership/vocabulary';
import { type FetchPage, itemColumns, JsonItems, wireTimestamp } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import type { AdhesionFilter } from '../domain/adhesion.fields';
import { omit } from '#platform/input/field';

/** Cards as V2 shows them: the member as signed (docs/contract.md, "Lists of cards"). */
@Injectable()
export class AdhesionV2Query extends JsonItems {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'adhesion_v2',
      table: 'adhesion',
      state: LIST_STATE,
      key: 'id_unique',
      order: { by: 'date_signature', newestFirst: true },
      columns: {
        dateSignature: wireTimestamp('date_signature'),
        idUniqueAdhesion: 'id_unique',
        transactionId: 'transaction_id',
        aSignatureManuscripte: 'a_signature_manuscrite',
        syndicatIdExterne: 'syndicat_id_externe',
        syndicatNom: syndicatNom('adhesion.syndicat_id_externe'),
        employeIdExterne: 'id_externe_employe',
        employeIdUnique: 'employe_id_unique',
        employePrenom: 'prenom',
        employeNom: 'nom',
        ...itemColumns(omit(PERSONNE_FIELDS, 'prenom', 'nom', 'noMembre')),
        valeursChampUtilisateur: 'valeurs_champ',
      },
    });
  }

  list(tenantId: string, filter: AdhesionFilter): FetchPage {
    return this.pages(tenantId, [
      { sql: 'date_signature >= ?', value: filter.apres },
      { sql: 'date_signature <= ?', value: filter.avant },
      { sql: 'syndicat_id_externe = ?', value: filter.idExterneSyndicat },
      { sql: 'id_externe_employe = ?', value: filter.idExterneEmploye },
      { sql: 'no_membre = ?', value: filter.noMembre },
      { sql: 'a_signature_manuscrite = ?', value: filter.aSignatureManuscrite },
      { sql: 'avec_paiement = ?', value: filter.avecPaiement },
    ]);
  }
}

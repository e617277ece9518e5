import { Injectable } from '@nestjs/common';
import { type FetchPage, jsonList, jsonObject, wireTimestamp } from '#platform/database/json-items';
import { LargeItems } from '#platform/database/large-items';
import { Transactions } from '#platform/database/transactions';
import type { TypeChamp } from '../domain/champ-utilisateur.fields';
import { type ChampDefinition, SHOWN_CHOICES } from '../domain/valeur-champ';
import { LIST_STATE } from './list-state.sql';

/** Custom fields with their choices (docs/contract.md, "Custom fields"). */
@Injectable()
export class ChampUtilisateurQuery extends LargeItems {
  constructor(transactions: Transactions) {
    super(transactions, {
      name: 'champ_utilisateur_v2',
      table: 'champ_utilisateur',
      state: LIST_STATE,
      key: 'nom',
      columns: {
        nom: 'nom',
        type: 'type',
        obligatoire: 'obligatoire',
        choix: jsonList(
          jsonObject({ idExterne: 'c.id_externe', libelle: 'c.libelle' }),
          'FROM choix_champ c WHERE c.tenant_id = $1 AND c.nom_champ = champ_utilisateur.nom ORDER BY c.ordre',
        ),
        idUnique: 'id_unique',
        dateCreation: wireTimestamp('date_creation'),
      },
    });
  }

  list(tenantId: string): FetchPage {
    return this.pages(tenantId);
  }

  /**
   * Returns fields of a tenant by their names, as the check of values needs them.
   *
   * @param named only the fields of these names, with the choices of these identifiers and the first ones, which errors list;
   * all if absent
   */
  async definitions(
    tenantId: string,
    named?: { readonly noms: readonly string[]; readonly choix: readonly string[] },
  ): Promise<ReadonlyMap<string, ChampDefinition>> {
    const rows = await this.transactions.query<{
      nom: string;
      type: TypeChamp;
      obligatoire: boolean;
      choix: [idExterne: string, libelle: string][];
    }>(
      { tenantId },
      {
        name: 'champ_utilisateur_definitions',
        text: `SELECT nom, type, obligatoire,
                 array_to_json(ARRAY(
                   SELECT ARRAY[id_externe, libelle] FROM choix_champ c WHERE c.tenant_id = $1 AND c.nom_champ = f.nom
                     AND ($3::text[] IS NULL OR c.id_externe = ANY ($3) OR c.ordre <= ${SHOWN_CHOICES})
                   ORDER BY c.ordre
                 )) AS choix
               FROM champ_utilisateur f WHERE tenant_id = $1 AND ($2::text[] IS NULL OR nom = ANY ($2))`,
        values: [tenantId, named?.noms, named?.choix],
      },
    );
    return new Map(rows.map((row) => [row.nom, { ...row, choix: new Map(row.choix) }]));
  }
}

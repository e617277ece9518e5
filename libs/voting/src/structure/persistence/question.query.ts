import { Injectable } from '@nestjs/common';
import { type FetchPage, JsonItems, jsonList, jsonObject } from '#platform/database/json-items';
import { LargeItems } from '#platform/database/large-items';
import { Transactions } from '#platform/database/transactions';

const optionColumns = (row: string) => ({
  Id: `${row}.id_unique`,
  Libelle: `${row}.libelle`,
  Description: `${row}.description`,
  Ordre: `${row}.ordre`,
});

const BY_ORDRE = { by: 'ordre', isNumber: true } as const;

/** Questions and options as JSON text, in their order. */
@Injectable()
export class QuestionQuery {
  private readonly questions: JsonItems;
  private readonly options: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.questions = new LargeItems(transactions, {
      name: 'question',
      table: 'question',
      key: 'id_unique',
      order: BY_ORDRE,
      columns: {
        Id: 'id_unique',
        Titre: 'titre',
        Description: 'description',
        Type: 'type',
        Ordre: 'ordre',
        EstPreferentiel: 'est_preferentiel',
        OrdreReponsesAleatoire: 'ordre_reponses_aleatoire',
        MinReponses: 'min_reponses',
        MaxReponses: 'max_reponses',
        NombreElus: 'nombre_elus',
        Options: jsonList(
          jsonObject(optionColumns('p')),
          'FROM option p WHERE p.tenant_id = $1 AND p.question_id = question.id_unique ORDER BY p.ordre',
        ),
      },
    });
    this.options = new JsonItems(transactions, {
      name: 'option',
      table: 'option',
      key: 'id_unique',
      order: BY_ORDRE,
      columns: optionColumns('option'),
    });
  }

  one(tenantId: string, campagneId: string, id: string): Promise<string | undefined> {
    return this.questions.one(tenantId, id, [{ sql: 'campagne_id = ?', value: campagneId }]);
  }

  async exists(tenantId: string, campagneId: string, id: string): Promise<boolean> {
    const rows = await this.transactions.query(
      { tenantId },
      {
        name: 'question_exists',
        text: 'SELECT FROM question WHERE tenant_id = $1 AND campagne_id = $2 AND id_unique = $3',
        values: [tenantId, campagneId, id],
      },
    );
    return rows.length > 0;
  }

  list(tenantId: string, campagneId: string): FetchPage {
    return this.questions.pages(tenantId, [{ sql: 'campagne_id = ?', value: campagneId }]);
  }

  option(tenantId: string, questionId: string, id: string): Promise<string | undefined> {
    return this.options.one(tenantId, id, [{ sql: 'question_id = ?', value: questionId }]);
  }

  listOfOptions(tenantId: string, questionId: string): FetchPage {
    return this.options.pages(tenantId, [{ sql: 'question_id = ?', value: questionId }]);
  }
}

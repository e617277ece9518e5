import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import type { NestedOptionRecord, OptionRecord } from '../domain/question.fields';
import type { QuestionContent } from '../domain/question.rules';

/** The column of the parent, for each ordered table. */
const CHILDREN = {
  question: 'campagne_id',
  option: 'question_id',
} as const;

/** A table of ordered rows. */
export type Ordered = keyof typeof CHILDREN;

/** Questions and their options, in the ambient transaction, which holds the campaign. */
@Injectable()
export class QuestionRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Ids of the questions of a campaign, or of the options of a question, in their order. */
  async ids(tenantId: string, table: Ordered, parentId: string): Promise<string[]> {
    const { rows } = await this.transactions
      .client()
      .query<{ id: string }>(
        `SELECT id_unique AS id FROM ${table} WHERE tenant_id = $1 AND ${CHILDREN[table]} = $2 ORDER BY ordre`,
        [tenantId, parentId],
      );
    return rows.map(({ id }) => id);
  }

  /** Bytes of the title, labels and descriptions of a question and its options, in UTF-8. */
  octets(tenantId: string, questionId: string): Promise<number> {
    return this.transactions.value(
      `SELECT (octet_length(q.titre) + coalesce(octet_length(q.description), 0) + (
         SELECT coalesce(sum(octet_length(o.libelle) + coalesce(octet_length(o.description), 0)), 0)
         FROM option o WHERE o.tenant_id = $1 AND o.question_id = $2))::int
       FROM question q WHERE q.tenant_id = $1 AND q.id_unique = $2`,
      [tenantId, questionId],
    );
  }

  /** Gives each the place that it has in the list, which names all of them. */
  async order(tenantId: string, table: Ordered, ids: readonly string[]): Promise<void> {
    await this.transactions.client().query(
      `UPDATE ${table} t SET ordre = s.ordre FROM unnest($2::uuid[]) WITH ORDINALITY AS s (id, ordre)
       WHERE t.tenant_id = $1 AND t.id_unique = s.id AND t.ordre <> s.ordre`,
      [tenantId, ids],
    );
  }

  /** Adds a question behind the others; answers its id. @param id given by the service if absent */
  insert(tenantId: string, campagneId: string, content: QuestionContent, id?: string): Promise<string> {
    return this.transactions.value(
      `INSERT INTO question (tenant_id, campagne_id, titre, description, type, est_preferentiel,
         ordre_reponses_aleatoire, min_reponses, max_reponses, nombre_elus, id_unique, ordre)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce($11, uuidv7()), 1 + coalesce(max(ordre), 0)
       FROM question WHERE tenant_id = $1 AND campagne_id = $2 RETURNING id_unique`,
      [tenantId, campagneId, ...valuesOf(content), id],
    );
  }

  async update(tenantId: string, id: string, content: QuestionContent): Promise<void> {
    await this.transactions.client().query(
      `UPDATE question SET titre = $3, description = $4, type = $5, est_preferentiel = $6,
         ordre_reponses_aleatoire = $7, min_reponses = $8, max_reponses = $9, nombre_elus = $10
       WHERE tenant_id = $1 AND id_unique = $2`,
      [tenantId, id, ...valuesOf(content)],
    );
  }

  async delete(tenantId: string, table: Ordered, id: string): Promise<void> {
    await this.transactions
      .client()
      .query(`DELETE FROM ${table} WHERE tenant_id = $1 AND id_unique = $2`, [tenantId, id]);
  }

  /** Adds an option behind the others; answers its id. @param id given by the service if absent */
  insertOption(tenantId: string, questionId: string, option: OptionRecord, id?: string): Promise<string> {
    return this.transactions.value(
      `INSERT INTO option (tenant_id, question_id, libelle, description, id_unique, ordre)
       SELECT $1, $2, $3, $4, coalesce($5, uuidv7()), 1 + coalesce(max(ordre), 0)
       FROM option WHERE tenant_id = $1 AND question_id = $2 RETURNING id_unique`,
      [tenantId, questionId, option.Libelle, option.Description, id],
    );
  }

  async updateOption(tenantId: string, id: string, option: OptionRecord): Promise<void> {
    await this.transactions
      .client()
      .query('UPDATE option SET libelle = $3, description = $4 WHERE tenant_id = $1 AND id_unique = $2', [
        tenantId,
        id,
        option.Libelle,
        option.Description,
      ]);
  }

  /** Makes these the options of a question, in this order: those with an `Id` are its own and change, others are new. */
  async replaceOptions(
    tenantId: string,
    questionId: string,
    options: readonly NestedOptionRecord[],
  ): Promise<void> {
    const client = this.transactions.client();
    await client.query(
      'DELETE FROM option WHERE tenant_id = $1 AND question_id = $2 AND id_unique <> ALL ($3::uuid[])',
      [tenantId, questionId, options.flatMap(({ Id }) => Id ?? [])],
    );
    await client.query(
      `INSERT INTO option (tenant_id, question_id, id_unique, ordre, libelle, description)
       SELECT $1, $2, coalesce(id, uuidv7()), ordre, libelle, description
       FROM unnest($3::uuid[], $4::text[], $5::text[]) WITH ORDINALITY AS s (id, libelle, description, ordre)
       ON CONFLICT (tenant_id, id_unique) DO UPDATE
         SET ordre = excluded.ordre, libelle = excluded.libelle, description = excluded.description`,
      [
        tenantId,
        questionId,
        options.map(({ Id }) => Id ?? null),
        options.map(({ Libelle }) => Libelle),
        options.map(({ Description }) => Description ?? null),
      ],
    );
  }
}

function valuesOf(content: QuestionContent): unknown[] {
  return [
    content.titre,
    content.description,
    content.type,
    content.estPreferentiel,
    content.ordreReponsesAleatoire,
    content.minReponses,
    content.maxReponses,
    content.nombreElus,
  ];
}

import { FORMULAIRE } from '../domain/adhesion.errors';
import { Injectable } from '@nestjs/common';
import { CHAMPS_OBLIGATOIRES, LIST_STATE } from '#membership/relations';
import { type FetchPage, JsonItems } from '#platform/database/json-items';
import { FOREIGN_KEY_VIOLATION, violates } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import type { FormulaireRecord } from '../domain/formulaire.fields';
import { fr } from '#platform/errors/text';

/** The parts of a form that a signing checks. */
export interface FormulaireInUse {
  readonly syndicat: string;
  readonly actif: boolean;
  /** Names of its custom fields that must have a value. */
  readonly obligatoires: readonly string[];
}

function namesOf(table: string, column: string): string {
  return `array_to_json(ARRAY(
    SELECT l.${column} FROM ${table} l WHERE l.tenant_id = $1 AND l.formulaire_id = formulaire.id_unique ORDER BY l.ordre
  ))`;
}

/** Forms with their custom fields and consent objects. */
@Injectable()
export class FormulaireRepository {
  private readonly items: JsonItems;

  constructor(private readonly transactions: Transactions) {
    this.items = new JsonItems(transactions, {
      name: 'formulaire_v2',
      table: 'formulaire',
      state: LIST_STATE,
      key: 'id_unique',
      columns: {
        id: 'id_unique',
        titre: 'titre',
        syndicatIdExterne: 'syndicat_id_externe',
        actif: 'actif',
        champs: namesOf('formulaire_champ', 'nom_champ'),
        objetsConsentement: namesOf('formulaire_objet', 'id_externe_objet'),
      },
    });
  }

  one(tenantId: string, id: string): Promise<string | undefined> {
    return this.items.one(tenantId, id);
  }

  list(tenantId: string): FetchPage {
    return this.items.pages(tenantId);
  }

  /** Adds a form in the ambient transaction; returns its id. @param id the service chooses one if absent */
  async insert(tenantId: string, record: FormulaireRecord, id?: string): Promise<string> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `INSERT INTO formulaire (tenant_id, id_unique, titre, syndicat_id_externe, actif)
       VALUES ($1, coalesce($5, uuidv7()), $2, $3, $4) RETURNING id_unique AS id`,
      [tenantId, record.titre, record.syndicatIdExterne, record.actif ?? true, id],
    );
    await this.replaceLists(tenantId, rows[0]!.id, record);
    return rows[0]!.id;
  }

  /** Locks the form until the ambient transaction ends; false if there is none. */
  async lock(tenantId: string, id: string): Promise<boolean> {
    const { rowCount } = await this.transactions
      .client()
      .query('SELECT FROM formulaire WHERE tenant_id = $1 AND id_unique = $2 FOR UPDATE', [tenantId, id]);
    return rowCount === 1;
  }

  async update(tenantId: string, id: string, record: FormulaireRecord): Promise<void> {
    await this.transactions
      .client()
      .query(
        `UPDATE formulaire SET titre = $3, syndicat_id_externe = $4, actif = $5 WHERE tenant_id = $1 AND id_unique = $2`,
        [tenantId, id, record.titre, record.syndicatIdExterne, record.actif ?? true],
      );
    await this.replaceLists(tenantId, id, record);
  }

  private async replaceLists(tenantId: string, id: string, record: FormulaireRecord): Promise<void> {
    const lists = [
      ['formulaire_champ', 'nom_champ', record.champs],
      ['formulaire_objet', 'id_externe_objet', record.objetsConsentement],
    ] as const;
    for (const [table, column, names] of lists) {
      await this.transactions.client().query(
        `WITH removed AS (
           DELETE FROM ${table} WHERE tenant_id = $1 AND formulaire_id = $2 AND ${column} <> ALL ($3::text[])
         )
         INSERT INTO ${table} (tenant_id, formulaire_id, ${column}, ordre)
         SELECT $1, $2, nom, ordre FROM unnest($3::text[]) WITH ORDINALITY AS sent (nom, ordre)
         ON CONFLICT (tenant_id, formulaire_id, ${column}) DO UPDATE SET ordre = excluded.ordre`,
        [tenantId, id, names ?? []],
      );
    }
  }

  /** @throws DomainError `Formulaire.Utilise` */
  async delete(tenantId: string, id: string): Promise<void> {
    try {
      await this.transactions
        .client()
        .query('DELETE FROM formulaire WHERE tenant_id = $1 AND id_unique = $2', [tenantId, id]);
    } catch (error) {
      const isUsed = ['adhesion_formulaire_fkey', 'demande_adhesion_formulaire_fkey'].some((constraint) =>
        violates(error, FOREIGN_KEY_VIOLATION, constraint),
      );
      if (!isUsed) throw error;
      const detail = {
        en: 'Cards or requests were signed with this form: set `actif` to false to end its use.',
        fr: fr(
          'Des adhésions ou des demandes ont été signées avec ce formulaire : mettez `actif` à false pour mettre fin à son utilisation.',
        ),
      };
      throw new DomainError(FORMULAIRE.Utilise, detail);
    }
  }

  /** The form that is being signed with, kept as it is until the ambient transaction ends. */
  async hold(tenantId: string, id: string): Promise<FormulaireInUse | undefined> {
    const client = this.transactions.client();
    await client.query('SELECT FROM formulaire WHERE tenant_id = $1 AND id_unique = $2 FOR SHARE', [
      tenantId,
      id,
    ]);
    // A second statement, because it must see the lists that the previous holder of the lock wrote.
    const { rows } = await client.query<FormulaireInUse>(
      `SELECT f.syndicat_id_externe AS syndicat, f.actif, ARRAY(
         SELECT l.nom_champ FROM formulaire_champ l
         JOIN ${CHAMPS_OBLIGATOIRES} c ON c.tenant_id = l.tenant_id AND c.nom = l.nom_champ
         WHERE l.tenant_id = $1 AND l.formulaire_id = $2 ORDER BY l.ordre
       ) AS obligatoires
       FROM formulaire f WHERE f.tenant_id = $1 AND f.id_unique = $2`,
      [tenantId, id],
    );
    return rows[0];
  }
}

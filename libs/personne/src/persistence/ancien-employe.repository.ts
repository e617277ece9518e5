import { Injectable } from '@nestjs/common';
import { EMPLOYES, type Tenure } from '#membership/relations';
import { Transactions } from '#platform/database/transactions';

/** The note about a person whom the partner deleted, once or several times: no names, only identifiers. */
export interface AncienEmploye {
  readonly id: string;
  /** The last external identifier, and a time after the deletion. */
  readonly idExterne: string;
  readonly jusqua: string;
  /** The service's ids that the employee had. */
  readonly employes: readonly string[];
  /** The service's ids of rows that are the person, by the names in `PersonalData.ids`. */
  readonly lignes: Readonly<Record<string, readonly string[]>>;
}

/** Notes about deleted employees, in the ambient transaction. */
@Injectable()
export class AncienEmployeRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Returns the notes about all persons who had one of the identifiers, the oldest first, without those about employees that
   * exist.
   *
   * @param employeId also the notes about this employee
   */
  async of(tenantId: string, idsExternes: readonly string[], employeId?: string): Promise<AncienEmploye[]> {
    const { rows } = await this.transactions.client().query<AncienEmploye>(
      `SELECT id_unique AS id, id_externe AS "idExterne", (date_creation + interval '1 second')::text AS jusqua, employes, lignes
       FROM ancien_employe
       WHERE tenant_id = $1 AND (id_externe = ANY ($2::text[])
           AND NOT EXISTS (SELECT FROM ${EMPLOYES} e WHERE e.tenant_id = $1 AND e.id_unique = ANY (employes))
         ${employeId ? 'OR employes @> ARRAY[$3::uuid]' : ''}) ORDER BY id_unique`,
      employeId ? [tenantId, idsExternes, employeId] : [tenantId, idsExternes],
    );
    return rows;
  }

  /**
   * Returns the tenures, beginning after other persons who had the identifier and were deleted by an earlier release. Only notes
   * have the identifier of these persons.
   *
   * @param own notes about the person
   */
  async bounded(
    tenantId: string,
    tenures: readonly Tenure[],
    own: readonly Pick<AncienEmploye, 'id'>[],
  ): Promise<Tenure[]> {
    const { rows } = await this.transactions.client().query<Tenure>(
      `SELECT t.id AS "idExterne", t.jusqua::text, greatest(t.depuis, (
         SELECT max(a.date_creation) + interval '1 second' FROM ancien_employe a
         WHERE a.tenant_id = $1 AND a.id_externe = t.id AND a.date_creation < t.jusqua AND a.date_creation > t.depuis
           AND a.id_unique <> ALL ($5::uuid[])
           AND NOT EXISTS (SELECT FROM ${EMPLOYES} e WHERE e.tenant_id = $1 AND e.id_unique = ANY (a.employes))
       ))::text AS depuis
       FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY t (id, depuis, jusqua, n) ORDER BY t.n`,
      [
        ...[tenantId, tenures.map(({ idExterne }) => idExterne), tenures.map(({ depuis }) => depuis)],
        ...[tenures.map(({ jusqua }) => jusqua), own.map(({ id }) => id)],
      ],
    );
    return rows;
  }

  /** Adds a note about each employee of a table. */
  async insertAll(tenantId: string, employes: string, lignes: AncienEmploye['lignes']): Promise<void> {
    await this.transactions.client().query(
      `INSERT INTO ancien_employe (tenant_id, id_externe, employes, lignes)
         SELECT $1, id_externe, ARRAY[id_unique], $2 FROM ${employes}`,
      [tenantId, JSON.stringify(lignes)],
    );
  }

  /** Replaces the notes of these ids by one. */
  async replace(
    tenantId: string,
    idExterne: string,
    ids: readonly string[],
    { employes, lignes }: Pick<AncienEmploye, 'employes' | 'lignes'>,
  ): Promise<void> {
    const client = this.transactions.client();
    await client.query('DELETE FROM ancien_employe WHERE tenant_id = $1 AND id_unique = ANY ($2::uuid[])', [
      tenantId,
      ids,
    ]);
    await client.query(
      'INSERT INTO ancien_employe (tenant_id, id_externe, employes, lignes) VALUES ($1, $2, $3, $4)',
      [tenantId, idExterne, employes, JSON.stringify(lignes)],
    );
  }
}

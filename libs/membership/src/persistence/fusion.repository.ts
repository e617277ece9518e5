import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import { invalidRequest, MOST_FAULTS, refusalOf } from '#platform/errors/domain-error';
import { snakeCase } from '#platform/input/field';
import { MERGED_FIELDS, MERGED_VALEURS, type MergedField, type MergedValue } from '../domain/fusion.fields';
import { MOST_NESTED_BYTES } from '../domain/employe-v2.fields';
import { EMPLOYE } from '../domain/membership.errors';
import { EMPLOI_V1 } from './emploi.sql';
import { IdentifiantRepository } from './identifiant.repository';
import { tooLarge } from './nested-size.sql';
import type { Fusion } from './personal-data.sql';
import { fr } from '#platform/errors/text';

type MergedEmploye = Readonly<Record<(typeof MERGED_FIELDS)[number], string | null>> & {
  readonly idUnique: string;
  readonly idExterne: string;
  readonly aEmplois: boolean;
};

/** Two locked employees. */
export interface HeldPair {
  readonly conserve: MergedEmploye;
  readonly absorbe: MergedEmploye;
}

/** Two employees who become one, in the ambient transaction. */
@Injectable()
export class FusionRepository {
  constructor(
    private readonly transactions: Transactions,
    private readonly identifiants: IdentifiantRepository,
  ) {}

  /** Locks both against references, in the order of identifiers. @throws DomainError `Employe.NotFound`, `Requete.Invalide` */
  async hold(tenantId: string, conserve: string, absorbe: string): Promise<HeldPair> {
    const columns = MERGED_FIELDS.map((name) => `${snakeCase(name)} AS "${name}"`);
    const { rows } = await this.transactions.client().query<MergedEmploye>(
      `SELECT id_unique AS "idUnique", id_externe AS "idExterne", a_emplois AS "aEmplois", ${columns.join(', ')}
       FROM employe WHERE tenant_id = $1 AND id_externe IN ($2, $3) ORDER BY id_externe FOR UPDATE`,
      [tenantId, conserve, absorbe],
    );
    const [one, other] = [conserve, absorbe].map((id) => rows.find(({ idExterne }) => idExterne === id));
    if (!one) throw await this.identifiants.missing(tenantId, conserve);
    if (conserve === absorbe) {
      const detail = {
        en: 'names the same employee as the path',
        fr: fr('désigne le même employé que le chemin'),
      };
      throw invalidRequest([{ pointer: '/idExterneAbsorbe', code: 'repeated', detail }]);
    }
    if (!other) {
      const { detail } = await this.identifiants.missing(tenantId, absorbe);
      throw refusalOf(EMPLOYE.NotFound, [{ pointer: '/idExterneAbsorbe', code: 'unknown', detail }]);
    }
    return { conserve: one, absorbe: other };
  }

  /**
   * Gives the employee that stays the values that only the other one has, and those that are preferred.
   *
   * @param prefere properties whose value of `absorbe` stays
   * @returns the properties that differed
   */
  async joinValues(
    tenantId: string,
    { conserve, absorbe }: HeldPair,
    prefere: ReadonlySet<MergedField>,
  ): Promise<MergedValue[]> {
    const client = this.transactions.client();
    const valeursDe = prefere.has(MERGED_VALEURS) ? 'absorbe' : 'conserve';
    const { rows } = await client.query<MergedValue>(
      `SELECT $4 || '.' || c.nom_champ AS champ, $5 AS retenu FROM valeur_champ_employe c
       JOIN valeur_champ_employe a ON a.tenant_id = c.tenant_id AND a.id_externe_employe = $3 AND a.nom_champ = c.nom_champ
       WHERE c.tenant_id = $1 AND c.id_externe_employe = $2
         AND to_jsonb(c) - 'id_externe_employe' <> to_jsonb(a) - 'id_externe_employe' ORDER BY 1`,
      [tenantId, conserve.idExterne, absorbe.idExterne, MERGED_VALEURS, valeursDe],
    );
    const hasRows = conserve.aEmplois || absorbe.aEmplois;
    if (hasRows) await this.storeEmploisV1(tenantId, [conserve, absorbe]);
    const differing: MergedValue[] = [];
    const values = MERGED_FIELDS.map((name) => {
      if (name === 'identifiantExterneEmployeur' && hasRows) return null;
      const [own, other] = [conserve[name], absorbe[name]];
      if (own === null || other === null) return own ?? other;
      const retenu = prefere.has(name) ? 'absorbe' : 'conserve';
      if (own !== other) differing.push({ champ: name, retenu });
      return { conserve: own, absorbe: other }[retenu];
    });
    const sets = MERGED_FIELDS.map((name, n) => `${snakeCase(name)} = $${n + 4}`);
    await client.query(
      `UPDATE employe SET ${sets.join(', ')}, a_emplois = $3, derniere_maj = clock_timestamp()
       WHERE tenant_id = $1 AND id_unique = $2`,
      [tenantId, conserve.idUnique, hasRows, ...values],
    );
    return [...differing, ...rows];
  }

  /** Makes the employers that V1 wrote employments, because one of the employees has employments of V2. */
  private async storeEmploisV1(tenantId: string, employes: readonly MergedEmploye[]): Promise<void> {
    const client = this.transactions.client();
    const ids = employes.map(({ idUnique }) => idUnique);
    await client.query(
      `INSERT INTO emploi (tenant_id, id_externe_employe, identifiant_externe, identifiant_externe_employeur)
       SELECT $1, id_externe, '${EMPLOI_V1}', identifiant_externe_employeur FROM employe
       WHERE tenant_id = $1 AND id_unique = ANY ($2::uuid[]) AND identifiant_externe_employeur IS NOT NULL`,
      [tenantId, ids],
    );
    await client.query(
      `UPDATE employe SET a_emplois = true, identifiant_externe_employeur = NULL
       WHERE tenant_id = $1 AND id_unique = ANY ($2::uuid[]) AND NOT a_emplois`,
      [tenantId, ids],
    );
  }

  /** @throws DomainError `Employe.FusionEmploisEnDouble` where both have an employment of the same identifier */
  async refuseRepeatedEmplois(tenantId: string, conserve: string, absorbe: string): Promise<void> {
    const { rows } = await this.transactions.client().query<{ id: string }>(
      `SELECT c.identifiant_externe AS id FROM emploi c
       JOIN emploi a ON a.tenant_id = c.tenant_id AND a.id_externe_employe = $3 AND a.identifiant_externe = c.identifiant_externe
       WHERE c.tenant_id = $1 AND c.id_externe_employe = $2 ORDER BY 1 LIMIT $4`,
      [tenantId, conserve, absorbe, MOST_FAULTS],
    );
    if (rows.length === 0) return;
    const faults = rows.map(({ id }) => {
      const detail = {
        en: `both employees have an employment ${JSON.stringify(id)}: send one of them with another IdentifiantExterne first`,
        fr: fr`les deux employés ont un emploi ${JSON.stringify(id)} : envoyez d'abord l'un des deux avec un autre IdentifiantExterne`,
      };
      return { pointer: '/idExterneAbsorbe', code: 'repeated', detail };
    });
    throw refusalOf(EMPLOYE.FusionEmploisEnDouble, faults);
  }

  /**
   * Runs `work`, which gives the rows of the one employee to the other, and removes the one. The feed of changes gets one change.
   *
   * @throws DomainError `Requete.Invalide` if the nested records would be too large together
   */
  async merging<T>({ tenantId, conserve, absorbe, absorbeId }: Fusion, work: () => Promise<T>): Promise<T> {
    await this.identifiants.stage(tenantId, [{ ancien: absorbe, nouveau: conserve }]);
    await this.identifiants.note(tenantId, 'Fusionne');
    return this.identifiants.unnoted(async () => {
      const result = await work();
      const client = this.transactions.client();
      await client.query('DELETE FROM employe WHERE tenant_id = $1 AND id_unique = $2', [
        tenantId,
        absorbeId,
      ]);
      const { rowCount } = await client.query(tooLarge('(SELECT $3::text AS id_externe)'), [
        ...[tenantId, MOST_NESTED_BYTES, conserve],
      ]);
      if (rowCount === 0) return result;
      const detail = {
        en: `has Emplois, Adhesions and ValeursChampUtilisateur that would be more than ${MOST_NESTED_BYTES.toLocaleString('en')} bytes together with those of the other employee. Remove some of them first`,
        fr: fr`a des Emplois, Adhesions et ValeursChampUtilisateur qui auraient, avec ceux de l'autre employé, plus de ${MOST_NESTED_BYTES} octets. Retirez-en d'abord quelques-uns`,
      };
      throw invalidRequest([{ pointer: '/idExterneAbsorbe', code: 'length', detail }]);
    });
  }
}

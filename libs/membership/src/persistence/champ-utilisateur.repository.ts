import { CHAMP } from '../domain/membership.errors';
import { Injectable } from '@nestjs/common';
import { FOREIGN_KEY_VIOLATION, UNIQUE_VIOLATION, violates } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import type { ErrorDefinition } from '#platform/errors/error-definition';
import { assertBoundedChamps, ChampUtilisateur, type ChampsSize } from '../domain/champ-utilisateur.entity';
import { fr, type Text } from '#platform/errors/text';

const OF_VALUES = 'valeur_champ_employe_champ_fkey';
const OF_FORMS = 'formulaire_champ_champ_fkey';
const OF_CHOICES = 'valeur_champ_employe_choix_fkey';

const NAME_TAKEN: Text = {
  en: 'A custom field has this name. Use PUT to change it.',
  fr: fr('Un champ utilisateur a ce nom. Utilisez PUT pour le modifier.'),
};
const TYPE_USED: Text = {
  en: 'Employees have values of this field. Its type cannot change.',
  fr: fr('Des employés ont des valeurs de ce champ. Son type ne peut pas changer.'),
};
const CHOICE_USED: Text = {
  en: 'Employees have a choice that would be removed. Give them another one first.',
  fr: fr("Des employés ont un choix qui serait retiré. Donnez-leur d'abord un autre choix."),
};
const USED: Text = {
  en: 'Employees have values of this field, or forms ask for it. Remove them first.',
  fr: fr("Des employés ont des valeurs de ce champ, ou des formulaires le demandent. Retirez-les d'abord."),
};

/** Custom fields and their choices, in the ambient transaction. Foreign keys decide whether a field is in use. */
@Injectable()
export class ChampUtilisateurRepository {
  constructor(private readonly transactions: Transactions) {}

  /**
   * Adds the field with its choices.
   *
   * @returns its idUnique
   * @throws DomainError `Champ.NomDejaUtilise`, `Requete.Invalide` for too many fields or choices of the tenant
   */
  insert(champ: ChampUtilisateur): Promise<string> {
    return this.bounded(champ, () => this.insertWithChoix(champ));
  }

  private async insertWithChoix(champ: ChampUtilisateur): Promise<string> {
    const { tenantId, nom, type, obligatoire } = champ;
    const { rows } = await this.checked(
      () =>
        this.transactions.client().query<{ id: string }>(
          `INSERT INTO champ_utilisateur (tenant_id, nom, type, obligatoire) VALUES ($1, $2, $3, $4)
           RETURNING id_unique AS id`,
          [tenantId, nom, type, obligatoire],
        ),
      [UNIQUE_VIOLATION, 'champ_utilisateur_nom_key'],
      [CHAMP.NomDejaUtilise, NAME_TAKEN],
    );
    await this.replaceChoix(champ);
    return rows[0]!.id;
  }

  /** The field, locked until the transaction ends. */
  lock(tenantId: string, nom: string): Promise<ChampUtilisateur | null> {
    return this.transactions
      .manager()
      .findOne(ChampUtilisateur, { where: { tenantId, nom }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Writes the field and its choices.
   *
   * @throws DomainError `Champ.TypeUtilise`, `Champ.ChoixUtilise`, `Requete.Invalide` for too many choices of the tenant
   */
  update(champ: ChampUtilisateur): Promise<void> {
    return this.bounded(champ, () => this.updateWithChoix(champ));
  }

  private async updateWithChoix(champ: ChampUtilisateur): Promise<void> {
    const { tenantId, idUnique, type, obligatoire } = champ;
    await this.checked(
      () =>
        this.transactions.manager().update(ChampUtilisateur, { tenantId, idUnique }, { type, obligatoire }),
      [FOREIGN_KEY_VIOLATION, OF_VALUES],
      [CHAMP.TypeUtilise, TYPE_USED],
    );
    await this.replaceChoix(champ);
  }

  private async replaceChoix({ tenantId, nom, choix }: ChampUtilisateur): Promise<void> {
    await this.checked(
      () =>
        this.transactions.client().query(
          `WITH removed AS (
             DELETE FROM choix_champ WHERE tenant_id = $1 AND nom_champ = $2 AND id_externe <> ALL ($3::text[])
           )
           INSERT INTO choix_champ (tenant_id, nom_champ, id_externe, libelle, ordre)
           SELECT $1, $2, id_externe, libelle, ordre
           FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS sent (id_externe, libelle, ordre)
           ON CONFLICT (tenant_id, nom_champ, id_externe) DO UPDATE SET libelle = excluded.libelle, ordre = excluded.ordre`,
          [tenantId, nom, choix.map(({ idExterne }) => idExterne), choix.map(({ libelle }) => libelle)],
        ),
      [FOREIGN_KEY_VIOLATION, OF_CHOICES],
      [CHAMP.ChoixUtilise, CHOICE_USED],
    );
  }

  /** @throws DomainError `Champ.Utilise` */
  async delete({ tenantId, idUnique }: ChampUtilisateur): Promise<void> {
    await this.checked(
      () => this.transactions.manager().delete(ChampUtilisateur, { tenantId, idUnique }),
      [FOREIGN_KEY_VIOLATION, OF_VALUES, OF_CHOICES, OF_FORMS],
      [CHAMP.Utilise, USED],
    );
  }

  /** Runs a write. One at a time of a tenant, because two could otherwise both stay within the bounds. */
  private async bounded<T>({ tenantId }: ChampUtilisateur, write: () => Promise<T>): Promise<T> {
    await this.transactions.lockByName(`champs ${tenantId}`);
    const before = await this.sizeOf(tenantId);
    const written = await write();
    assertBoundedChamps(before, await this.sizeOf(tenantId));
    return written;
  }

  private async sizeOf(tenantId: string): Promise<ChampsSize> {
    const { rows } = await this.transactions.client().query<ChampsSize>(
      `SELECT count(*)::int AS count, coalesce(sum(size), 0)::int AS bytes FROM (
         SELECT 100 + octet_length(to_json(nom)::text) + coalesce((
           SELECT sum(30 + octet_length(to_json(id_externe)::text) + octet_length(to_json(libelle)::text))
           FROM choix_champ c WHERE c.tenant_id = $1 AND c.nom_champ = f.nom
         ), 0) AS size
         FROM champ_utilisateur f WHERE tenant_id = $1
       ) f`,
      [tenantId],
    );
    return rows[0]!;
  }

  private async checked<T>(
    write: () => Promise<T>,
    [state, ...constraints]: [state: string, ...constraints: string[]],
    [code, detail]: [ErrorDefinition, Text],
  ): Promise<T> {
    try {
      return await write();
    } catch (error) {
      const isRefusal = constraints.some((constraint) => violates(error, state, constraint));
      throw isRefusal ? new DomainError(code, detail) : error;
    }
  }
}

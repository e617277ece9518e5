import { CHAMP_ACTIONS } from '../domain/membership.actions';
import { CHAMP } from '../domain/membership.errors';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { ChampUtilisateur } from '../domain/champ-utilisateur.entity';
import type { ChampRecord } from '../domain/champ-utilisateur.fields';
import type { ChampDefinition } from '../domain/valeur-champ';
import { ChampUtilisateurQuery } from '../persistence/champ-utilisateur.query';
import { ChampUtilisateurRepository } from '../persistence/champ-utilisateur.repository';
import { KeyedRecords } from './keyed-records';

/** Custom fields of a tenant and their choices (docs/contract.md, "Custom fields"). */
@Injectable()
export class ChampsUtilisateurService extends KeyedRecords<ChampUtilisateur, ChampRecord> {
  constructor(
    transactions: Transactions,
    audit: AuditTrail,
    repository: ChampUtilisateurRepository,
    private readonly query: ChampUtilisateurQuery,
  ) {
    super(transactions, audit, {
      actions: CHAMP_ACTIONS,
      repository,
      query,
      keyOf: ({ nom }) => nom,
      make: (tenantId, { nom }) => Object.assign(new ChampUtilisateur(), { tenantId, nom }),
      notFound: () => new DomainError(CHAMP.NotFound),
    });
  }

  /** Returns the fields of these names, each with its choices of these identifiers. */
  definitions(
    tenantId: string,
    noms: readonly string[],
    choix: readonly string[],
  ): Promise<ReadonlyMap<string, ChampDefinition>> {
    return this.query.definitions(tenantId, { noms, choix });
  }
}

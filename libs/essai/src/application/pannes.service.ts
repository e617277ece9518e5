import { Injectable } from '@nestjs/common';
import { Transactions } from '#platform/database/transactions';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import { FOREIGN_KEY_VIOLATION } from '#platform/errors/sql-errors';
import { fr } from '#platform/errors/text';
import type { ModuleName } from '#access/caller';
import { WebhooksService } from '#webhooks';
import { PANNE } from '../domain/panne.errors';
import type { PanneRecord } from '../domain/panne.fields';
import type { Effet, Panne } from '../domain/panne.types';
import { PanneRepository } from '../persistence/panne.repository';

/** Maximum number of failures of a data space. */
const MOST_PANNES = 20;

/** Failures on demand of a data space in staging: of routes for its partner's keys, and of answers of its endpoints. */
@Injectable()
export class PannesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: PanneRepository,
    private readonly webhooks: WebhooksService,
  ) {}

  list(tenantId: string): Promise<Panne[]> {
    return this.repository.list(tenantId);
  }

  /**
   * Sets the failure of a route or an endpoint, and replaces an earlier one.
   *
   * @param modules of the caller
   * @throws DomainError `Requete.Invalide` unless it names one target and one effect, `Webhook.NotFound`, `Essai.PannesTropNombreuses`
   */
  async put(tenantId: string, modules: readonly ModuleName[], record: PanneRecord): Promise<Panne> {
    const { fois, route = null, webhookId = null, statut = null, delaiMs = null } = record;
    const effet = { statut, delaiMs, coupure: record.coupure || null };
    if ((route === null) === (webhookId === null)) throw one('/route', ONE_TARGET);
    if (Object.values(effet).filter((value) => value !== null).length !== 1) throw one('/statut', ONE_EFFECT);
    const put = async (): Promise<Panne> => {
      if (webhookId !== null) await this.webhooks.get(tenantId, modules, webhookId);
      const panne = await this.repository.put(tenantId, { route, webhookId }, effet, fois, MOST_PANNES);
      if (!panne) throw new DomainError(PANNE.PannesTropNombreuses);
      return panne;
    };
    // The endpoint may be deleted in between.
    return this.transactions.run({ tenantId }, put, { retryOn: [FOREIGN_KEY_VIOLATION] });
  }

  removeAll(tenantId: string): Promise<void> {
    return this.repository.removeAll(tenantId);
  }

  /** Returns what the next request to a route has, once. */
  ofRoute(tenantId: string, route: string): Promise<Effet | undefined> {
    return this.repository.take(tenantId, { route, webhookId: null });
  }

  /** Returns what the next attempt of an endpoint has, once. */
  ofWebhook(tenantId: string, webhookId: string): Promise<Effet | undefined> {
    return this.repository.take(tenantId, { route: null, webhookId });
  }
}

const ONE_TARGET = {
  en: 'send either `route` or `webhookId`',
  fr: fr('envoyez soit `route`, soit `webhookId`'),
};
const ONE_EFFECT = {
  en: 'send exactly one of `statut`, `delaiMs` and `coupure: true`',
  fr: fr('envoyez exactement un de `statut`, `delaiMs` et `coupure: true`'),
};

const one = (pointer: string, detail: typeof ONE_TARGET): DomainError =>
  invalidRequest([{ pointer, code: 'required', detail }]);

import { WEBHOOK_EVENTS } from '../domain/webhooks.events';
import { WEBHOOK_ACTIONS } from '../domain/webhooks.actions';
import { LIVRAISON, WEBHOOK } from '../domain/webhooks.errors';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { ActorWithModules, ModuleName } from '#access/caller';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Config } from '#platform/ops/config';
import type { Page, Position } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';
import type { EventType } from '../domain/event.types';
import { Outbox } from '#platform/events/outbox';
import { Clock } from '#platform/ops/clock';
import { assertOpen, openTypes } from '../domain/open-types';
import { RAISONS } from '../domain/certification.rules';
import { signatureOf, Webhook } from '../domain/webhook.entity';
import type { WebhookRecord } from '../domain/webhook.fields';
import { CertificationRepository } from '../persistence/certification.repository';
import { LivraisonRepository, type QueuedAttempt } from '../persistence/livraison.repository';
import { WebhookRepository } from '../persistence/webhook.repository';
import { addressFault, insecureAddressFault } from './address-guard';
import { LivraisonJobs } from './livraison-jobs';
import { SigningKeys } from './signing-keys';
import { fr, type Text } from '#platform/errors/text';

/** Maximum endpoints of one tenant, because each event makes a row for each subscribed endpoint. */
const MOST_WEBHOOKS = 50;

/** Events that are replayed by one statement. */
const REPLAY_BATCH = 5_000;

/**
 * Endpoints and their deliveries (docs/contract.md, "Endpoints"). Operations on an endpoint throw `Webhook.NotFound`, and
 * `Module.NonActif` if one of its types belongs to a module that the key may not use; those on a delivery also throw
 * `Livraison.NotFound`. A change with `ifMatch` throws `Precondition.Echouee`.
 */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: WebhookRepository,
    private readonly livraisons: LivraisonRepository,
    private readonly certifications: CertificationRepository,
    private readonly jobs: LivraisonJobs,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** The number of endpoints of the worker's cell that the service has disabled. */
  countDisabled(): Promise<number> {
    return this.repository.countDisabled();
  }

  /** Returns the endpoints that a key may read: those whose types all belong to its modules. */
  page(
    tenantId: string,
    modules: readonly ModuleName[],
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    return this.repository.page(tenantId, openTypes(modules), after, limit);
  }

  async get(tenantId: string, modules: readonly ModuleName[], id: string): Promise<Json> {
    const item = await this.item(tenantId, id);
    assertOpen((JSON.parse(item) as { types: EventType[] }).types, modules);
    return item;
  }

  /**
   * Registers an endpoint. Only this response has its secret, which is null for the signature `v1a`.
   *
   * @param id made by the service if absent
   * @throws DomainError `Webhook.AdresseRefusee`, `Module.NonActif`, `Webhook.TropNombreux`
   */
  async create(
    tenantId: string,
    { actor, modules }: ActorWithModules,
    record: WebhookRecord,
    id: string = randomUUID(),
  ): Promise<{ id: string; item: Json }> {
    this.check(record, modules);
    const { secret, ...key } = this.keys.create(tenantId, id, signatureOf(record));
    return this.transactions.run({ tenantId }, async () => {
      await this.transactions.lockByName(`webhooks ${tenantId}`);
      if ((await this.repository.count(tenantId)) >= MOST_WEBHOOKS) {
        throw new DomainError(WEBHOOK.TropNombreux, {
          en: `The tenant already has ${MOST_WEBHOOKS} endpoints. Delete an unused one.`,
          fr: fr`L'espace de données a déjà ${MOST_WEBHOOKS} webhooks. Supprimez-en un qui ne sert plus.`,
        });
      }
      await this.repository.insert(Webhook.register(tenantId, id, record, key));
      this.audit.record(tenantId, actor, WEBHOOK_ACTIONS.creer, [id]);
      return { id, item: withSecret(await this.item(tenantId, id), { secret }) };
    });
  }

  /** Replaces every writable property. @throws DomainError `Webhook.AdresseRefusee` */
  async replace(
    tenantId: string,
    { actor, modules }: ActorWithModules,
    id: string,
    record: WebhookRecord,
    ifMatch?: string,
  ): Promise<Json> {
    return this.locked(tenantId, modules, id, async (webhook) => {
      this.check(record, modules);
      assertIfMatch(ifMatch, await this.item(tenantId, id));
      if (record.url !== webhook.url) await this.certifications.endOf(tenantId, id, RAISONS.address);
      webhook.replaceWith(record);
      await this.repository.update(webhook);
      this.audit.record(tenantId, actor, WEBHOOK_ACTIONS.modifier, [id]);
      return this.item(tenantId, id);
    });
  }

  /** Removes an endpoint with its log. */
  async delete(
    tenantId: string,
    { actor, modules }: ActorWithModules,
    id: string,
    ifMatch?: string,
  ): Promise<void> {
    await this.locked(tenantId, modules, id, async (webhook) => {
      assertIfMatch(ifMatch, await this.item(tenantId, id));
      await this.repository.delete(webhook);
      this.audit.record(tenantId, actor, WEBHOOK_ACTIONS.supprimer, [id]);
    });
  }

  /**
   * Gives an endpoint a new key of its signature. Only this response has a secret. The old key also signs for 24 hours.
   *
   * @throws DomainError `Webhook.RotationsTropNombreuses`
   */
  async rotate(tenantId: string, { actor, modules }: ActorWithModules, id: string): Promise<Json> {
    const at = this.clock.now();
    return this.locked(tenantId, modules, id, async (webhook) => {
      const { secret, ...key } = this.keys.create(tenantId, id, webhook.signature);
      const until = webhook.rotateSecret(key, at);
      await this.certifications.endOf(tenantId, id, RAISONS.key);
      await this.repository.update(webhook);
      this.audit.record(tenantId, actor, WEBHOOK_ACTIONS.rotation, [id]);
      return withSecret(await this.item(tenantId, id), {
        secret,
        ancienSecretJusqua: until.toISOString(),
      });
    });
  }

  /**
   * Sends `webhook.test` to one endpoint.
   *
   * @param livraisonId made by the service if absent
   * @throws DomainError `Webhook.Inactif`
   */
  async test(
    tenantId: string,
    { actor, modules }: ActorWithModules,
    id: string,
    livraisonId?: string,
  ): Promise<Json> {
    return this.locked(tenantId, modules, id, async (webhook) => {
      webhook.assertActive();
      const event = await this.outbox.add(tenantId, WEBHOOK_EVENTS.test, JSON.stringify({ webhookId: id }));
      this.audit.record(tenantId, actor, WEBHOOK_ACTIONS.tester, [id]);
      return this.queued(tenantId, await this.livraisons.insert(tenantId, event, id, livraisonId));
    });
  }

  /**
   * Returns the deliveries to an endpoint, newest first. Omits types that the key may not read, because the endpoint may
   * have subscribed to them before.
   */
  async livraisonsOf(
    tenantId: string,
    modules: readonly ModuleName[],
    id: string,
    after: Position | undefined,
    limit: number,
  ): Promise<Page> {
    await this.get(tenantId, modules, id);
    return this.livraisons.page(tenantId, id, openTypes(modules), after, limit);
  }

  /** Returns one delivery of an endpoint. The key also needs the module of its type. */
  async livraison(
    tenantId: string,
    modules: readonly ModuleName[],
    id: string,
    livraisonId: string,
  ): Promise<Json> {
    await this.get(tenantId, modules, id);
    const item = (await this.livraisons.one(tenantId, id, livraisonId)) ?? missingLivraison();
    assertOpen([(JSON.parse(item) as { type: EventType }).type], modules);
    return item;
  }

  /**
   * Restarts one delivery in any state, with the whole schedule. The key also needs the module of its type.
   *
   * @throws DomainError `Webhook.Inactif`, `Webhook.TypeNonAbonne`
   */
  async resend(
    tenantId: string,
    { actor, modules }: ActorWithModules,
    id: string,
    livraisonId: string,
  ): Promise<Json> {
    return this.locked(tenantId, modules, id, async (webhook) => {
      const attempt = (await this.livraisons.restart(tenantId, id, livraisonId)) ?? missingLivraison();
      // A refusal rolls the restart back.
      assertOpen([attempt.type], modules);
      webhook.assertTakes(attempt.type);
      this.audit.record(tenantId, actor, WEBHOOK_ACTIONS.renvoyer, [livraisonId]);
      return this.queued(tenantId, attempt);
    });
  }

  /**
   * Sends all events of the endpoint's types since a time, including those that it accepted.
   *
   * @returns their number
   * @throws DomainError `Webhook.Inactif`
   */
  async replay(
    tenantId: string,
    { actor, modules }: ActorWithModules,
    id: string,
    since: Date,
  ): Promise<number> {
    return this.locked(tenantId, modules, id, async (webhook) => {
      webhook.assertActive();
      let count = 0;
      let after: Position | undefined;
      do {
        const { attempts, last } = await this.livraisons.replay(
          tenantId,
          id,
          webhook.types.filter((type) => type !== WEBHOOK_EVENTS.test.type),
          since,
          after,
          REPLAY_BATCH,
        );
        await this.jobs.restart(tenantId, attempts);
        count += attempts.length;
        after = last;
      } while (after);
      this.audit.record(tenantId, actor, WEBHOOK_ACTIONS.recuperer, [id]);
      return count;
    });
  }

  private async item(tenantId: string, id: string): Promise<Json> {
    return (await this.repository.one(tenantId, id)) ?? missing();
  }

  private async queued(tenantId: string, attempt: QueuedAttempt): Promise<Json> {
    await this.jobs.restart(tenantId, [attempt]);
    return (await this.livraisons.one(tenantId, attempt.webhookId, attempt.id))!;
  }

  /** Runs `work` in a transaction that locks the endpoint. */
  locked<T>(
    tenantId: string,
    modules: readonly ModuleName[],
    id: string,
    work: (webhook: Webhook) => Promise<T>,
  ): Promise<T> {
    return this.transactions.run({ tenantId }, async () => {
      const webhook = (await this.repository.lock(tenantId, id)) ?? missing();
      assertOpen(webhook.types, modules);
      return work(webhook);
    });
  }

  private check(record: WebhookRecord, modules: readonly ModuleName[]): void {
    if (record.types.length === 0)
      throw invalidRequest([{ pointer: '/types', code: 'minLength', detail: NO_TYPE }]);
    assertOpen(record.types, modules);
    const isFree = this.config.webhookAllowInsecure;
    const fault = (isFree ? insecureAddressFault : addressFault)(record.url);
    if (!fault) return;
    const refused = { en: `The address ${fault.en}.`, fr: fr`L'adresse ${fault.fr}.` };
    throw new DomainError(WEBHOOK.AdresseRefusee, isFree ? refused : withRemedy(refused));
  }
}

const NO_TYPE: Text = {
  en: 'must contain at least one type',
  fr: fr('doit contenir au moins un type'),
};

function withRemedy(refused: Text): Text {
  return {
    en: `${refused.en} Give the public https address of the receiver, on port 443.`,
    fr: fr`${refused.fr} Donnez l'adresse https publique du récepteur, sur le port 443.`,
  };
}

function withSecret(item: Json, secret: object): Json {
  return JSON.stringify({ ...(JSON.parse(item) as object), ...secret });
}

function missingLivraison(): never {
  throw new DomainError(LIVRAISON.NotFound);
}

function missing(): never {
  throw new DomainError(WEBHOOK.NotFound);
}

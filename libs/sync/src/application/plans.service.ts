import { PLAN } from '../domain/sync.errors';
import { PLAN_ACTIONS } from '../domain/sync.actions';
import { PLAN_FIELDS } from '../domain/sync-v2.fields';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type ModuleName, MODULES } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { FetchPage } from '#platform/database/json-items';
import type { Json } from '#platform/database/json';
import { Transactions } from '#platform/database/transactions';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import type { Tenure } from '#membership/relations';
import { foldRecord, isPlainObject } from '#platform/input/fold';
import { parseBody } from '#platform/input/parse-body';
import type { Synced } from '../domain/effets.types';
import { type Freins, isBraked } from '../domain/freins';
import { PLAN_HOURS } from '../domain/plan.types';
import { PlanRepository, type StoredPlan } from '../persistence/plan.repository';
import { OVERTAKEN } from './overtaken';
import { countRecords, type Records } from './record-limits';
import { SyncEngine } from './sync-engine';
import { SyncV1Service } from './sync-v1.service';
import { SyncV2Service } from './sync-v2.service';
import { type Tache, TachesService } from './taches.service';
import { fr, type Language, type Text } from '#platform/errors/text';

/** The body of a plan: that of a sync of one of the two versions. */
export type PlanRequest = { [N in keyof typeof PLAN_FIELDS]?: Records | null };

/** Filters of the changes of a plan. */
export interface ChangementsFilter {
  readonly nature?: string | null;
  readonly entite?: string | null;
}

/** Plans of syncs (docs/contract.md, "Plan and brake"). A plan is kept for 24 h and applied once. */
@Injectable()
export class PlansService {
  constructor(
    private readonly transactions: Transactions,
    private readonly engine: SyncEngine,
    private readonly v1: SyncV1Service,
    private readonly v2: SyncV2Service,
    private readonly plans: PlanRepository,
    private readonly audit: AuditTrail,
    private readonly taches: TachesService,
  ) {
    taches.register('plan', (tenantId, _actor, { corps, version }, conclude) =>
      this.transactions.run({ tenantId }, async () => {
        const request = readRequest(await parseBody(corps, true));
        await conclude({ planId: await this.draw(tenantId, version!, corps, request) });
      }),
    );
  }

  /**
   * @param corps the body as sent
   * @param id given by the database if absent
   * @returns its id
   * @throws DomainError `Requete.Invalide`, `Requete.TropVolumineuse`, `Plan.TropNombreux`
   */
  draw(
    tenantId: string,
    version: 'V1' | 'V2',
    corps: Buffer,
    request: PlanRequest,
    id?: string,
  ): Promise<string> {
    countListsOf(version, request);
    return version === 'V1'
      ? this.engine.plan(this.v1, tenantId, requestV1(request), corps, id)
      : this.engine.plan(this.v2, tenantId, request, corps, id);
  }

  /** Stores a plan for the worker. @param corps the body as sent @throws DomainError as `draw` and `TachesService.add` */
  submit(
    tenantId: string,
    actor: Actor,
    version: 'V1' | 'V2',
    corps: Buffer,
    request: PlanRequest,
    language: Language,
  ): Promise<Tache> {
    const total = countListsOf(version, request);
    const work = { type: 'plan', corps, total, simulation: false, version } as const;
    return this.taches.add(tenantId, actor, work, { language });
  }

  /** @param modules of the caller: campaigns are shown with the module `vote` only */
  list(tenantId: string, modules: readonly ModuleName[]): FetchPage {
    return this.plans.itemsFor(modules.includes('vote')).pages(tenantId);
  }

  /** @param modules as of `list` @throws DomainError `Plan.NotFound` */
  async get(tenantId: string, id: string, modules: readonly ModuleName[] = MODULES): Promise<Json> {
    const item = await this.plans.itemsFor(modules.includes('vote')).one(tenantId, id);
    if (!item) throw noPlan();
    return item;
  }

  /** The changes of a plan. Reading them throws `Plan.NotFound`. */
  changements(tenantId: string, id: string, { nature, entite }: ChangementsFilter): FetchPage {
    const fetch = this.plans.changements.pages(tenantId, [
      { sql: 'plan_id = ?', value: id },
      { sql: 'nature = ?', value: nature },
      { sql: 'entite = ?', value: entite },
    ]);
    return async (after, limit) => {
      const page = await fetch(after, limit);
      if (page.items.length === 0) await this.get(tenantId, id);
      return page;
    };
  }

  /**
   * Makes the changes of a plan, once.
   *
   * @throws DomainError `Plan.NotFound`, `Plan.Perime`, `Plan.DejaApplique`, `Plan.Bloque`; nothing is written then
   */
  async apply(
    tenantId: string,
    actor: Actor,
    id: string,
    language: Language = 'en',
  ): Promise<Synced<object>> {
    const applied = await this.transactions.run(
      { tenantId },
      async () => {
        const origin = { id: randomUUID(), planId: id };
        const freins = await this.engine.begin(tenantId, origin.id);
        const plan = await this.mustLock(tenantId, id);
        assertApplicable(plan, freins);
        const request = readRequest(await parseBody(await this.plans.corps(tenantId, id), true));
        const { empreinte } = plan;
        const options = { freins, language };
        const synced =
          plan.version === 'V1'
            ? await this.engine.apply(
                ...([this.v1, tenantId, actor, requestV1(request), empreinte, options, origin] as const),
              )
            : await this.engine.apply(this.v2, tenantId, actor, request, empreinte, options, origin);
        await this.plans.end(tenantId, id, synced ? 'Applique' : 'Perime');
        return synced;
      },
      OVERTAKEN,
    );
    if (!applied) throw stale();
    return applied;
  }

  /** Deletes a plan. @throws DomainError `Plan.NotFound` */
  async remove(tenantId: string, id: string): Promise<void> {
    await this.transactions.run({ tenantId }, async () => {
      if (!(await this.plans.remove(tenantId, id))) throw noPlan();
    });
  }

  /**
   * Releases one plan from the brake, also from one that is set later.
   *
   * @throws DomainError `Plan.NotFound`, `Plan.Perime`, `Plan.DejaApplique`
   */
  async release(tenantId: string, actor: Actor, id: string, raison: string): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const plan = await this.mustLock(tenantId, id);
      assertOpen(plan);
      if (!plan.isReleased) {
        await this.plans.release(tenantId, id, raison);
        this.audit.record(tenantId, actor, PLAN_ACTIONS.autoriser, [id]);
      }
      return this.get(tenantId, id);
    });
  }

  /** Removes the plans that name an employee, who is about to be erased, in the ambient transaction. */
  async forget(tenantId: string, tenures: readonly Tenure[]): Promise<void> {
    for (const tenure of tenures) await this.plans.forget(tenantId, tenure);
  }

  purgeExpired(spaces: readonly string[]): Promise<number> {
    return this.plans.purgeExpired(spaces);
  }

  private async mustLock(tenantId: string, id: string): Promise<StoredPlan> {
    const plan = await this.plans.lock(tenantId, id);
    if (!plan) throw noPlan();
    return plan;
  }
}

function stale(): DomainError {
  const detail = {
    en: 'A record that the plan touches has changed since. Nothing was written. Make the plan again.',
    fr: fr("Un enregistrement touché par le plan a changé depuis. Rien n'a été écrit. Refaites le plan."),
  };
  // The plan stays stale.
  return new DomainError(PLAN.Perime, detail, { hasWritten: true });
}

export function noPlan(): DomainError {
  return new DomainError(PLAN.NotFound, {
    en: `No plan has this id. Plans are removed ${PLAN_HOURS} h after they were made.`,
    fr: fr`Aucun plan n'a cet identifiant. Les plans sont retirés ${PLAN_HOURS} h après leur création.`,
  });
}

/** @throws DomainError `Plan.DejaApplique`, `Plan.Perime` */
function assertOpen({ etat, isExpired }: StoredPlan): void {
  if (etat === 'Applique') throw new DomainError(PLAN.DejaApplique);
  if (etat === 'Perime') throw stale();
  if (isExpired)
    throw new DomainError(PLAN.Perime, {
      en: `The plan was not applied within ${PLAN_HOURS} h. Nothing was written. Make it again.`,
      fr: fr`Le plan n'a pas été appliqué dans les ${PLAN_HOURS} h. Rien n'a été écrit. Refaites-le.`,
    });
}

/** @throws DomainError `Plan.DejaApplique`, `Plan.Perime`, `Plan.Bloque` */
function assertApplicable(plan: StoredPlan, freins: Freins): void {
  assertOpen(plan);
  if (!plan.isReleased && (plan.etat === 'Bloque' || isBraked(plan.resume, freins)))
    throw new DomainError(PLAN.Bloque);
}

/**
 * @returns the number of records
 * @throws DomainError `Requete.Invalide` for a list that the other version has, `Requete.TropVolumineuse`
 */
function countListsOf(version: 'V1' | 'V2', request: PlanRequest): number {
  const [name, detail] =
    version === 'V1' ? (['Syndicats', OF_V2_ONLY] as const) : (['Employeurs', OF_V1_ONLY] as const);
  if (request[name]) throw invalidRequest([{ pointer: `/${name}`, code: 'unknown', detail }]);
  return countRecords(Object.values(request));
}

const OF_V2_ONLY: Text = {
  en: 'is a list of V2 only; leave it out, or leave out `version=1`',
  fr: fr('est une liste de la V2 seulement; omettez-la, ou omettez `version=1`'),
};
const OF_V1_ONLY: Text = {
  en: 'is a list of V1 only; send employers in `Syndicats`, or add `version=1`',
  fr: fr('est une liste de la V1 seulement; envoyez les employeurs dans `Syndicats`, ou ajoutez `version=1`'),
};

/** Returns the lists of a body, which was checked on arrival. */
function readRequest(body: unknown): PlanRequest {
  return isPlainObject(body) ? foldRecord(body, PLAN_FIELDS, 'bulk', '', []) : {};
}

function requestV1({ Employeurs, Employes, ObjetsConsentement }: PlanRequest) {
  return { employeurs: Employeurs, employes: Employes, objetsConsentement: ObjetsConsentement };
}

import { EMPLOYE_ACTIONS } from '../domain/personne.actions';
import { Injectable } from '@nestjs/common';
import { EMPLOYE, EmployesV2Service, IdentifiantRepository, type Renommage } from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { Json } from '#platform/database/json';
import { Maintenance } from '#platform/database/maintenance';
import { Transactions } from '#platform/database/transactions';
import {
  DomainError,
  type InputFault,
  invalidRequest,
  isFull,
  MOST_FAULTS,
  refusalOf,
} from '#platform/errors/domain-error';
import { REQUETE } from '#platform/errors/platform.errors';
import { describeFault, hasAtMost, NO_OBJECT } from '#platform/input/faults';
import { foldRecord, isPlainObject } from '#platform/input/fold';
import { UnfitRow } from '#platform/input/json-rows';
import { parseBody } from '#platform/input/parse-body';
import { EventLoopYielder } from '#platform/ops/event-loop-yielder';
import { afterSyncs, type Tache, type TachePerformer, TachesService } from '#sync';
import { RENOMMAGE_FIELDS } from '../domain/renommage.fields';
import { PersonalDataRepository } from '../persistence/personal-data.repository';
import { fr, type Language, type Text } from '#platform/errors/text';

/** Most pairs of a request that waits for its response. A permutation of so many takes less than half of the limit of a transaction. */
const MOST_AT_ONCE = 50_000;

/** Limits of a task: 250,000 pairs take minutes. The whole ends before the queue gives the task to another worker. */
const TASK_LIMITS = { statement: '4min', whole: '9min' };

/** The result of a renaming of many. */
export interface Renommes {
  readonly nombreModifies: number;
}

/** New external identifiers of employees (docs/adr/0054). */
@Injectable()
export class IdentifiantsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly maintenance: Maintenance,
    private readonly taches: TachesService,
    private readonly employes: EmployesV2Service,
    private readonly identifiants: IdentifiantRepository,
    private readonly repository: PersonalDataRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Gives one employee another identifier.
   *
   * @returns the V2 employee
   * @throws DomainError `Employe.NotFound`, `Employe.IdExterneDejaUtilise`, `Employe.SyncEnAttente`
   */
  async renameOne(tenantId: string, actor: Actor, { ancien, nouveau }: Renommage): Promise<Json> {
    return afterSyncs(this.transactions, tenantId, async () => {
      for (const id of [ancien, nouveau]) if (await this.taches.namesEmploye(tenantId, id)) throw waiting();
      await this.write(tenantId, [{ ancien, nouveau }], (_n, name) =>
        name === 'ancien' ? '{idExterne}' : '/idExterne',
      );
      const item = await this.employes.get(tenantId, nouveau);
      const { idUnique } = JSON.parse(item) as { idUnique: string };
      if (ancien !== nouveau) this.audit.record(tenantId, actor, EMPLOYE_ACTIONS.renommer, [idUnique]);
      return item;
    });
  }

  /**
   * Gives many employees other identifiers, all at once or none. A new identifier may be that of another employee of the list.
   *
   * @param conclude of a task, done in the same transaction; after what a simulation wrote is undone
   * @throws DomainError `Requete.TropVolumineuse` for more than 50,000 pairs without a task, `Employe.NotFound`, `Employe.IdExterneDejaUtilise`, `Employe.SyncEnAttente`; nothing is written then
   */
  async rename(
    tenantId: string,
    actor: Actor,
    pairs: readonly Renommage[],
    simulation: boolean,
    conclude?: (renommes: Renommes) => Promise<void>,
  ): Promise<Renommes> {
    if (!conclude && pairs.length > MOST_AT_ONCE) throw tooMany();
    return afterSyncs(this.transactions, tenantId, async () => {
      if (conclude) await this.maintenance.raiseTimeLimits(TASK_LIMITS);
      // A task runs once the syncs before it have ended. The partner sent those after it with the renaming in mind.
      const mayName = (name: keyof Renommage): Promise<boolean> =>
        this.taches.mayNameAny(
          tenantId,
          pairs.map((pair) => pair[name]),
        );
      if (!conclude && ((await mayName('ancien')) || (await mayName('nouveau')))) throw waiting();
      const write = async (): Promise<number> => {
        const count = await this.write(tenantId, pairs, (n, name) => `/${n}/${name}`);
        if (conclude) await this.identifiants.date(tenantId);
        return count;
      };
      const nombreModifies = await (simulation ? this.transactions.undone(write) : write());
      await conclude?.({ nombreModifies });
      if (!simulation && nombreModifies > 0)
        this.audit.record(tenantId, actor, EMPLOYE_ACTIONS.renommer, [tenantId]);
      return { nombreModifies };
    });
  }

  /**
   * Stores a renaming of many for the worker.
   *
   * @param corps the body as sent
   * @param language of the task's messages
   */
  async submit(
    tenantId: string,
    actor: Actor,
    corps: Buffer,
    list: Iterable<unknown>,
    simulation: boolean,
    language: Language,
  ): Promise<Tache> {
    const total = (await renommagesOf(list)).length;
    const work = { type: 'nouveauxIdentifiants', corps, total, simulation } as const;
    return this.taches.add(tenantId, actor, work, { language });
  }

  /** Performs a task. */
  async perform(
    ...[tenantId, actor, { corps, simulation }, conclude]: Parameters<TachePerformer>
  ): Promise<void> {
    const pairs = await renommagesOf((await parseBody(corps, true)) as Iterable<unknown>);
    await this.rename(tenantId, actor, pairs, simulation, conclude);
  }

  /** @param pointer place of an identifier of the n-th pair in the request @returns the number of employees that have changed */
  private async write(
    tenantId: string,
    pairs: readonly Renommage[],
    pointer: (n: number, name: keyof Renommage) => string,
  ): Promise<number> {
    await this.identifiants.stage(tenantId, pairs);
    const unknown = await this.identifiants.unknown(tenantId, MOST_FAULTS);
    if (unknown.length > 0)
      throw refusalOf(
        EMPLOYE.NotFound,
        unknown.map((pair) => unknownFault(pointer(pair.n, 'ancien'), pair)),
      );
    const used = await this.identifiants.used(tenantId, MOST_FAULTS);
    if (used.length > 0)
      throw refusalOf(
        EMPLOYE.IdExterneDejaUtilise,
        used.map(({ n, ...pair }) => usedFault(pointer(n, 'nouveau'), pair)),
      );
    return this.identifiants.renaming(tenantId, () => this.repository.rename(tenantId));
  }
}

/**
 * Returns the pairs of a body.
 *
 * @throws DomainError `Requete.Invalide` also for an identifier that is renamed twice, `Employe.IdExterneDejaUtilise` for two that
 * would become the same
 */
export async function renommagesOf(list: Iterable<unknown>): Promise<Renommage[]> {
  const yielder = new EventLoopYielder();
  const faults: InputFault[] = [];
  const collisions: InputFault[] = [];
  const pairs: Renommage[] = [];
  const anciens = new Set<string>();
  const nouveaux = new Set<string>();
  let n = -1;
  for (const sent of list) {
    n++;
    if (yielder.isDue) await yielder.yield();
    const pair = readPair(sent, `/${n}`, faults);
    if (isFull(faults)) break;
    if (!pair) continue;
    const { ancien, nouveau } = pair;
    if (anciens.has(ancien)) faults.push({ pointer: `/${n}/ancien`, code: 'repeated', detail: TWICE });
    if (nouveaux.has(nouveau)) collisions.push(usedFault(`/${n}/nouveau`, pair));
    anciens.add(ancien);
    nouveaux.add(nouveau);
    pairs.push(pair);
  }
  if (faults.length > 0) throw invalidRequest(faults);
  if (collisions.length > 0) throw refusalOf(EMPLOYE.IdExterneDejaUtilise, collisions);
  return pairs;
}

/** Returns a pair as sent, or undefined if it has faults. */
function readPair(sent: unknown, at: string, faults: InputFault[]): Renommage | undefined {
  if (!isPlainObject(sent)) {
    const detail = sent instanceof UnfitRow ? sent.fault : NO_OBJECT;
    faults.push({ pointer: at, code: 'type', detail });
    return undefined;
  }
  const before = faults.length;
  const values = foldRecord(sent, RENOMMAGE_FIELDS, 'bulk', at, faults);
  const named = new Set(faults.slice(before).map(({ pointer }) => pointer.toLowerCase()));
  for (const name of ['ancien', 'nouveau'] as const) {
    const value = values[name];
    const pointer = `${at}/${name}`;
    if (named.has(pointer)) continue;
    const field = RENOMMAGE_FIELDS[name];
    const isWrong = typeof value !== 'string' || !hasAtMost(value, field.max);
    if (value == null || value === '')
      faults.push({ pointer, code: 'required', detail: describeFault(field, 'required') });
    else if (isWrong) {
      const code = typeof value === 'string' ? 'length' : 'type';
      faults.push({ pointer, code, detail: describeFault(field, code, value) });
    }
  }
  return faults.length === before ? (values as unknown as Renommage) : undefined;
}

const TWICE: Text = {
  en: 'appears twice in this request',
  fr: fr('figure deux fois dans cette requête'),
};

/** Names a pair whose new identifier cannot be given. */
function usedFault(pointer: string, { ancien, nouveau }: Renommage): InputFault {
  const pair = `${JSON.stringify(ancien)} → ${JSON.stringify(nouveau)}`;
  const detail = {
    en: `${pair}: another employee has or gets this identifier`,
    fr: fr`${pair} : un autre employé a ou reçoit cet identifiant`,
  };
  return { pointer, code: 'used', detail };
}

/** Names an identifier that no employee has. @param actuel present one of the employee who had it last */
function unknownFault(
  pointer: string,
  { ancien, actuel }: { ancien: string; actuel: string | null },
): InputFault {
  const id = JSON.stringify(ancien);
  const detail = { en: `no employee has ${id}`, fr: fr`aucun employé n'a ${id}` };
  if (actuel === null) return { pointer, code: 'unknown', detail };
  const now = JSON.stringify(actuel);
  const withNow = {
    en: `${detail.en}; the employee who had it has ${now} now`,
    fr: fr`${detail.fr}; l'employé qui l'avait a maintenant ${now}`,
  };
  return { pointer, code: 'unknown', detail: withNow };
}

function tooMany(): DomainError {
  const most = MOST_AT_ONCE.toLocaleString('en');
  const detail = {
    en: `More than ${most} pairs are renamed by a task only. Send the request with the header "Prefer: respond-async". Nothing was written.`,
    fr: fr`Plus de ${MOST_AT_ONCE} paires ne sont renommées que par une tâche. Envoyez la requête avec l'en-tête "Prefer: respond-async". Rien n'a été écrit.`,
  };
  return new DomainError(REQUETE.TropVolumineuse, detail);
}

function waiting(): DomainError {
  const detail = {
    en: 'A sync that has not ended may name the employees by their present or new identifiers. Rename them once it has.',
    fr: fr(
      "Une synchronisation non terminée pourrait mentionner les employés par leurs identifiants actuels ou nouveaux. Renommez-les une fois qu'elle est terminée.",
    ),
  };
  return new DomainError(EMPLOYE.SyncEnAttente, detail);
}

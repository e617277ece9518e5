import { HORLOGE } from '../domain/horloge.errors';
import { HORLOGE_ACTIONS } from '../domain/horloge.actions';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { fr } from '#platform/errors/text';
import { type Tache, TachesService } from '#sync';
import { type EtatEssai, HorlogeRepository } from '../persistence/horloge.repository';

/** The clocks of data spaces in rehearsal: forward only, at most two years ahead (docs/adr/0058). */
@Injectable()
export class HorlogeService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: HorlogeRepository,
    private readonly taches: TachesService,
    private readonly audit: AuditTrail,
  ) {}

  /** Returns what a rehearsal has for a request to a route. */
  ofRequest(tenantId: string, route: string): Promise<EtatEssai> {
    return this.repository.ofRequest(tenantId, route);
  }

  async read(tenantId: string): Promise<Date> {
    return (await this.repository.read(tenantId)).maintenant;
  }

  /**
   * Moves the clock at once. Workers open, close and seal afterwards, at the new time.
   *
   * @returns what the clock shows
   * @throws DomainError `Essai.HorlogeRecule`, `Essai.HorlogeTropLoin`, `Essai.AvanceEnCours`
   */
  async set(tenantId: string, actor: Actor, maintenant: Date): Promise<Date> {
    return this.transactions.run({ tenantId }, async () => {
      await this.assertMovable(tenantId, maintenant);
      if (!(await this.repository.advance(maintenant))) throw goesBack(maintenant);
      this.audit.record(tenantId, actor, HORLOGE_ACTIONS.avancer, [tenantId]);
      return this.read(tenantId);
    });
  }

  /**
   * Makes a task that advances the clock from date to date (`AvanceService`).
   *
   * @throws DomainError as `set`, and `Debit.Depasse`
   */
  async advance(tenantId: string, actor: Actor, jusqua: Date): Promise<Tache> {
    return this.transactions.run({ tenantId }, async () => {
      await this.assertMovable(tenantId, jusqua);
      this.audit.record(tenantId, actor, HORLOGE_ACTIONS.avancer, [tenantId]);
      const corps = Buffer.from(JSON.stringify({ jusqua }));
      const work = { type: 'horloge', corps, total: 1, simulation: false } as const;
      return this.taches.add(tenantId, actor, work, { isLong: true });
    });
  }

  /**
   * Puts the clock back to the real time, in the ambient transaction, which removes the data of the rehearsal.
   *
   * @throws DomainError `Essai.AvanceEnCours`
   */
  async reset(tenantId: string): Promise<void> {
    await this.lock(tenantId);
    await this.assertAtRest(tenantId);
    await this.repository.reset();
  }

  private async assertMovable(tenantId: string, wanted: Date): Promise<void> {
    await this.lock(tenantId);
    const { maintenant, auPlus } = await this.repository.read(tenantId);
    if (wanted <= maintenant) throw goesBack(maintenant);
    if (wanted > auPlus) throw tooFar(auPlus);
    await this.assertAtRest(tenantId);
  }

  /** Keeps others from moving the clock until the ambient transaction ends. */
  private lock(tenantId: string): Promise<void> {
    return this.transactions.lockByName(`horloge ${tenantId}`);
  }

  private async assertAtRest(tenantId: string): Promise<void> {
    if (await this.taches.hasUnfinished(tenantId, 'horloge')) throw new DomainError(HORLOGE.AvanceEnCours);
  }
}

function goesBack(maintenant: Date): DomainError {
  const shown = maintenant.toISOString();
  return new DomainError(HORLOGE.HorlogeRecule, {
    en: `The clock shows ${shown} and only goes forward. Send a later moment, or remove the data of the rehearsal (DELETE /b2b/v2/essai/donnees) to begin at the real time.`,
    fr: fr`L'horloge indique ${shown} et ne fait qu'avancer. Envoyez un moment ultérieur, ou supprimez les données de l'essai (DELETE /b2b/v2/essai/donnees) pour recommencer à l'heure réelle.`,
  });
}

function tooFar(auPlus: Date): DomainError {
  const latest = auPlus.toISOString();
  return new DomainError(HORLOGE.HorlogeTropLoin, {
    en: `The clock may show at most ${latest}, two years ahead of the real time. Send an earlier moment.`,
    fr: fr`L'horloge peut indiquer au plus ${latest}, deux ans d'avance sur l'heure réelle. Envoyez un moment antérieur.`,
  });
}

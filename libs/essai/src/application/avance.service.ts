import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Transactions } from '#platform/database/transactions';
import { Lifecycle } from '#platform/ops/lifecycle';
import type { TachePerformer } from '#sync';
import { DossierBuilderService, EncryptedCountsService, LifecycleService, SealingService } from '#voting';
import { HorlogeRepository } from '../persistence/horloge.repository';

/** Pause until a step that another worker performs is looked at again, and after how many ms the task gives up and is tried again. */
const LOOK_AGAIN_MS = 50;
const PATIENCE_MS = 60_000;

/**
 * Advances the clock of a rehearsal from date to date. At each it waits until the votes that open or close there are through: their
 * events, the sealing of their boxes, their counts. Each step commits, so another attempt continues after the last one.
 */
@Injectable()
export class AvanceService {
  private readonly steps: Record<
    'dates' | 'scellement' | 'dechiffrement' | 'dossier',
    (tenantId: string, id: string) => Promise<unknown>
  >;

  constructor(
    private readonly transactions: Transactions,
    private readonly repository: HorlogeRepository,
    private readonly campagnes: LifecycleService,
    private readonly lifecycle: Lifecycle,
    sealing: SealingService,
    counts: EncryptedCountsService,
    dossiers: DossierBuilderService,
  ) {
    this.steps = {
      dates: (tenantId, id) => campagnes.catchUp(tenantId, id),
      scellement: (tenantId, id) => sealing.seal(tenantId, id),
      dechiffrement: (tenantId, id) => counts.advance(tenantId, id),
      dossier: (tenantId, id) => dossiers.build(tenantId, id),
    };
  }

  /** Performs a task. */
  async perform(...[tenantId, , { corps }, conclude]: Parameters<TachePerformer>): Promise<void> {
    const { jusqua } = JSON.parse(corps.toString()) as { jusqua: string };
    const until = new Date(jusqua);
    let { maintenant: reached } = await this.repository.read(tenantId);
    await this.settle(tenantId);
    // The clock runs on, and may have passed the next date by itself.
    for (;;) {
      const next = await this.campagnes.nextDate(tenantId, reached, until);
      if (!next) break;
      reached = next;
      await this.transactions.run({ tenantId }, () => this.repository.advance(next));
      await this.settle(tenantId);
    }
    await this.transactions.run({ tenantId }, async () => {
      await this.repository.advance(until);
      await conclude({ maintenant: jusqua });
    });
  }

  /** Waits until nothing is due by the clock. @throws Error if another worker keeps a step, or this one stops */
  private async settle(tenantId: string): Promise<void> {
    let waitedSince: number | undefined;
    let tried = '';
    for (;;) {
      const [due] = await this.campagnes.dueOf(tenantId);
      if (!due) return;
      if (this.lifecycle.isStopping) throw new Error('The worker stops: another attempt continues.');
      const step = `${due.id} ${due.etape}`;
      if (step === tried) {
        waitedSince ??= performance.now();
        if (performance.now() - waitedSince > PATIENCE_MS) throw new Error(`Another worker has ${step}.`);
        await sleep(LOOK_AGAIN_MS);
      } else waitedSince = undefined;
      tried = step;
      await this.steps[due.etape](tenantId, due.id).catch(async (error: unknown) => {
        // A box whose checks fail waits for an administrator.
        const still = await this.campagnes.dueOf(tenantId);
        if (still.some(({ id, etape }) => id === due.id && etape === due.etape)) throw error;
      });
    }
  }
}

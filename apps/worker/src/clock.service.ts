import { BeforeApplicationShutdown, Injectable, OnApplicationBootstrap } from '@nestjs/common';
import { RecurringWork } from '#platform/jobs/recurring-work';
import { ExpiryService } from '#clients';
import {
  DossierBuilderService,
  EncryptedCountsService,
  EngagementsService,
  LifecycleService,
  SealingService,
} from '#voting';
import { CertificationRunner } from '#webhooks';
import { Rounds } from './rounds';

/**
 * Sends the events of openings and closings of campaigns within 1 s, and of keys that expire soon, signs checkpoints
 * of the receipts of open votes, closes ballot boxes and seals them, sums up encrypted votes, and certifies receivers. Campaigns open and close by their dates even if this does not run: only the events wait for it, and reading a result also closes the box.
 * Closing waits for writers of the roll, and sealing many ballots takes long. Openings therefore have their own rounds.
 */
@Injectable()
export class ClockService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Pause between two rounds, in ms. */
  intervalMs = 1_000;
  private rounds: readonly Rounds[] = [];

  constructor(
    private readonly lifecycle: LifecycleService,
    private readonly engagements: EngagementsService,
    private readonly sealing: SealingService,
    private readonly counts: EncryptedCountsService,
    private readonly dossiers: DossierBuilderService,
    private readonly expiry: ExpiryService,
    private readonly certifications: CertificationRunner,
    private readonly recurring: RecurringWork,
  ) {}

  onApplicationBootstrap(): void {
    const rounds: Record<string, () => Promise<void>> = {
      'the campaign clock': () => this.lifecycle.tellAllDue(),
      'the announcement of expiring keys': () => this.expiry.tellAllDue(),
      'the checkpoints of receipts': () => this.engagements.engageAllDue(),
      'the closing of ballot boxes': () => this.lifecycle.closeAllDue(),
      'the sealing of ballot boxes': () => this.sealing.sealAllDue(),
      'the removal of dead rows after a sealing': () => this.sealing.removeDeadRows(),
      'the sums of encrypted votes': () => this.counts.advanceAllDue(),
      'the bundles of counts': () => this.dossiers.buildAllDue(),
      'the certifications of receivers': () => this.certifications.runAllDue(),
    };
    this.rounds = Object.entries(rounds).map(
      ([what, work]) => new Rounds(what, this.intervalMs, work, this.recurring),
    );
    for (const one of this.rounds) one.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.rounds.map((one) => one.stop()));
  }
}

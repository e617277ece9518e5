import { Injectable } from '@nestjs/common';
import { JournalService } from '#clients';
import { Metrics } from '#platform/ops/metrics';
import { SealingService } from '#voting';
import { WebhooksService } from '#webhooks';

/** Registers measurements of a whole cell (docs/operations.md, "Monitoring"). All workers of the cell report the same. */
@Injectable()
export class Measurements {
  constructor(metrics: Metrics, sealing: SealingService, webhooks: WebhooksService, journal: JournalService) {
    metrics.gauge(
      'mandat_ballot_boxes_waiting',
      'Ballot boxes of ended votes, by the step they wait for',
      () => sealing.countWaiting(),
    );
    metrics.gauge('mandat_webhook_endpoints_disabled', 'Endpoints that the service has disabled', () =>
      webhooks.countDisabled(),
    );
    const last = 'the last verification of the audit trails';
    metrics.gauge('mandat_journal_verification_age_seconds', `Time since ${last}`, async () =>
      (await journal.lastVerification()).map(({ age }) => [{}, age]),
    );
    metrics.gauge('mandat_journal_faulty_trails', `Trails with faults at ${last}`, async () =>
      (await journal.lastVerification()).map(({ faulty }) => [{}, faulty]),
    );
  }
}

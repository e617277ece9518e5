import { Injectable } from '@nestjs/common';
import { Metrics } from '#platform/ops/metrics';
import type { Answer } from './sender';

/** Counts attempts, and measures how long after an event its first attempt ends. */
@Injectable()
export class DeliveryMetrics {
  private readonly attempts;
  private readonly delay;

  constructor(metrics: Metrics) {
    this.attempts = metrics.meter.createCounter('mandat_webhook_attempts', {
      description: 'Attempts to deliver an event, by outcome',
    });
    this.delay = metrics.meter.createHistogram('mandat_webhook_delay_seconds', {
      description: 'Time from an event to the end of its first attempt',
      advice: { explicitBucketBoundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600] },
    });
  }

  /** @param sinceEventMs set for a first attempt */
  note({ statut, timedOut }: Answer, sinceEventMs: number | undefined): void {
    const outcome = statut ? `${Math.floor(statut / 100)}xx` : timedOut ? 'timeout' : 'failed';
    this.attempts.add(1, { outcome });
    if (sinceEventMs !== undefined) this.delay.record(sinceEventMs / 1_000);
  }
}

import { Injectable } from '@nestjs/common';
import { Metrics } from '#platform/ops/metrics';
import type { Delivered } from './mailer';

/** Counts attempts to send a message, by outcome. */
@Injectable()
export class SendingMetrics {
  private readonly attempts;

  constructor(metrics: Metrics) {
    this.attempts = metrics.meter.createCounter('mandat_mail_attempts', {
      description: 'Attempts to send a message to one recipient, by outcome',
    });
  }

  note({ result }: Delivered): void {
    this.attempts.add(1, { outcome: result });
  }
}

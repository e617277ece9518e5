import { Injectable } from '@nestjs/common';

/**
 * Counts requests to routes without a key, for all callers together because they are indistinguishable. Probes are not
 * counted (`@Probe`).
 */
@Injectable()
export class KeylessBudget {
  /** Requests a second and process. A page of Swagger UI takes seven, unless the browser holds them. */
  perSecond = 50;
  private begun = -Infinity;
  private used = 0;

  /** Counts a request. Returns false beyond the budget of the second. */
  take(): boolean {
    const now = performance.now();
    if (now - this.begun >= 1_000) {
      this.begun = now;
      this.used = 0;
    }
    return ++this.used <= this.perSecond;
  }
}

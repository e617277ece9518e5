import { Injectable } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './sender';

/** Status that replaces a receiver's answer, or its delay. */
export interface SimulatedAnswer {
  readonly statut: number | null;
  readonly delaiMs: number | null;
}

/** Returns the failure that the next attempt of an endpoint has, once. */
export type SimulatedAnswersOf = (
  tenantId: string,
  webhookId: string,
) => Promise<SimulatedAnswer | undefined>;

/** Time limit of an attempt, in ms. */
const TIMEOUT_MS = 15_000;

/** Response that a delivery shows. */
const SIMULATED = 'Simulated by PUT /b2b/v2/essai/pannes.';

/**
 * Makes answers of receivers slow or failing, for rehearsals in staging. The context of rehearsals registers which: it imports this
 * one, and not the reverse. The receiver has the delivery in any case.
 */
@Injectable()
export class SimulatedAnswers {
  private registered: SimulatedAnswersOf | undefined;

  register(answers: SimulatedAnswersOf): void {
    this.registered = answers;
  }

  /** Makes an attempt, with the failure that was asked for. */
  async around(tenantId: string, webhookId: string, post: () => Promise<Answer>): Promise<Answer> {
    const simulated = await this.registered?.(tenantId, webhookId);
    const answer = await post();
    if (!simulated) return answer;
    const { statut, delaiMs } = simulated;
    if (delaiMs === null) return { statut, reponse: SIMULATED, timedOut: false };
    await wait(Math.min(delaiMs, TIMEOUT_MS));
    return delaiMs < TIMEOUT_MS ? answer : { statut: null, reponse: SIMULATED, timedOut: true };
  }
}

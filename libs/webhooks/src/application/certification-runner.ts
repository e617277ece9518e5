import { Injectable } from '@nestjs/common';
import type { SharedWork } from '#platform/jobs/shared-work';
import { WorkSharing } from '#platform/jobs/work-sharing';
import { Clock } from '#platform/ops/clock';
import {
  LONGEST_RUN_MS,
  observationOf,
  type Observed,
  RAISONS,
  RULES,
  SLOW_MS,
} from '../domain/certification.rules';
import { type Scenario, SCENARIOS } from '../domain/certification.types';
import { CertificationRepository, type StoredCertification } from '../persistence/certification.repository';
import { type CertificationRequest, requestsOf } from './certification-requests';
import { Sender } from './sender';
import { SigningKeys, strangerOf } from './signing-keys';

/** Certifications that one process runs at once, one of a client. */
const AT_ONCE = 4;

/** Pause after a failure of the service, in ms. */
const AFTER_FAILURE_MS = 5_000;

/** Thrown by a scenario after which no other one is sent. */
class Ended extends Error {
  constructor(readonly raison: string) {
    super(raison);
  }
}

/**
 * Runs certifications: sends the scenarios one after the other, with the sender of deliveries, and stores each result. A
 * certification whose process died goes on with the scenario that had no result.
 */
@Injectable()
export class CertificationRunner {
  /** Longest time of an answer, in ms. */
  slowMs = SLOW_MS;
  private readonly work: SharedWork;

  constructor(
    private readonly repository: CertificationRepository,
    private readonly sender: Sender,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly sharing: WorkSharing,
  ) {
    this.work = sharing.of({
      ...{ name: 'certification', atOnce: AT_ONCE, isLong: true, afterFailureMs: AFTER_FAILURE_MS },
    });
  }

  /** Runs the certifications of all tenants that are due. Shared out by client, and failures, as in `SharedWork`. */
  runAllDue(): Promise<void> {
    return this.work.each({
      find: (except) => this.repository.due(except),
      work: ({ tenantId, id }) => this.run(tenantId, id),
      putAside: ({ tenantId, id }) => this.repository.end(tenantId, id, RAISONS.aside),
    });
  }

  private async run(tenantId: string, id: string): Promise<void> {
    const certification = await this.repository.unfinished(tenantId, id);
    if (!certification) return;
    try {
      for (const nom of SCENARIOS) {
        // Another process goes on with it.
        if (this.sharing.isStopping) return;
        const isDone = certification.observations.some((one) => one.nom === nom);
        if (!isDone) await this.scenario(tenantId, certification, nom);
      }
      await this.repository.end(tenantId, id, null);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      await this.repository.end(tenantId, id, error.raison);
    }
  }

  /** @throws Ended if no other scenario is to be sent */
  private async scenario(tenantId: string, certification: StoredCertification, nom: Scenario): Promise<void> {
    const { id, webhookId, dateCreation } = certification;
    const now = this.clock.now();
    if (now.getTime() - dateCreation.getTime() > LONGEST_RUN_MS) throw new Ended(RAISONS.late);
    const found = await this.repository.endpoint(tenantId, webhookId);
    if (!found) throw new Ended(RAISONS.deleted);
    if (!found.webhook.actif) throw new Ended(RAISONS.inactive);
    if (found.isSuspended) throw new Ended(RAISONS.suspended);
    const keys = this.keys.at(now, tenantId, webhookId, found.webhook);
    if (!(await this.repository.spend(tenantId, id, RULES[nom].requests))) throw new Ended(RAISONS.requests);
    const requests = requestsOf(certification, nom, keys, strangerOf(keys[0]!), now);
    const answers = await this.send(found.webhook.url, nom, requests);
    // The stop may have closed the connections: another process repeats the scenario.
    if (this.sharing.isStopping) return;
    await this.repository.observe(tenantId, id, observationOf(nom, answers, this.slowMs));
    if (nom === SCENARIOS[0] && answers[0]!.statut === null) throw new Ended(RAISONS.silent);
  }

  /** Sends the requests one after the other, ten at once only if the scenario is about that. */
  private async send(
    url: string,
    nom: Scenario,
    requests: readonly CertificationRequest[],
  ): Promise<readonly Observed[]> {
    if (nom === 'dixALaFois') return Promise.all(requests.map((request) => this.post(url, request)));
    const answers: Observed[] = [];
    for (const request of requests) if (!this.sharing.isStopping) answers.push(await this.post(url, request));
    return answers;
  }

  private async post(url: string, { headers, body }: CertificationRequest): Promise<Observed> {
    const start = performance.now();
    const { statut, reponse } = await this.sender.post(url, headers, body);
    return { statut, reponse, dureeMs: Math.round(performance.now() - start) };
  }
}

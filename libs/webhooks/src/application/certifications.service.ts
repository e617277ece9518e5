import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { ActorWithModules, ModuleName } from '#access/caller';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import { DEBIT } from '#platform/errors/platform.errors';
import { MOST_RUNS_A_DAY, type Verdict, verdictOf } from '../domain/certification.rules';
import { SCENARIOS } from '../domain/certification.types';
import { WEBHOOK_ACTIONS } from '../domain/webhooks.actions';
import { CERTIFICATION, WEBHOOK } from '../domain/webhooks.errors';
import { CertificationRepository, type StoredCertification } from '../persistence/certification.repository';
import { defisOf } from './certification-requests';
import { WebhooksService } from './webhooks.service';
import { fr, type Text } from '#platform/errors/text';

/** A certification as partners see it. */
export interface Certification extends Verdict {
  readonly id: string;
  readonly raison: string | null;
  readonly dateCreation: string;
  readonly dateFin: string | null;
}

const UNKNOWN_DEFI: Text = {
  en: 'no event of this certification has it: send `data.defi` as it came',
  fr: fr('aucun événement de cette certification ne l’a : envoyez `data.defi` tel que reçu'),
};

/**
 * Certifications of receivers (docs/contract.md, "Certification of receivers"). A worker runs them (`CertificationRunner`).
 * Operations throw `Webhook.NotFound` and `Module.NonActif` as those on endpoints.
 */
@Injectable()
export class CertificationsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: CertificationRepository,
    private readonly webhooks: WebhooksService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Begins the certification of an endpoint.
   *
   * @throws DomainError `Webhook.Inactif`, `Webhook.CertificationEnCours`, `Debit.Depasse`
   */
  async begin(tenantId: string, manager: ActorWithModules, id: string): Promise<Certification> {
    return this.webhooks.locked(tenantId, manager.modules, id, async (webhook) => {
      webhook.assertActive();
      await this.transactions.lockByName(`certifications ${tenantId}`);
      const { lately, running, wait } = await this.repository.counts(tenantId, id);
      if (running > 0) throw new DomainError(WEBHOOK.CertificationEnCours);
      if (lately >= MOST_RUNS_A_DAY) {
        const detail = {
          en: `The data space has had ${MOST_RUNS_A_DAY} certifications in 24 hours. Begin the next one in ${wait} s.`,
          fr: fr`L’espace de données a eu ${MOST_RUNS_A_DAY} certifications en 24 heures. Commencez la prochaine dans ${wait} s.`,
        };
        throw new DomainError(DEBIT.Depasse, detail, { retryAfterSeconds: wait });
      }
      this.audit.record(tenantId, manager.actor, WEBHOOK_ACTIONS.certifier, [id]);
      return itemOf(await this.repository.insert(tenantId, id, randomBytes(32)));
    });
  }

  /** Returns the last certification of an endpoint. @throws DomainError `Certification.NotFound` */
  async latest(tenantId: string, modules: readonly ModuleName[], id: string): Promise<Certification> {
    await this.webhooks.get(tenantId, modules, id);
    return itemOf((await this.repository.latest(tenantId, id)) ?? missing());
  }

  /**
   * Notes which events a receiver has processed, and replaces the previous note.
   *
   * @throws DomainError `Certification.NotFound`, `Requete.Invalide` for a proof of another certification
   */
  async note(
    tenantId: string,
    { actor, modules }: ActorWithModules,
    id: string,
    certificationId: string,
    traites: readonly string[],
  ): Promise<Certification> {
    return this.webhooks.locked(tenantId, modules, id, async () => {
      const found = (await this.repository.lock(tenantId, id, certificationId)) ?? missing();
      const known = new Set(SCENARIOS.flatMap((nom) => defisOf(found, nom)));
      const faults = traites.flatMap((defi, place) =>
        known.has(defi)
          ? []
          : [
              {
                ...{ pointer: `/traites/${place}`, code: 'unknown' },
                detail: UNKNOWN_DEFI,
              },
            ],
      );
      if (faults.length > 0) throw invalidRequest(faults);
      await this.repository.noteTraites(tenantId, certificationId, traites);
      this.audit.record(tenantId, actor, WEBHOOK_ACTIONS.constater, [certificationId]);
      return itemOf({ ...found, traites });
    });
  }

  purgeExpired(spaces: readonly string[]): Promise<number> {
    return this.repository.purgeExpired(spaces);
  }
}

function itemOf(stored: StoredCertification): Certification {
  const { id, raison, dateCreation, dateFin } = stored;
  const verdict = verdictOf(stored, (nom) => defisOf(stored, nom));
  return {
    id,
    ...verdict,
    raison,
    dateCreation: dateCreation.toISOString(),
    dateFin: dateFin && dateFin.toISOString(),
  };
}

function missing(): never {
  throw new DomainError(CERTIFICATION.NotFound);
}

import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Transactions } from '#platform/database/transactions';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import { COURRIEL_ACTIONS } from '../domain/messaging.actions';
import { COURRIEL } from '../domain/messaging.errors';
import { apply, type Effet, idIn, isStatut, type Retour, retourOf } from '../domain/retour';
import type { RetourRecord } from '../domain/retour.fields';
import { type Notifie, RetourRepository } from '../persistence/retour.repository';
import { readReport } from './delivery-report';
import { fr, type Text } from '#platform/errors/text';

/** Number of notifications by effect. */
export type Bilan = Record<'nombreRecus' | Effet | 'nombreInconnus', number>;

const A_STATUS: Text = {
  en: 'must be the status code of a failure by RFC 3463, such as 5.1.1',
  fr: fr('doit être le code d’état d’un échec selon la RFC 3463, comme 5.1.1'),
};

/** Notes what a relay reports about messages that the mail server had accepted (docs/contract.md, "Bounces"). */
@Injectable()
export class RetoursService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: RetourRepository,
    private readonly audit: AuditTrail,
  ) {}

  /** Notes a delivery status notification. @throws DomainError `Courriel.RetourIllisible` */
  async noteReport(tenantId: string, actor: Actor, contentType: string, content: Buffer): Promise<Bilan> {
    // Its errors may quote the message.
    const retour = await readReport(contentType, content).catch(() => undefined);
    if (!retour) throw new DomainError(COURRIEL.RetourIllisible);
    return this.note(tenantId, actor, [retour]);
  }

  /** Notes the records of a relay, in their order. @throws DomainError `Requete.Invalide` for a status that is no code */
  async noteRecords(tenantId: string, actor: Actor, records: readonly RetourRecord[]): Promise<Bilan> {
    const faults = records.flatMap(({ statut }, place) => {
      if (statut == null || isStatut(statut)) return [];
      return [{ pointer: `/${place}/statut`, code: 'format', detail: A_STATUS }];
    });
    if (faults.length > 0) throw invalidRequest(faults);
    return this.note(
      tenantId,
      actor,
      records.map(({ messageId, action, statut, raison }) =>
        retourOf(idIn([messageId]), action, statut, raison),
      ),
    );
  }

  private async note(tenantId: string, actor: Actor, retours: readonly Retour[]): Promise<Bilan> {
    const ids = retours.flatMap(({ id }) => id ?? []);
    return this.transactions.run({ tenantId }, async () => {
      const found = await this.repository.hold(tenantId, ids);
      const destinataires = new Map(found.map((one) => [one.id, one]));
      const changed = new Set<Notifie>();
      const bilan: Bilan = {
        nombreRecus: retours.length,
        nombreRejetes: 0,
        nombreRetardes: 0,
        nombreDejaConnus: 0,
        nombreIgnores: 0,
        nombreInconnus: 0,
      };
      for (const retour of retours) {
        const destinataire = destinataires.get(retour.id ?? '');
        const effet = destinataire ? apply(retour, destinataire) : 'nombreInconnus';
        bilan[effet] += 1;
        if (!destinataire || !['nombreRejetes', 'nombreRetardes'].includes(effet)) continue;
        destinataire.codeSmtp = retour.codeSmtp ?? destinataire.codeSmtp;
        changed.add(destinataire);
      }
      if (changed.size > 0) await this.repository.write(tenantId, [...changed]);
      const courriels = new Set([...changed].map(({ courrielId }) => courrielId));
      this.audit.record(tenantId, actor, COURRIEL_ACTIONS.noterRetours, [...courriels]);
      return bilan;
    });
  }
}

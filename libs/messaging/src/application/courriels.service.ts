import { COURRIEL_ACTIONS } from '../domain/messaging.actions';
import { COURRIEL } from '../domain/messaging.errors';
import { MODULE, MODULE_REMEDY } from '#access/access.errors';
import { Injectable } from '@nestjs/common';
import type { ActorWithModules, ModuleName } from '#access/caller';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { Page, Position } from '#platform/database/json-items';
import { FOREIGN_KEY_VIOLATION } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError, type InputFault, invalidRequest } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { JobQueue } from '#platform/jobs/job-queue';
import { CampagnesService } from '#voting';
import type { CourrielRecord } from '../domain/courriel.fields';
import type { Cible, EtatDestinataire } from '../domain/courriel.types';
import { quotaDepasse } from '../domain/quota';
import { CourrielQuery } from '../persistence/courriel.query';
import { CourrielRepository, type EndedCourriel } from '../persistence/courriel.repository';
import { COURRIEL_QUEUE, type CourrielJob } from './courriel-jobs';
import { EmailCleaner } from './email-cleaner';
import { fr, type Text } from '#platform/errors/text';
import { NAMES_NO } from '#membership';

/** Why an email to voters has no recipients. */
const NOBODY: Readonly<Record<Cible, Text>> = {
  tous: {
    en: 'The campaign has no voters. Add voters to its roll first.',
    fr: fr("La campagne n'a aucun votant. Ajoutez d'abord des votants à sa liste électorale."),
  },
  nonVotants: {
    en: 'Every voter who may vote has voted. Nothing was sent.',
    fr: fr("Tous les votants qui peuvent voter ont voté. Rien n'a été envoyé."),
  },
  nonJoints: {
    en: 'An email has reached every voter who may vote and has not voted, or may still do so. Nothing was sent.',
    fr: fr(
      "Un courriel a joint tous les votants qui peuvent voter et n'ont pas voté, ou peut encore les joindre. Rien n'a été envoyé.",
    ),
  },
};

const ONE_LINE: Text = {
  en: 'must be one line, without control characters',
  fr: fr('doit tenir sur une ligne, sans caractères de contrôle'),
};
const EITHER: Text = {
  en: 'must have either idExternes, or campagneId with cible',
  fr: fr('doit avoir soit idExternes, soit campagneId avec cible'),
};
const AN_EMPLOYE: Text = {
  en: 'must name at least one employee',
  fr: fr('doit désigner au moins un employé'),
};
const ONE_OF_BOTH: Text = {
  en: 'must have idExternes, or campagneId with cible',
  fr: fr('doit avoir idExternes, ou campagneId avec cible'),
};

/** Accepts emails, which the worker sends (docs/contract.md, "E-mail"). */
@Injectable()
export class CourrielsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: CourrielRepository,
    private readonly query: CourrielQuery,
    private readonly campagnes: CampagnesService,
    private readonly cleaner: EmailCleaner,
    private readonly queue: JobQueue,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Accepts an email. Email, recipients and job are written in one transaction.
   *
   * @param id given by the service if absent
   * @throws DomainError `Requete.Invalide` (also for each unknown employee), `Module.NonActif`, `Campagne.NotFound`,
   * `Courriel.AucunDestinataire`, `Courriel.QuotaDepasse`
   */
  async create(
    tenantId: string,
    { actor, modules }: ActorWithModules,
    record: CourrielRecord,
    id?: string,
  ): Promise<{ id: string; nombreDestinataires: number }> {
    const { idExternes, campagneId, cible } = record.destinataires;
    if (campagneId != null) assertVote(modules);
    assertSound(record);
    return this.transactions.run(
      { tenantId },
      async () => {
        if (campagneId != null) await this.campagnes.get(tenantId, campagneId);
        else await this.assertKnown(tenantId, idExternes!);
        // Last of the checks, because it takes longest.
        const corpsHtml = await this.cleaned(tenantId, record.corpsHtml);
        const quota = await this.repository.holdQuota(tenantId);
        const { sujet } = record;
        const courrielId = await this.repository.insert(tenantId, { id, sujet, corpsHtml, cible });
        const nombreDestinataires =
          campagneId != null
            ? await this.repository.addVotants(tenantId, courrielId, quota.reste, campagneId, cible!)
            : await this.repository.addEmployes(tenantId, courrielId, quota.reste, idExternes!);
        if (nombreDestinataires === 0) {
          throw new DomainError(COURRIEL.AucunDestinataire, NOBODY[cible ?? 'tous']);
        }
        if (nombreDestinataires > quota.reste) throw quotaDepasse(quota, nombreDestinataires);
        await this.enqueue(tenantId, courrielId);
        this.audit.record(tenantId, actor, COURRIEL_ACTIONS.envoyer, [courrielId]);
        return { id: courrielId, nombreDestinataires };
      },
      // An employee was deleted after the check.
      { retryOn: [FOREIGN_KEY_VIOLATION] },
    );
  }

  /**
   * Sends an e-mail to the technical contact of the client, in the ambient transaction. It counts for the quota, and is not sent
   * where the client has no contact with an address, or the quota is used up.
   */
  async tellContact(tenantId: string, email: { sujet: string; corpsHtml: string }): Promise<void> {
    if (!(await this.repository.hasContact(tenantId))) return;
    if ((await this.repository.holdQuota(tenantId)).reste === 0) return;
    const courrielId = await this.repository.insert(tenantId, { ...email, cible: null });
    await this.repository.addContact(tenantId, courrielId);
    await this.enqueue(tenantId, courrielId);
  }

  /** @throws DomainError `Courriel.NotFound` */
  async get(tenantId: string, id: string): Promise<Json> {
    return (await this.query.one(tenantId, id)) ?? missing();
  }

  /**
   * Returns the recipients: employees in the order of the request, voters in the order of their identifiers.
   *
   * @throws DomainError `Courriel.NotFound`; `Module.NonActif` if they are voters
   */
  async destinataires(
    tenantId: string,
    { modules }: ActorWithModules,
    id: string,
    etat: EtatDestinataire | null | undefined,
  ): Promise<(after: Position | undefined, limit: number) => Promise<Page>> {
    const audience = (await this.query.audience(tenantId, id)) ?? missing();
    if (audience === 'votants') assertVote(modules);
    return (after, limit) => this.query.page(tenantId, id, etat, after, limit);
  }

  /** Removes a batch of emails older than 30 days, of all tenants. @returns their number */
  purgeExpired(spaces: readonly string[]): Promise<number> {
    return this.repository.purgeExpired(spaces);
  }

  /**
   * Ends the recipients that wait, because after a restore of the database they may have had the email already.
   *
   * @returns emails with the number of ended recipients
   */
  endWaiting(tenantId: string): Promise<EndedCourriel[]> {
    return this.repository.endWaiting(tenantId);
  }

  private async enqueue(tenantId: string, courrielId: string): Promise<void> {
    const job: CourrielJob = { tenantId, courrielId, tour: 0 };
    await this.queue.add(COURRIEL_QUEUE, [{ data: job, group: tenantId }]);
  }

  /** Returns the body as it is stored and sent. @throws DomainError `Requete.Invalide` */
  private async cleaned(tenantId: string, corpsHtml: string): Promise<string> {
    const { html, fault } = await this.cleaner.clean(tenantId, corpsHtml);
    if (fault) throw invalidRequest([{ pointer: '/corpsHtml', ...fault }]);
    return html;
  }

  private async assertKnown(tenantId: string, idExternes: readonly string[]): Promise<void> {
    const unknown = await this.repository.unknownEmployes(tenantId, idExternes);
    if (unknown.length === 0) return;
    throw invalidRequest(
      unknown.map((place) => ({
        pointer: `/destinataires/idExternes/${place}`,
        code: 'reference',
        detail: NAMES_NO.employe,
      })),
    );
  }
}

function missing(): never {
  throw new DomainError(COURRIEL.NotFound);
}

function assertVote(modules: readonly ModuleName[]): void {
  if (modules.includes('vote')) return;
  const detail = {
    en: `Voters belong to the module vote, which is not active for this key. ${MODULE_REMEDY.en}`,
    fr: fr`Les votants font partie du module vote, qui n'est pas actif pour cette clé. ${MODULE_REMEDY.fr}`,
  };
  throw new DomainError(MODULE.NonActif, detail, { module: 'vote' });
}

/**
 * Checks that an email has either `idExternes`, or `campagneId` with `cible`.
 *
 * @throws DomainError `Requete.Invalide` for errors that the fields cannot describe
 */
function assertSound({ destinataires, sujet }: CourrielRecord): void {
  const faults: InputFault[] = [];
  const fault = (pointer: string, code: string, detail: Text): void => {
    faults.push({ pointer, code, detail });
  };
  const { idExternes, campagneId, cible } = destinataires;
  // A line break would begin another header; other control characters are invisible.
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(sujet)) fault('/sujet', 'characters', ONE_LINE);
  if (idExternes != null && (campagneId != null || cible != null)) {
    fault('/destinataires', 'choice', EITHER);
  } else if (idExternes != null) {
    if (idExternes.length === 0) fault('/destinataires/idExternes', 'required', AN_EMPLOYE);
  } else if (campagneId == null && cible == null) {
    fault('/destinataires', 'required', ONE_OF_BOTH);
  } else {
    if (campagneId == null)
      fault('/destinataires/campagneId', 'required', {
        en: 'is required with cible',
        fr: fr('est obligatoire avec cible'),
      });
    if (cible == null)
      fault('/destinataires/cible', 'required', {
        en: 'is required with campagneId',
        fr: fr('est obligatoire avec campagneId'),
      });
  }
  if (faults.length > 0) throw invalidRequest(faults);
}

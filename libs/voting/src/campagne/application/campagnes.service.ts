import { CAMPAGNE_ACTIONS } from '../../domain/voting.actions';
import { CAMPAGNE } from '../../domain/voting.errors';
import { Injectable } from '@nestjs/common';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { FetchPage } from '#platform/database/json-items';
import { Transactions } from '#platform/database/transactions';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import type { Json } from '#platform/database/json';
import { assertIfMatch } from '#platform/input/if-match';
import { hasAtMost } from '#platform/input/faults';
import { Campagne } from '../domain/campagne.entity';
import { CAMPAGNE_FIELDS, type CampagneRecord, graineOf } from '../domain/campagne.fields';
import { type CampagneFilter, CampagneQuery, type OpenCampagne } from '../persistence/campagne.query';
import { CampagneRepository } from '../persistence/campagne.repository';
import { LifecycleService } from './lifecycle.service';
import { slugOf } from './slug';
import { WelcomePages } from './welcome-pages';
import { fr, type Text } from '#platform/errors/text';

const NO_GRAINE: Text = {
  en: 'must be 32 bytes in base64',
  fr: fr('doit compter 32 octets, en base64'),
};
const WITH_VOTES: Text = {
  en: 'The campaign has votes. Archive it once it has ended.',
  fr: fr("La campagne a des votes. Archivez-la une fois qu'elle est terminée."),
};
const ARCHIVED_WITH_VOTES: Text = {
  en: 'The campaign has votes, and is archived already: it is kept. Leave it out of later deletions.',
  fr: fr(
    'La campagne a des votes et est déjà archivée : elle est conservée. Omettez-la des suppressions suivantes.',
  ),
};

/** Campaigns: read, made, changed, deleted (docs/contract.md, "Campaigns"). */
@Injectable()
export class CampagnesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: CampagneRepository,
    private readonly query: CampagneQuery,
    private readonly lifecycle: LifecycleService,
    private readonly pages: WelcomePages,
    private readonly audit: AuditTrail,
  ) {}

  list(tenantId: string, filter: CampagneFilter): FetchPage {
    return this.query.list(tenantId, filter);
  }

  /** Returns the campaigns whose vote was open at a moment or has opened since, with the ballots that they have. */
  openSince(tenantId: string, moment: Date): Promise<OpenCampagne[]> {
    return this.query.openSince(tenantId, moment);
  }

  /** @throws DomainError `Campagne.NotFound` */
  async get(tenantId: string, id: string): Promise<Json> {
    return this.query.one(tenantId, id);
  }

  /**
   * @param id given by the service if absent
   * @returns its id
   * @throws DomainError `Campagne.OuvertureVoteApresFermeture`, `Campagne.NomDejaUtilise`, `Campagne.SlugDejaUtilise`
   */
  async create(tenantId: string, actor: Actor, record: CampagneRecord, id?: string): Promise<string> {
    return this.transactions.run({ tenantId }, async () => {
      const campagne = new Campagne();
      Object.assign(campagne, {
        tenantId,
        idUnique: id ?? (await this.repository.newId()),
        publiee: false,
        archivee: false,
        ouvertureAnnoncee: false,
        fermetureAnnoncee: false,
        publications: 0,
      });
      await this.write(campagne, record, await this.repository.now());
      await this.repository.insert(campagne);
      this.audit.record(tenantId, actor, CAMPAGNE_ACTIONS.creer, [campagne.idUnique]);
      return campagne.idUnique;
    });
  }

  /**
   * Replaces everything that its state lets change.
   *
   * @throws DomainError `Campagne.NotFound`, `Precondition.Echouee`, `Campagne.ModificationNonPermise` and those of `create`
   */
  async replace(
    tenantId: string,
    actor: Actor,
    id: string,
    record: CampagneRecord,
    ifMatch?: string,
  ): Promise<Json> {
    return this.transactions.run({ tenantId }, async () => {
      const { campagne, at } = await this.lifecycle.lockExclusively(tenantId, id);
      const before = await this.get(tenantId, id);
      assertIfMatch(ifMatch, before);
      const known = JSON.stringify(campagne);
      await this.write(campagne, record, at);
      if (JSON.stringify(campagne) === known) return before;
      await this.repository.update(campagne);
      // A scheduled campaign may be open with its new dates.
      await this.lifecycle.tellDue(campagne, at);
      this.audit.record(tenantId, actor, CAMPAGNE_ACTIONS.modifier, [id]);
      return this.get(tenantId, id);
    });
  }

  /**
   * Keeps the partner's seed of the draws that break ties, in place of one that it sent before.
   *
   * @throws DomainError `Campagne.NotFound`, `Requete.Invalide`, `Campagne.ModificationNonPermise` unless in Planifie
   */
  async keepGraine(tenantId: string, actor: Actor, id: string, graine: string): Promise<Json> {
    const bytes = graineOf(graine);
    if (!bytes) throw invalidRequest([{ pointer: '/graine', code: 'format', detail: NO_GRAINE }]);
    return this.transactions.run({ tenantId }, async () => {
      const { campagne, at } = await this.repository.lock(tenantId, id, 'structure');
      if (!(await this.repository.keepGraine(id, bytes))) {
        const etat = campagne.etat(at);
        const detail = {
          en: `The campaign is in state ${etat}: the partner’s seed is taken in Planifie only.`,
          fr: fr`La campagne est à l'état ${etat} : la graine du partenaire est acceptée à l'état Planifie seulement.`,
        };
        throw new DomainError(CAMPAGNE.ModificationNonPermise, detail);
      }
      this.audit.record(tenantId, actor, CAMPAGNE_ACTIONS.graine, [id]);
      return this.get(tenantId, id);
    });
  }

  /** Cleans the welcome page after all other checks, because it takes longest. */
  private async write(campagne: Campagne, record: CampagneRecord, at: Date): Promise<void> {
    const { textePageAccueil } = campagne;
    campagne.replaceWith({ ...record, slug: slugOf(record.titre), textePageAccueil }, at);
    campagne.textePageAccueil = await this.cleaned(campagne.tenantId, record);
  }

  private async cleaned(tenantId: string, { textePageAccueil }: CampagneRecord): Promise<string | null> {
    if (textePageAccueil == null) return null;
    const cleaned = await this.pages.clean(tenantId, textePageAccueil);
    const { max } = CAMPAGNE_FIELDS.textePageAccueil;
    if (cleaned === null || hasAtMost(cleaned, max)) return cleaned;
    const detail = {
      en: `must have at most ${max} characters once it is cleaned, which writes & as &amp;`,
      fr: fr`doit avoir au plus ${max} caractères une fois nettoyé, ce qui écrit & sous la forme &amp;`,
    };
    throw invalidRequest([{ pointer: '/textePageAccueil', code: 'length', detail }]);
  }

  /** @throws DomainError `Campagne.NotFound`, `Precondition.Echouee`, `Campagne.SupprimerAvecVotes` */
  async delete(tenantId: string, actor: Actor, id: string, ifMatch?: string): Promise<void> {
    await this.transactions.run({ tenantId }, async () => {
      const { campagne } = await this.lifecycle.lockExclusively(tenantId, id);
      assertIfMatch(ifMatch, await this.get(tenantId, id));
      const { aDesVotes } = await this.repository.circumstances(campagne);
      if (aDesVotes) {
        throw new DomainError(
          CAMPAGNE.SupprimerAvecVotes,
          campagne.archivee ? ARCHIVED_WITH_VOTES : WITH_VOTES,
        );
      }
      await this.repository.delete(campagne);
      this.audit.record(tenantId, actor, CAMPAGNE_ACTIONS.supprimer, [id]);
    });
  }
}

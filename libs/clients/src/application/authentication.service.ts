import { CLE } from '#access/access.errors';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { timingSafeEqual } from 'node:crypto';
import { Caller, Environment } from '#access/caller';
import { Config } from '#platform/ops/config';
import { NO_TENANT } from '#platform/database/scope';
import { DomainError } from '#platform/errors/domain-error';
import { fingerprint, isWellFormedKey } from '../domain/api-key';
import { CallerQuery, type PresentedCle } from '../persistence/caller.query';
import { fr, type Text } from '#platform/errors/text';

/**
 * A cached key is trusted this long after its look-up began, or after a later look at the directory began that shows it unchanged.
 * A revocation is seen within 5 s (docs/contract.md, "Key format").
 */
const TRUST_MS = 4_000;

/** Keys whose trust ends within this time share one look at the state of the directory, in ms. */
const SHARED_MS = 1_000;

/** A key is looked up again after this time at the latest, in case a change left the triggers of the directory out. */
const KEPT_MS = 600_000;

interface Cached {
  since: number;
  readonly found: Promise<PresentedCle | undefined>;
}

/** A look at the state of the directory. */
interface Look {
  readonly since: number;
  readonly etat: Promise<string>;
}

const NO_CLE: Text = {
  en: 'The X-Api-Key header is missing.',
  fr: fr("L'en-tête X-Api-Key manque."),
};
const NOT_A_CLE: Text = {
  en: 'The key in X-Api-Key is not a valid key.',
  fr: fr("La clé dans X-Api-Key n'est pas une clé valide."),
};

/** Tells who holds a key. */
@Injectable()
export class AuthenticationService {
  /** Also stores unknown keys, because repeated requests with one would otherwise each query the database. */
  private readonly cache = new LRUCache<string, Cached>({ max: 20_000, ttl: KEPT_MS });
  private lastLook: Look | undefined;
  /** Digest of the key in the environment; undefined if none is set. */
  private readonly adminFingerprint: Buffer | undefined;

  constructor(
    private readonly callers: CallerQuery,
    private readonly config: Config,
  ) {
    this.adminFingerprint = config.adminApiKey ? fingerprint(config.adminApiKey) : undefined;
  }

  /** @throws DomainError `Cle.Invalide` */
  async authenticate(cle: string | undefined): Promise<Caller> {
    if (!cle) throw new DomainError(CLE.Invalide, NO_CLE);
    const empreinte = fingerprint(cle);
    if (this.adminFingerprint && timingSafeEqual(empreinte, this.adminFingerprint)) return this.firstAdmin();
    if (!isWellFormedKey(cle)) throw new DomainError(CLE.Invalide, NOT_A_CLE);
    const found = await this.lookUp(empreinte);
    if (!found || !timingSafeEqual(found.cle.empreinte, empreinte)) {
      throw new DomainError(CLE.Invalide, NOT_A_CLE);
    }
    found.cle.assertActive(new Date());
    return this.callerOf(found);
  }

  private async lookUp(empreinte: Buffer): Promise<PresentedCle | undefined> {
    const id = empreinte.toString('base64');
    const cached = this.cache.get(id);
    if (cached && (performance.now() - cached.since < TRUST_MS || (await this.isUnchanged(cached))))
      return cached.found;
    const later = this.cache.get(id);
    // Another request has begun to look it up meanwhile.
    if (later && later !== cached) return later.found;
    const found = this.callers.find(empreinte);
    this.cache.set(id, { since: performance.now(), found });
    // Only completed look-ups stay cached: a failed one does not show whether the key is valid.
    found.catch(() => this.cache.delete(id));
    return found;
  }

  /** Whether no key, client or data space has changed since the look-up. The key is trusted longer then. */
  private async isUnchanged(cached: Cached): Promise<boolean> {
    const presented = await cached.found;
    if (!presented) return false;
    const { since, etat } = this.look();
    if ((await etat) !== presented.etat) return false;
    cached.since = since;
    this.callers.know(presented, since);
    return true;
  }

  private look(): Look {
    if (this.lastLook && performance.now() - this.lastLook.since < SHARED_MS) return this.lastLook;
    const look = { since: performance.now(), etat: this.callers.etat() };
    look.etat.catch(() => (this.lastLook = undefined));
    return (this.lastLook = look);
  }

  private callerOf({ cle, client }: PresentedCle): Caller {
    const { id: cleId, tenantId, role } = cle;
    const limiteParMinute = client?.limiteParMinute ?? this.config.rateLimitPerMinute;
    if (!client || !tenantId) return { cleId, role, modules: [], limiteParMinute };
    return {
      ...{ cleId, role, limiteParMinute, tenantId },
      modules: cle.modulesOf(client),
      clientId: client.id,
      clientNom: client.nom,
      environnement: client.environnement as Environment,
      courrielsParJour: client.quotaCourrielsParJour,
      isSuspended: client.isSuspended,
    };
  }

  /** The key of the environment has no row of its own; the nil GUID stands for it. */
  private firstAdmin(): Caller {
    return { cleId: NO_TENANT, role: 'admin', modules: [], limiteParMinute: this.config.rateLimitPerMinute };
  }
}

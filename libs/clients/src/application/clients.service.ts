import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { AuditTrail } from '#shared/audit/audit-trail';
import type { Position } from '#shared/database/json-items';
import { ADMINISTRATION, Transactions } from '#shared/database/transactions';
import { DomainError, invalidRequest } from '#shared/errors/domain-error';
import { Actor, Environment, ModuleName, Role } from '#shared/access/caller';
import { generateKey } from '../domain/api-key';
import { Cle, CleWithEnvironment } from '../domain/cle.entity';
import { Client } from '../domain/client.entity';
import { ClientRepository } from '../persistence/client.repository';

/** What an administrator may say of a client; an absent member leaves what is there. */
export interface ClientChange {
  nom?: string | null;
  modules?: string[] | null;
  limiteParMinute?: number | null;
  fuseauHoraire?: string | null;
  drapeaux?: { resultatsVoteActifVisibles?: boolean | null; seuilAnonymat?: number | null } | null;
  organisation?: { contactTechnique?: string | null; casUsage?: string | null } | null;
}

/** What a new key is for. */
export interface CleRequest {
  /** Only where a known key is wanted, as for the demonstration. */
  id?: string;
  nom: string;
  environnement: Environment;
  role: Exclude<Role, 'admin'>;
  modules?: ModuleName[] | null;
  expireLe?: Date | null;
}

/** A key just made, with the text that is shown this once. */
export type IssuedCle = CleWithEnvironment & { cle: string };

/** Clients and their keys, for administrators (decisions, section 2). */
@Injectable()
export class ClientsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clients: ClientRepository,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError `Client.NomDejaUtilise`, `Requete.Invalide` for an unknown time zone */
  async create(
    actor: Actor,
    wanted: ClientChange & { id?: string; nom: string; modules: string[] },
  ): Promise<Client> {
    const client = Object.assign(new Client(), {
      id: wanted.id ?? randomUUID(),
      resultatsVoteActifVisibles: false,
      seuilAnonymat: 1,
      limiteParMinute: null,
      fuseauHoraire: 'America/Toronto',
      contactTechnique: null,
      casUsage: null,
      dateCreation: new Date(),
    });
    apply(client, wanted);
    await this.transactions.run(ADMINISTRATION, async () => {
      await this.assertTimeZone(wanted);
      await this.clients.insert(client);
      this.audit.begin(client.id);
      this.audit.record(client.id, actor, 'client.creer', [client.id]);
    });
    return client;
  }

  /** Clients in the order of their creation; all of them without `limit`. */
  async list(after?: Position, limit?: number): Promise<Client[]> {
    return this.transactions.run(ADMINISTRATION, () => this.clients.list(after, limit));
  }

  /** @throws DomainError `Client.NotFound` */
  async get(clientId: string): Promise<Client> {
    return this.transactions.run(ADMINISTRATION, () => this.mustFind(clientId));
  }

  /**
   * @param assertUnchanged throws if the client is not what the caller has read
   * @throws DomainError `Client.NotFound`, `Client.NomDejaUtilise`, `Requete.Invalide` for an unknown time zone
   */
  async update(
    actor: Actor,
    clientId: string,
    change: ClientChange,
    assertUnchanged?: (client: Client) => void,
  ): Promise<Client> {
    return this.transactions.run(ADMINISTRATION, async () => {
      const client = await this.mustFind(clientId, true);
      assertUnchanged?.(client);
      await this.assertTimeZone(change);
      apply(client, change);
      await this.clients.update(client);
      this.audit.record(clientId, actor, 'client.modifier', [clientId]);
      return client;
    });
  }

  /** The client's data space of an environment; undefined where no key has asked for it. @throws DomainError `Client.NotFound` */
  async tenantIn(clientId: string, environnement: Environment): Promise<string | undefined> {
    return this.transactions.run(ADMINISTRATION, async () => {
      await this.mustFind(clientId);
      const environments = await this.clients.environments(clientId);
      return [...environments].find(([, name]) => name === environnement)?.[0];
    });
  }

  /** Makes a key for a client's data space in an environment. @throws DomainError `Client.NotFound` */
  async issueCle(actor: Actor, clientId: string, wanted: CleRequest): Promise<IssuedCle> {
    return this.transactions.run(ADMINISTRATION, async () => {
      const client = await this.mustFind(clientId, true);
      const { id: tenantId, isNew } = await this.clients.tenantOf(client, wanted.environnement);
      if (isNew) this.audit.begin(tenantId);
      const cle = await this.insert(tenantId, wanted, wanted.environnement);
      this.audit.record(clientId, actor, 'cle.creer', [cle.id]);
      return cle;
    });
  }

  /** Makes a key for an administrator. */
  async issueAdminCle(nom: string): Promise<IssuedCle> {
    return this.transactions.run(ADMINISTRATION, () => this.insert(null, { nom, role: 'admin' }, 'admin'));
  }

  /** Keys in the order of their creation; all of them without `limit`. @throws DomainError `Client.NotFound` */
  async listCles(clientId: string, after?: Position, limit?: number): Promise<CleWithEnvironment[]> {
    return this.transactions.run(ADMINISTRATION, async () => {
      await this.mustFind(clientId);
      return this.clients.listCles(clientId, after, limit);
    });
  }

  /** @throws DomainError `Client.NotFound`, `Cle.NotFound` */
  async getCle(clientId: string, cleId: string): Promise<CleWithEnvironment> {
    return this.transactions.run(ADMINISTRATION, () => this.mustFindCle(clientId, cleId));
  }

  /**
   * Revokes a key; every replica refuses it within 5 s.
   *
   * @param assertUnchanged throws if the key is not what the caller has read
   * @throws DomainError `Client.NotFound`, `Cle.NotFound`
   */
  async revokeCle(
    actor: Actor,
    clientId: string,
    cleId: string,
    assertUnchanged?: (cle: CleWithEnvironment) => void,
  ): Promise<void> {
    await this.transactions.run(ADMINISTRATION, async () => {
      const cle = await this.mustFindCle(clientId, cleId, true);
      assertUnchanged?.(cle);
      await this.clients.revokeCle(cle);
      this.audit.record(clientId, actor, 'cle.revoquer', [cleId]);
    });
  }

  private async insert(
    tenantId: string | null,
    wanted: { id?: string; nom: string; role: Role; modules?: string[] | null; expireLe?: Date | null },
    kind: Environment | 'admin',
  ): Promise<IssuedCle> {
    const { cle: secret, prefixe, empreinte } = generateKey(kind);
    const cle = Object.assign(new Cle(), {
      id: wanted.id ?? randomUUID(),
      tenantId,
      role: wanted.role,
      nom: wanted.nom,
      prefixe,
      empreinte,
      modules: wanted.modules ?? null,
      expireLe: wanted.expireLe ?? null,
      revoqueLe: null,
      dernierUsage: null,
      dateCreation: new Date(),
    });
    await this.clients.insertCle(cle);
    return Object.assign(cle, { environnement: kind, cle: secret });
  }

  private async assertTimeZone({ fuseauHoraire }: ClientChange): Promise<void> {
    if (fuseauHoraire == null || (await this.clients.isTimeZone(fuseauHoraire))) return;
    const detail = 'must be an IANA time zone, such as America/Toronto';
    throw invalidRequest([{ pointer: '/fuseauHoraire', code: 'timeZone', detail }]);
  }

  private async mustFind(clientId: string, lock = false): Promise<Client> {
    const client = await this.clients.find(clientId, lock);
    if (!client) throw new DomainError('Client.NotFound', 'No client has this id.');
    return client;
  }

  private async mustFindCle(clientId: string, cleId: string, lock = false): Promise<CleWithEnvironment> {
    await this.mustFind(clientId);
    const cle = await this.clients.findCle(clientId, cleId, lock);
    if (!cle) throw new DomainError('Cle.NotFound', 'The client has no key with this id.');
    return cle;
  }
}

function apply(client: Client, change: ClientChange): void {
  client.nom = change.nom ?? client.nom;
  client.modules = change.modules ?? client.modules;
  if (change.limiteParMinute !== undefined) client.limiteParMinute = change.limiteParMinute;
  client.fuseauHoraire = change.fuseauHoraire ?? client.fuseauHoraire;
  client.resultatsVoteActifVisibles =
    change.drapeaux?.resultatsVoteActifVisibles ?? client.resultatsVoteActifVisibles;
  client.seuilAnonymat = change.drapeaux?.seuilAnonymat ?? client.seuilAnonymat;
  const { contactTechnique, casUsage } = change.organisation ?? {};
  if (contactTechnique !== undefined) client.contactTechnique = contactTechnique;
  if (casUsage !== undefined) client.casUsage = casUsage;
}

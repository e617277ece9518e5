import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ADMINISTRATION, Transactions } from '#shared/database/transactions';
import { DomainError } from '#shared/errors/domain-error';
import { Environment, ModuleName, Role } from '#shared/access/caller';
import { generateKey } from '../domain/api-key';
import { Cle, CleWithEnvironment } from '../domain/cle.entity';
import { Client } from '../domain/client.entity';
import { ClientRepository } from '../persistence/client.repository';

/** What an administrator may say of a client; an absent member leaves what is there. */
export interface ClientChange {
  nom?: string | null;
  modules?: string[] | null;
  limiteParMinute?: number | null;
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
  ) {}

  /** @throws DomainError `Client.NomDejaUtilise` */
  async create(wanted: ClientChange & { id?: string; nom: string; modules: string[] }): Promise<Client> {
    const client = Object.assign(new Client(), {
      id: wanted.id ?? randomUUID(),
      resultatsVoteActifVisibles: false,
      seuilAnonymat: 1,
      limiteParMinute: null,
      contactTechnique: null,
      casUsage: null,
      dateCreation: new Date(),
    });
    apply(client, wanted);
    await this.transactions.run(ADMINISTRATION, () => this.clients.insert(client));
    return client;
  }

  async list(): Promise<Client[]> {
    return this.transactions.run(ADMINISTRATION, () => this.clients.list());
  }

  /** @throws DomainError `Client.NotFound` */
  async get(clientId: string): Promise<Client> {
    return this.transactions.run(ADMINISTRATION, () => this.mustFind(clientId));
  }

  /** @throws DomainError `Client.NotFound`, `Client.NomDejaUtilise` */
  async update(clientId: string, change: ClientChange): Promise<Client> {
    return this.transactions.run(ADMINISTRATION, async () => {
      const client = await this.mustFind(clientId, true);
      apply(client, change);
      await this.clients.update(client);
      return client;
    });
  }

  /** Makes a key for a client's data space in an environment. @throws DomainError `Client.NotFound` */
  async issueCle(clientId: string, wanted: CleRequest): Promise<IssuedCle> {
    return this.transactions.run(ADMINISTRATION, async () => {
      await this.mustFind(clientId, true);
      const tenantId = await this.clients.tenantOf(clientId, wanted.environnement);
      return this.insert(tenantId, wanted, wanted.environnement);
    });
  }

  /** Makes a key for an administrator. */
  async issueAdminCle(nom: string): Promise<IssuedCle> {
    return this.transactions.run(ADMINISTRATION, () => this.insert(null, { nom, role: 'admin' }, 'admin'));
  }

  /** @throws DomainError `Client.NotFound` */
  async listCles(clientId: string): Promise<CleWithEnvironment[]> {
    return this.transactions.run(ADMINISTRATION, async () => {
      await this.mustFind(clientId);
      return this.clients.listCles(clientId);
    });
  }

  /** Revokes a key; every replica refuses it within 5 s. @throws DomainError `Client.NotFound`, `Cle.NotFound` */
  async revokeCle(clientId: string, cleId: string): Promise<void> {
    await this.transactions.run(ADMINISTRATION, async () => {
      await this.mustFind(clientId);
      if (!(await this.clients.revokeCle(clientId, cleId))) {
        throw new DomainError('Cle.NotFound', 'The client has no key with this id.');
      }
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

  private async mustFind(clientId: string, lock = false): Promise<Client> {
    const client = await this.clients.find(clientId, lock);
    if (!client) throw new DomainError('Client.NotFound', 'No client has this id.');
    return client;
  }
}

function apply(client: Client, change: ClientChange): void {
  client.nom = change.nom ?? client.nom;
  client.modules = change.modules ?? client.modules;
  if (change.limiteParMinute !== undefined) client.limiteParMinute = change.limiteParMinute;
  client.resultatsVoteActifVisibles =
    change.drapeaux?.resultatsVoteActifVisibles ?? client.resultatsVoteActifVisibles;
  client.seuilAnonymat = change.drapeaux?.seuilAnonymat ?? client.seuilAnonymat;
  if (change.organisation) {
    client.contactTechnique = change.organisation.contactTechnique ?? null;
    client.casUsage = change.organisation.casUsage ?? null;
  }
}

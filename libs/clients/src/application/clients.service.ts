import { CLE_ACTIONS, CLIENT_ACTIONS } from '../domain/clients.actions';
import { CLIENT } from '../domain/clients.errors';
import { CLE, NO_ADMIN_CLE } from '#access/access.errors';
import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { AuditTrail } from '#platform/audit/audit-trail';
import type { Position } from '#platform/database/json-items';
import { ADMINISTRATION } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import { isEmail } from '#platform/input/faults';
import { Environment, Role } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { Cle, type CleWithEnvironment, type NewCle } from '../domain/cle.entity';
import { Client, type ClientChange, type NewClient } from '../domain/client.entity';
import { CellsService } from './cells.service';
import { MoveObstacles } from './move-obstacles';
import { ClientRepository } from '../persistence/client.repository';
import { fr } from '#platform/errors/text';

/** A key for a data space of a client. */
export interface CleRequest extends NewCle {
  /** Given by the service if absent. */
  readonly id?: string;
  readonly environnement: Environment;
  readonly role: Exclude<Role, 'admin'>;
}

const HOUR_MS = 3_600_000;

/** A key just made, with the text that is shown this once. */
export type IssuedCle = CleWithEnvironment & { cle: string };

/** Clients and their keys, for administrators (docs/contract.md, "Administration"). */
@Injectable()
export class ClientsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clients: ClientRepository,
    private readonly cells: CellsService,
    private readonly obstacles: MoveObstacles,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @throws DomainError `Client.NomDejaUtilise`, `Cellule.Inconnue`, `Requete.Invalide` for a time zone or a reply address
   * that cannot be used
   */
  async create(actor: Actor, wanted: NewClient & { id?: string; cellule?: string | null }): Promise<Client> {
    const cellule = await this.cells.choose(wanted.cellule);
    const client = Client.create(wanted.id ?? randomUUID(), cellule, wanted, new Date());
    await this.transactions.run(ADMINISTRATION, async () => {
      assertReplyAddress(wanted);
      assertTestRecipients(wanted);
      await this.assertTimeZone(wanted);
      await this.clients.insert(client);
      this.audit.begin(client.id);
      this.audit.record(client.id, actor, CLIENT_ACTIONS.creer, [client.id]);
    });
    return client;
  }

  /** Clients in the order of their creation; all of them without `limit`. */
  async list(after?: Position, limit?: number): Promise<Client[]> {
    return this.transactions.read(ADMINISTRATION, () => this.clients.list(after, limit));
  }

  /** @throws DomainError `Client.NotFound` */
  async get(clientId: string): Promise<Client> {
    return this.transactions.read(ADMINISTRATION, async () => this.withCells(await this.mustFind(clientId)));
  }

  /**
   * @param assertUnchanged throws if the client is not what the caller has read
   * @throws DomainError `Client.NotFound`, `Client.NomDejaUtilise`, `Requete.Invalide` for a time zone or a
   * reply address that cannot be used
   */
  async update(
    actor: Actor,
    clientId: string,
    change: ClientChange,
    assertUnchanged?: (client: Client) => void,
  ): Promise<Client> {
    return this.transactions.run(ADMINISTRATION, async () => {
      const client = await this.withCells(await this.mustChange(clientId));
      assertUnchanged?.(client);
      assertReplyAddress(change);
      assertTestRecipients(change);
      await this.assertTimeZone(change);
      client.change(change);
      await this.clients.update(client);
      this.audit.record(clientId, actor, CLIENT_ACTIONS.modifier, [clientId]);
      return client;
    });
  }

  /**
   * Suspends a client: every replica refuses its keys within 5 s, and its deliveries and e-mails wait.
   *
   * @throws DomainError `Client.NotFound`
   */
  async suspend(actor: Actor, clientId: string, raison: string): Promise<Client> {
    return this.transactions.run(ADMINISTRATION, async () => {
      const client = await this.withCells(await this.mustChange(clientId));
      client.suspend(raison, new Date());
      await this.clients.update(client);
      this.audit.record(clientId, actor, CLIENT_ACTIONS.suspendre, [clientId]);
      return client;
    });
  }

  /** Ends a suspension, if there is one. @throws DomainError `Client.NotFound` */
  async resume(actor: Actor, clientId: string): Promise<Client> {
    return this.transactions.run(ADMINISTRATION, async () => {
      const client = await this.withCells(await this.mustChange(clientId));
      if (!client.resume(new Date())) return client;
      await this.clients.update(client);
      this.audit.record(clientId, actor, CLIENT_ACTIONS.reprendre, [clientId]);
      return client;
    });
  }

  /**
   * Requests the erasure of a client, and revokes its keys. The commands `deplacements` and `effacements` erase its data
   * spaces. One that was requested already stays as it is.
   *
   * @throws DomainError `Client.NotFound`, `Client.NonSuspendu`, `Client.VoteOuvert`
   */
  async requestErasure(actor: Actor, clientId: string): Promise<Client> {
    const spaces = await this.transactions.read(ADMINISTRATION, () => this.clients.cellsOfSpaces(clientId));
    for (const { id } of spaces)
      if (await this.obstacles.check.hasVote(id)) throw new DomainError(CLIENT.VoteOuvert);
    return this.transactions.run(ADMINISTRATION, async () => {
      const client = await this.withCells(await this.mustFind(clientId, true));
      if (client.suppressionDemandeeLe) return client;
      const at = new Date();
      client.requestErasure(at);
      await this.clients.update(client);
      await this.clients.revokeCles(clientId, at);
      this.audit.record(clientId, actor, CLIENT_ACTIONS.supprimer, [clientId]);
      return client;
    });
  }

  /** The client's data space of an environment; undefined where no key has asked for it. @throws DomainError `Client.NotFound` */
  async tenantIn(clientId: string, environnement: Environment): Promise<string | undefined> {
    return this.transactions.read(ADMINISTRATION, async () => {
      await this.mustFind(clientId);
      const environments = await this.clients.environments(clientId);
      return [...environments].find(([, name]) => name === environnement)?.[0];
    });
  }

  /** Makes a key for a client's data space in an environment. @throws DomainError `Client.NotFound` */
  async issueCle(actor: Actor, clientId: string, wanted: CleRequest): Promise<IssuedCle> {
    return this.transactions.run(ADMINISTRATION, async () => {
      const client = await this.mustChange(clientId);
      const { id: tenantId, isNew } = await this.clients.tenantOf(client, wanted.environnement);
      if (isNew) this.audit.begin(tenantId);
      const cle = await this.insert(tenantId, wanted.environnement, wanted, wanted.id);
      this.audit.record(clientId, actor, CLE_ACTIONS.creer, [cle.id]);
      return cle;
    });
  }

  /** Makes a key for an administrator. */
  async issueAdminCle(nom: string, id?: string): Promise<IssuedCle> {
    return this.transactions.run(ADMINISTRATION, () =>
      this.insert(null, 'admin', { nom, role: 'admin' }, id),
    );
  }

  /** Keys of administrators in the order of their creation, without `ADMIN_API_KEY`. */
  async listAdminCles(after?: Position, limit?: number): Promise<Cle[]> {
    return this.transactions.read(ADMINISTRATION, () => this.clients.listAdminCles(after, limit));
  }

  /**
   * Revokes an administrator's key; every replica refuses it within 5 s. One that is revoked already stays as it is.
   *
   * @throws DomainError `Cle.NotFound`, `Cle.DerniereAdministration`
   */
  async revokeAdminCle(cleId: string): Promise<void> {
    await this.transactions.run(ADMINISTRATION, async () => {
      const at = new Date();
      const found = await this.clients.findAdminCle(cleId, at);
      if (!found) throw new DomainError(CLE.NotFound, NO_ADMIN_CLE);
      if (found.cle.revoqueLe) return;
      if (!found.hasOthers) throw new DomainError(CLE.DerniereAdministration);
      found.cle.revoke(at);
      await this.clients.updateCle(found.cle);
    });
  }

  /** Keys in the order of their creation; all of them without `limit`. @throws DomainError `Client.NotFound` */
  async listCles(clientId: string, after?: Position, limit?: number): Promise<CleWithEnvironment[]> {
    return this.transactions.read(ADMINISTRATION, async () => {
      await this.mustFind(clientId);
      return this.clients.listCles(clientId, after, limit);
    });
  }

  /** @throws DomainError `Client.NotFound`, `Cle.NotFound` */
  async getCle(clientId: string, cleId: string): Promise<CleWithEnvironment> {
    return this.transactions.read(ADMINISTRATION, () => this.mustFindCle(clientId, cleId));
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
      cle.revoke(new Date());
      await this.clients.updateCle(cle);
      this.audit.record(clientId, actor, CLE_ACTIONS.revoquer, [cleId]);
    });
  }

  /**
   * Issues a key like another one, which ends after the grace period or when it expires, if that is earlier.
   *
   * @param graceHours 0 ends it at once: every replica refuses it within 5 s
   * @throws DomainError `Client.NotFound`, `Cle.NotFound`, `Cle.DejaTerminee`
   */
  async rotateCle(actor: Actor, clientId: string, cleId: string, graceHours: number): Promise<IssuedCle> {
    return this.transactions.run(ADMINISTRATION, async () => {
      const old = await this.mustFindCle(clientId, cleId, true);
      const at = new Date();
      const successor = old.successor(at);
      old.endAfterReplacement(at, new Date(at.getTime() + graceHours * HOUR_MS));
      await this.clients.updateCle(old);
      const cle = await this.insert(old.tenantId, old.environnement as Environment, successor);
      this.audit.record(clientId, actor, CLE_ACTIONS.rotation, [cleId]);
      this.audit.record(clientId, actor, CLE_ACTIONS.creer, [cle.id]);
      return cle;
    });
  }

  private async insert(
    tenantId: string | null,
    kind: Environment | 'admin',
    wanted: NewCle,
    id: string = randomUUID(),
  ): Promise<IssuedCle> {
    const { cle, text } = Cle.issue(id, tenantId, kind, wanted, new Date());
    await this.clients.insertCle(cle);
    return Object.assign(cle, { environnement: kind, cle: text });
  }

  private async assertTimeZone({ fuseauHoraire }: ClientChange): Promise<void> {
    if (fuseauHoraire == null || (await this.clients.isTimeZone(fuseauHoraire))) return;
    const detail = {
      en: 'must be an IANA time zone, such as America/Toronto',
      fr: fr('doit être un fuseau horaire IANA, par exemple America/Toronto'),
    };
    throw invalidRequest([{ pointer: '/fuseauHoraire', code: 'timeZone', detail }]);
  }

  private async mustFind(clientId: string, lock = false): Promise<Client> {
    const client = await this.clients.find(clientId, lock);
    if (!client) throw new DomainError(CLIENT.NotFound);
    return client;
  }

  /** The client, locked, to be changed. @throws DomainError `Client.NotFound`, `Client.Supprime` */
  private async mustChange(clientId: string): Promise<Client> {
    const client = await this.mustFind(clientId, true);
    client.assertNotErased();
    return client;
  }

  /** The client with the cells of its data spaces. */
  private async withCells(client: Client): Promise<Client> {
    await this.clients.readCells([client]);
    return client;
  }

  private async mustFindCle(clientId: string, cleId: string, lock = false): Promise<CleWithEnvironment> {
    await this.mustFind(clientId);
    const cle = await this.clients.findCle(clientId, cleId, lock);
    if (!cle) throw new DomainError(CLE.NotFound);
    return cle;
  }
}

/** Many mail servers refuse headers with other characters, and quoted names are read differently. */
function assertReplyAddress({ adresseDeReponse }: ClientChange): void {
  if (adresseDeReponse == null || /^[\x21\x23-\x7e]+$/.test(adresseDeReponse)) return;
  const detail = {
    en: 'must be written in ASCII characters, without quotes; an international domain as xn--…',
    fr: fr(
      "doit s'écrire en caractères ASCII, sans guillemets; un domaine international, sous la forme xn--…",
    ),
  };
  throw invalidRequest([{ pointer: '/adresseDeReponse', code: 'email', detail }]);
}

/** Each is an address, or a domain with or without `@` before it. */
function assertTestRecipients({ courrielsEssai }: ClientChange): void {
  const detail = {
    en: 'must be an e-mail address, or a domain such as example.org or @example.org',
    fr: fr('doit être une adresse de courriel, ou un domaine comme example.org ou @example.org'),
  };
  const faults = (courrielsEssai ?? []).flatMap((entry, place) =>
    isEmail(entry) || isEmail(`a@${entry.replace(/^@/, '')}`)
      ? []
      : [{ pointer: `/courrielsEssai/${place}`, code: 'email', detail }],
  );
  if (faults.length > 0) throw invalidRequest(faults);
}

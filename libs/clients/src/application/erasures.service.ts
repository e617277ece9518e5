import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#platform/audit/audit-trail';
import { ADMINISTRATION, NO_TENANT } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { CLIENT_ACTIONS } from '../domain/clients.actions';
import { ClientRepository } from '../persistence/client.repository';

/** The actor of an erasure, in the audit trail. */
const ACTOR = { cleId: NO_TENANT, requestId: 'cli effacements' };

/** Requested erasures of clients. The commands `deplacements` and `effacements` perform them. */
@Injectable()
export class ErasuresService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clients: ClientRepository,
    private readonly audit: AuditTrail,
  ) {}

  /** Returns the clients that are to be erased. */
  open(): Promise<string[]> {
    return this.transactions.read(ADMINISTRATION, () => this.clients.toErase());
  }

  /** Returns the data spaces of a client with their cells. */
  spacesOf(clientId: string): Promise<{ id: string; cellule: string }[]> {
    return this.transactions.read(ADMINISTRATION, () => this.clients.cellsOfSpaces(clientId));
  }

  /** Erases the client itself, whose data spaces are erased. @returns false if another process has done so */
  complete(clientId: string): Promise<boolean> {
    return this.transactions.run(ADMINISTRATION, async () => {
      const client = await this.clients.find(clientId, true);
      if (!client || client.effaceLe) return false;
      client.erase(new Date());
      await this.clients.update(client);
      this.audit.record(clientId, ACTOR, CLIENT_ACTIONS.effacer, [clientId]);
      return true;
    });
  }
}

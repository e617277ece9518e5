import { Injectable } from '@nestjs/common';
import { AuditTrail } from '#platform/audit/audit-trail';
import { ADMINISTRATION, NO_TENANT } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { REMOVE_JOBS } from '#platform/jobs/queue-database';
import { Config } from '#platform/ops/config';
import { CLIENT_ACTIONS } from '../domain/clients.actions';
import { ClientRepository } from '../persistence/client.repository';
import { SpaceErasure } from '../persistence/space-erasure';
import { DeplacementsService } from './deplacements.service';
import { cellUrl } from './mover';

/** The actor of an erasure, in the audit trail. */
const ACTOR = { cleId: NO_TENANT, requestId: 'cli effacements' };

/**
 * Erases the data spaces and keys of clients whose erasure was requested, with the login of migrations. One that is killed
 * is completed by the next.
 */
@Injectable()
export class Eraser {
  constructor(
    private readonly transactions: Transactions,
    private readonly clients: ClientRepository,
    private readonly moves: DeplacementsService,
    private readonly audit: AuditTrail,
    private readonly config: Config,
  ) {}

  /** Erases all of them, one after the other. One that fails does not stop the others. */
  async performAll(onErased: (clientId: string) => void, onError: (error: unknown) => void): Promise<void> {
    const ids = await this.transactions.read(ADMINISTRATION, () => this.clients.toErase());
    for (const id of ids)
      await this.erase(id).then((isErased) => {
        if (isErased) onErased(id);
      }, onError);
  }

  /** @returns false if a data space is being moved, or another process erases it */
  private async erase(clientId: string): Promise<boolean> {
    const spaces = await this.transactions.read(ADMINISTRATION, () => this.clients.cellsOfSpaces(clientId));
    const erasure = await SpaceErasure.open(this.config.databaseUrl);
    try {
      for (const { id } of spaces) if (!(await erasure.claim(id))) return false;
      // Every cell: one that had the data space before a move may have jobs of it.
      const cells = new Set([this.config.databaseUrl, ...this.config.cells.values()]);
      for (const { id, cellule } of spaces) {
        await this.moves.assertNoVote(id);
        cells.add(cellUrl(this.config, cellule));
        for (const cell of cells) await erasure.removeRows(cell, id, REMOVE_JOBS);
      }
      await erasure.forget(spaces.map(({ id }) => id));
    } finally {
      await erasure.close();
    }
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

import { Injectable } from '@nestjs/common';
import type { Environment } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { ADMINISTRATION } from '#platform/database/scope';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { ESPACE_ACTIONS } from '../domain/clients.actions';
import { DEPLACEMENT } from '../domain/clients.errors';
import type { Deplacement } from '../domain/deplacement.types';
import { DeplacementRepository } from '../persistence/deplacement.repository';
import { CellsService } from './cells.service';
import { ClientsService } from './clients.service';
import { MoveObstacles } from './move-obstacles';

/** Requests for moves of data spaces to other cells (docs/adr/0039). The command `deplacements` performs them. */
@Injectable()
export class DeplacementsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly repository: DeplacementRepository,
    private readonly clients: ClientsService,
    private readonly cells: CellsService,
    private readonly obstacles: MoveObstacles,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @throws DomainError `Client.NotFound`, `Cellule.Inconnue`, `Deplacement.NotFound` without a data space,
   * `Deplacement.Inutile`, `Deplacement.EnCours`, `Deplacement.VoteOuvert`, `Client.Supprime`
   */
  async request(
    actor: Actor,
    clientId: string,
    environnement: Environment,
    cellule: string,
  ): Promise<Deplacement> {
    await this.cells.choose(cellule);
    (await this.clients.get(clientId)).assertNotErased();
    const tenantId = await this.spaceOf(clientId, environnement);
    await this.assertNoVote(tenantId);
    return this.transactions.run(ADMINISTRATION, async () => {
      const origin = await this.repository.cellOf(tenantId);
      if (origin === cellule) throw new DomainError(DEPLACEMENT.Inutile);
      const move = await this.repository.insert(tenantId, origin, cellule);
      this.audit.record(clientId, actor, ESPACE_ACTIONS.deplacer, [tenantId]);
      return move;
    });
  }

  /** The latest move. @throws DomainError `Client.NotFound`, `Deplacement.NotFound` */
  async latest(clientId: string, environnement: Environment): Promise<Deplacement> {
    const tenantId = await this.spaceOf(clientId, environnement);
    const move = await this.transactions.read(ADMINISTRATION, () => this.repository.latest(tenantId));
    return move ?? missing();
  }

  /** Moves that have not ended, in the order of their requests. */
  open(): Promise<Deplacement[]> {
    return this.transactions.read(ADMINISTRATION, () => this.repository.open());
  }

  /** @throws DomainError `Deplacement.VoteOuvert` */
  async assertNoVote(tenantId: string): Promise<void> {
    if (await this.obstacles.check.hasVote(tenantId)) throw new DomainError(DEPLACEMENT.VoteOuvert);
  }

  /** Returns the data spaces that a cell has, also those that a restored directory does not know. */
  spacesIn(cell: string): Promise<string[]> {
    return this.repository.spacesIn(cell);
  }

  /** Moves from or to a cell that were switched after a moment, the latest of each data space. */
  switchedSince(cell: string, moment: Date): Promise<Deplacement[]> {
    return this.transactions.read(ADMINISTRATION, () => this.repository.switchedSince(cell, moment));
  }

  /** Whether the cell of a data space has it. */
  isThere(tenantId: string): Promise<boolean> {
    return this.repository.isThere(tenantId);
  }

  private async spaceOf(clientId: string, environnement: Environment): Promise<string> {
    return (await this.clients.tenantIn(clientId, environnement)) ?? missing();
  }
}

function missing(): never {
  throw new DomainError(DEPLACEMENT.NotFound);
}

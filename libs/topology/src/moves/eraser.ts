import { Injectable } from '@nestjs/common';
import { DeplacementsService, ErasuresService } from '#clients';
import { REMOVE_JOBS } from '#platform/jobs/queue-database';
import { Config } from '#platform/ops/config';
import { cellUrl } from './mover';
import { SpaceErasure } from './space-erasure';

/**
 * Erases the data spaces and keys of clients whose erasure was requested, with the login of migrations. One that is killed
 * is completed by the next.
 */
@Injectable()
export class Eraser {
  constructor(
    private readonly erasures: ErasuresService,
    private readonly moves: DeplacementsService,
    private readonly config: Config,
  ) {}

  /** Erases all of them, one after the other. One that fails does not stop the others. */
  async performAll(onErased: (clientId: string) => void, onError: (error: unknown) => void): Promise<void> {
    for (const id of await this.erasures.open())
      await this.erase(id).then((isErased) => {
        if (isErased) onErased(id);
      }, onError);
  }

  /** @returns false if a data space is being moved, or another process erases it */
  private async erase(clientId: string): Promise<boolean> {
    const spaces = await this.erasures.spacesOf(clientId);
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
    return this.erasures.complete(clientId);
  }
}

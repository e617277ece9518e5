import { Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '#platform/errors/domain-error';
import { CELLULE } from '../domain/clients.errors';
import { CellQuery } from '../persistence/cell.query';

/** Maximum wait for a cell's answer, in ms. */
const ANSWER_MS = 1_500;

/** A cell as administrators see it. */
export interface Cell {
  readonly nom: string;
  readonly nombreEspaces: number;
  /** Size of its database in bytes; null if it does not answer. */
  readonly taille: number | null;
}

/** The cells that data spaces live in (docs/contract.md, "Cells"). */
@Injectable()
export class CellsService {
  constructor(private readonly cells: CellQuery) {}

  /** Returns the cells in the order of CELLS. One that does not answer within 1.5 s has no size. */
  async list(): Promise<Cell[]> {
    const counts = await this.cells.counts();
    return Promise.all(
      this.cells.names.map(async (nom) => ({
        nom,
        nombreEspaces: counts.get(nom) ?? 0,
        taille: await this.sizeOf(nom),
      })),
    );
  }

  /** @param wanted the cell that a new client asks for; that with the fewest data spaces if absent @throws DomainError `Cellule.Inconnue` */
  async choose(wanted: string | null | undefined): Promise<string> {
    const { names } = this.cells;
    if (wanted != null) {
      if (names.includes(wanted)) return wanted;
      throw new DomainError(CELLULE.Inconnue, `Name one of the cells ${names.join(', ')}.`);
    }
    if (names.length === 1) return names[0]!;
    const counts = await this.cells.counts();
    return names.reduce((fewest, name) =>
      (counts.get(name) ?? 0) < (counts.get(fewest) ?? 0) ? name : fewest,
    );
  }

  private async sizeOf(name: string): Promise<number | null> {
    const answered = new AbortController();
    const tooLate = sleep(ANSWER_MS, null, { signal: answered.signal }).catch(() => null);
    const size = this.cells.size(name).catch(() => null);
    return Promise.race([size, tooLate]).finally(() => answered.abort());
  }
}

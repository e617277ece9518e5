import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Cells } from '#platform/database/databases';
import { DomainError } from '#platform/errors/domain-error';
import { ConfigError } from '#platform/ops/config-error';
import { LOGGER } from '#platform/ops/logger';
import { PROCESS_NAME, type Reader } from '#platform/ops/process-name';
import { CELLULE } from '../domain/clients.errors';
import { CellQuery } from '../persistence/cell.query';
import { fr } from '#platform/errors/text';

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
export class CellsService implements OnModuleInit {
  constructor(
    private readonly cells: Cells,
    private readonly query: CellQuery,
    @Inject(PROCESS_NAME) private readonly processName: Reader,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Checks that CELLS names the cells of all data spaces. The API starts without some, because the others can be served.
   *
   * @throws ConfigError in the worker and in commands
   */
  async onModuleInit(): Promise<void> {
    const cells = [...(await this.query.counts()).keys()].filter((name) => !this.cells.has(name));
    if (cells.length === 0) return;
    const message = `CELLS must name ${cells.join(', ')}, which has data spaces (docs/operations.md, "Cells").`;
    if (this.processName !== 'api') throw new ConfigError(message);
    this.logger.error({ cells }, message);
  }

  /**
   * Returns the cells in the order of CELLS, and others that have data spaces, such as a directory that CELLS does not name.
   * One that does not answer within 1.5 s has no size.
   */
  async list(): Promise<Cell[]> {
    const counts = await this.query.counts();
    return Promise.all(
      [...new Set([...this.cells.names, ...counts.keys()])].map(async (nom) => ({
        nom,
        nombreEspaces: counts.get(nom) ?? 0,
        taille: await this.sizeOf(nom),
      })),
    );
  }

  /** The data spaces of the worker's cell. */
  ownSpaces(): Promise<string[]> {
    return this.query.ownSpaces();
  }

  /** @param wanted the cell that a new client asks for; that with the fewest data spaces if absent @throws DomainError `Cellule.Inconnue` */
  async choose(wanted: string | null | undefined): Promise<string> {
    const { names } = this.cells;
    if (wanted != null) {
      if (names.includes(wanted)) return wanted;
      throw new DomainError(CELLULE.Inconnue, {
        en: `Name one of the cells ${names.join(', ')}.`,
        fr: fr`Nommez une des cellules ${names.join(', ')}.`,
      });
    }
    if (names.length === 1) return names[0]!;
    const loads = await this.query.loads();
    return names.reduce((fewest, name) =>
      (loads.get(name) ?? 0) < (loads.get(fewest) ?? 0) ? name : fewest,
    );
  }

  private async sizeOf(name: string): Promise<number | null> {
    const answered = new AbortController();
    const tooLate = sleep(ANSWER_MS, null, { signal: answered.signal }).catch(() => null);
    const size = this.query.size(name).catch(() => null);
    return Promise.race([size, tooLate]).finally(() => answered.abort());
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Config } from '../ops/config';
import { PROCESS_NAME, type Reader } from '../ops/process-name';
import { COMMITS_AT_ONCE } from './commits-at-once.sql';
import { OWN_CELL } from './scope';
import { Transactions } from './transactions';

/** Lease of a piece of work, in seconds. If its process does not renew it, the process has died. */
export const LEASE_S = 10;

/** Unfinished pieces are forgotten after this time, because what they worked on may be gone. */
const FORGOTTEN_AFTER = '1 day';

/** A piece of some work: a row of a data space. */
export interface Piece {
  readonly tenantId: string;
  readonly id: string;
}

/** A piece that some process has begun and not ended: it runs, its process has died, or it was put aside. */
export interface NotedPiece extends Piece {
  readonly state: 'running' | 'left' | 'aside';
}

/** A piece that was put aside. */
export interface AsidePiece {
  readonly travail: string;
  readonly espace: string;
  readonly id: string;
  readonly misDeCote: Date;
}

const KEY = 'espace = $1 AND travail = $2 AND id = $3';

/**
 * Notes which pieces of work run, in the worker's cell. A note is committed before its piece begins and removed after its end,
 * so a note without a process shows a piece that may have killed it.
 */
@Injectable()
export class WorkNotes {
  /** A process that is restarted at the same place has the same name, and thus knows that its predecessor is dead. */
  readonly processus: string;

  constructor(
    private readonly transactions: Transactions,
    @Inject(PROCESS_NAME) processName: Reader,
    @Inject(Config) { workerPort }: Pick<Config, 'workerPort'>,
  ) {
    const hasPlace = processName === 'worker' && workerPort > 0;
    this.processus = hasPlace ? `${hostname()}:${workerPort}` : randomUUID();
  }

  /** Ends the leases of an earlier process of this name, which would otherwise be renewed. */
  async takeOver(): Promise<void> {
    await this.run(
      'note_take_over',
      `UPDATE travail_en_cours SET jusqua = clock_timestamp(), processus = '' WHERE processus = $1`,
      [this.processus],
    );
  }

  /** The noted pieces of a work. */
  noted(travail: string): Promise<NotedPiece[]> {
    return this.transactions.query(OWN_CELL, {
      name: 'note_noted',
      text: `SELECT espace AS "tenantId", id, CASE WHEN mis_de_cote IS NOT NULL THEN 'aside'
               WHEN jusqua > clock_timestamp() THEN 'running' ELSE 'left' END AS state
             FROM travail_en_cours WHERE travail = $1`,
      values: [travail],
    });
  }

  /** Notes that this process begins a piece. @param deaths while it ran without a note @returns false if it is noted already */
  async begin(travail: string, { tenantId, id }: Piece, deaths: number): Promise<boolean> {
    const rows = await this.run(
      'note_begin',
      `INSERT INTO travail_en_cours (espace, travail, id, processus, jusqua, morts)
       SELECT $1, $2, $3, $4, clock_timestamp() + interval '${LEASE_S} seconds', $5 WHERE ${COMMITS_AT_ONCE}
       ON CONFLICT DO NOTHING RETURNING 1`,
      [tenantId, travail, id, this.processus, deaths],
    );
    return rows.length === 1;
  }

  /**
   * Notes that this process begins a piece that another one has left.
   *
   * @returns how many processes died while they ran it; undefined if it is not there to be begun any more
   */
  async resume(travail: string, { tenantId, id }: Piece): Promise<number | undefined> {
    const [row] = await this.run<{ morts: number }>(
      'note_resume',
      `UPDATE travail_en_cours SET morts = morts + compte::int, compte = true, processus = $4,
         jusqua = clock_timestamp() + interval '${LEASE_S} seconds'
       WHERE ${KEY} AND jusqua <= clock_timestamp() AND mis_de_cote IS NULL AND ${COMMITS_AT_ONCE} RETURNING morts`,
      [tenantId, travail, id, this.processus],
    );
    return row?.morts;
  }

  async putAside(travail: string, { tenantId, id }: Piece): Promise<void> {
    await this.run(
      'note_put_aside',
      `UPDATE travail_en_cours SET mis_de_cote = clock_timestamp() WHERE ${KEY} AND processus = $4`,
      [tenantId, travail, id, this.processus],
    );
  }

  /** Sets whether a death of this process counts for a piece. */
  async count(travail: string, { tenantId, id }: Piece, counts: boolean): Promise<void> {
    await this.run(
      'note_count',
      `UPDATE travail_en_cours SET compte = $4 WHERE ${KEY} AND processus = $5 AND ${COMMITS_AT_ONCE}`,
      [tenantId, travail, id, counts, this.processus],
    );
  }

  /** Ends the lease of a piece that could not be put aside. */
  async release(travail: string, { tenantId, id }: Piece): Promise<void> {
    await this.run(
      'note_release',
      `UPDATE travail_en_cours SET jusqua = clock_timestamp(), processus = '' WHERE ${KEY} AND processus = $4`,
      [tenantId, travail, id, this.processus],
    );
  }

  /** Removes the note of a piece that has ended, unless another process has it by now. */
  async end(travail: string, { tenantId, id }: Piece): Promise<void> {
    await this.run(
      'note_end',
      `DELETE FROM travail_en_cours WHERE ${KEY} AND processus = $4 AND ${COMMITS_AT_ONCE}`,
      [tenantId, travail, id, this.processus],
    );
  }

  /** Renews the leases of this process. */
  async renew(): Promise<void> {
    await this.run(
      'note_renew',
      `UPDATE travail_en_cours SET jusqua = clock_timestamp() + interval '${LEASE_S} seconds'
       WHERE processus = $1 AND mis_de_cote IS NULL AND ${COMMITS_AT_ONCE}`,
      [this.processus],
    );
  }

  /** From now on, the death of this process counts for none of its pieces, because it was asked to stop. */
  async stopCounting(): Promise<void> {
    await this.run(
      'note_stop',
      `UPDATE travail_en_cours SET compte = false WHERE processus = $1 AND mis_de_cote IS NULL`,
      [this.processus],
    );
  }

  /** The number of pieces that were put aside, by work. */
  async countAside(): Promise<(readonly [{ queue: string }, count: number])[]> {
    const rows = await this.transactions.query<{ queue: string; count: number }>(OWN_CELL, {
      name: 'note_count_aside',
      text: `SELECT travail AS queue, count(mis_de_cote)::int AS count FROM travail_en_cours GROUP BY travail`,
      values: [],
    });
    return rows.map(({ queue, count }) => [{ queue }, count]);
  }

  /** The pieces of a cell that were put aside. */
  aside(cell: string): Promise<AsidePiece[]> {
    return this.transactions.query(
      { cell },
      {
        name: 'note_aside',
        text: `SELECT travail, espace, id, mis_de_cote AS "misDeCote" FROM travail_en_cours
               WHERE mis_de_cote IS NOT NULL ORDER BY mis_de_cote`,
        values: [],
      },
    );
  }

  /** Lets workers of a cell run pieces again that were put aside. @param id only this one @returns their number */
  async takeUp(cell: string, travail: string, id: string | undefined): Promise<number> {
    const rows = await this.transactions.execute(
      { cell },
      {
        name: 'note_take_up',
        text: `DELETE FROM travail_en_cours WHERE mis_de_cote IS NOT NULL AND travail = $1 AND id::text = lower(coalesce($2, id::text)) RETURNING 1`,
        values: [travail, id ?? null],
      },
    );
    return rows.length;
  }

  /** Removes a batch of notes of pieces that no process has taken up again. @returns their number */
  async purgeForgotten(): Promise<number> {
    const rows = await this.run(
      'note_purge',
      `DELETE FROM travail_en_cours WHERE mis_de_cote IS NULL AND jusqua < now() - interval '${FORGOTTEN_AFTER}' RETURNING 1`,
      [],
    );
    return rows.length;
  }

  private run<R extends object>(name: string, text: string, values: readonly unknown[]): Promise<R[]> {
    return this.transactions.execute(OWN_CELL, { name, text, values: [...values] });
  }
}

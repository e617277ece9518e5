import type { Client } from 'pg';
import { analyzeSpaces, CopyRefused, connectForCopy, copySpace, countSpace, removeSpace } from './space-copy';
import { ranOutOfTime } from '#platform/errors/sql-errors';
import { STORE_WRITES } from '../routing/standbys';
import type { Deplacement } from '#clients';

/** Classes of advisory locks: writers of a data space (`espace_ecrire`), and movers of one. */
export const WRITERS = 5;
export const MOVERS = 6;

/**
 * Time for which both cells refuse writes around the switch, in s. It is longer than the 5 s for which a process may use a cell
 * that it has looked up. If the mover dies after it closed the old cell and before the switch, the old cell accepts writes
 * again after this time.
 */
const CLOSED_S = 8;

/**
 * Maximum time from the first closure to the switch, in ms: one half until the statement of the switch begins, one half for this
 * statement. `SWITCH_MS` and the 5 s of the processes are together shorter than `CLOSED_S`.
 */
const SWITCH_MS = 2_000;

/** Maximum time of a copy, in ms. A vote that opens within five minutes prevents a move, so no vote opens during the copy. */
const COPY_MS = 240_000;

/** Connections of one move: to the directory and to both cells, with the login of migrations. */
export class MoveConnections {
  /** Latest time of the switch, by the clock of the directory. */
  private deadline = '-infinity';

  private constructor(
    private readonly move: Deplacement,
    private readonly directory: Client,
    private readonly origin: Client,
    private readonly target: Client,
  ) {}

  static async open(
    move: Deplacement,
    urls: { readonly directory: string; readonly origin: string; readonly target: string },
  ): Promise<MoveConnections> {
    const open: Client[] = [];
    try {
      for (const url of [urls.directory, urls.origin, urls.target]) open.push(await connectForCopy(url));
    } catch (error) {
      await Promise.all(open.map((client) => client.end()));
      throw error;
    }
    return new MoveConnections(move, open[0]!, open[1]!, open[2]!);
  }

  /** @throws CopyRefused if the move would not bring a data space from one database to another */
  async assertPossible(): Promise<void> {
    const identify = `SELECT system_identifier || ' ' || current_database() AS identity FROM pg_control_system()`;
    const [one, other] = [await this.origin.query(identify), await this.target.query(identify)];
    if ((one.rows[0] as { identity: string }).identity === (other.rows[0] as { identity: string }).identity)
      throw new CopyRefused('Both cells are the same database.');
    if ((await this.closureOf(this.origin)) === 'infinity')
      throw new CopyRefused('The data space has left this cell before: it is not there.');
    // The cell in which a data space lives has no closure. An earlier move left a closure beside its rows, which may be removed.
    if (
      (await this.closureOf(this.target)) === undefined &&
      (await countSpace(this.target, this.move.tenantId)) > 0
    )
      throw new CopyRefused('The new cell has rows of the data space that no move has left there.');
  }

  async close(): Promise<void> {
    // A connection that is lost already needs no end.
    const all = [this.directory, this.origin, this.target];
    await Promise.all(all.map((client) => client.end().catch(() => undefined)));
  }

  /** Makes this process the only one that performs the move. @returns undefined if another one does, the move has ended, or the
   * directory names a third cell */
  async claim(): Promise<{ readonly isSwitched: boolean; readonly attempts: number } | undefined> {
    const locked = await this.directory.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, $2)) AS locked',
      [this.move.tenantId, MOVERS],
    );
    if (!locked.rows[0]!.locked) return undefined;
    const { rows } = await this.directory.query<{ isSwitched: boolean; attempts: number }>(
      `UPDATE deplacement d SET etat = 'EnCours', traites = CASE WHEN d.date_bascule IS NULL THEN 0 ELSE traites END,
         essais = essais + CASE WHEN d.date_bascule IS NULL THEN 1 ELSE 0 END FROM tenant t
       WHERE d.id = $1 AND d.date_fin IS NULL AND t.id = d.tenant_id
         AND t.cellule = CASE WHEN d.date_bascule IS NULL THEN d.cellule_origine ELSE d.cellule END
       RETURNING d.date_bascule IS NOT NULL AS "isSwitched", d.essais AS attempts`,
      [this.move.id],
    );
    return rows[0];
  }

  /** Notes how many rows the space has, outside the time for which writes are refused. */
  async count(): Promise<void> {
    const total = await countSpace(this.origin, this.move.tenantId);
    await this.directory.query('UPDATE deplacement SET total = $2 WHERE id = $1', [this.move.id, total]);
  }

  /**
   * Waits for the transactions that write into the data space, and refuses new ones until the end of the connection.
   *
   * @throws SQLSTATE 55P03 if they do not end in time
   */
  async shut(waitMs: number): Promise<void> {
    await this.origin.query(`SET lock_timeout = ${waitMs}`);
    await this.origin.query('SELECT pg_advisory_lock(hashtextextended($1, $2))', [
      this.move.tenantId,
      WRITERS,
    ]);
  }

  /** Copies the data space and compares it. Nothing is committed yet. */
  async copy(): Promise<void> {
    const { tenantId, id } = this.move;
    const until = performance.now() + COPY_MS;
    let copied = 0;
    let reporting: Promise<unknown> | undefined;
    await this.origin.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await this.target.query('BEGIN');
    // Rows that an interrupted attempt has left.
    await removeSpace(this.target, tenantId);
    await copySpace(this.origin, this.target, tenantId, until, (rows) => {
      copied += rows;
      reporting ??= this.directory
        .query('UPDATE deplacement SET traites = $2 WHERE id = $1', [id, copied])
        // A lost connection fails the switch.
        .then(
          () => (reporting = undefined),
          () => undefined,
        );
    });
    await reporting;
  }

  /**
   * Commits the copy. The new cell refuses writes until every process looks for the space there.
   *
   * @throws CopyRefused if this connection does not have the lock of the writers
   */
  async keep(): Promise<void> {
    const { rows } = await this.directory.query<{ deadline: string }>(
      `SELECT (clock_timestamp() + interval '${SWITCH_MS / 2} ms')::text AS deadline`,
    );
    const held = await this.origin.query(
      `SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted`,
    );
    if (held.rowCount !== 1)
      throw new CopyRefused(
        'The mover lost its lock: give the servers themselves in DATABASE_URL and CELLS, not a pooler.',
      );
    this.deadline = rows[0]!.deadline;
    await this.closeUntil(this.target, `clock_timestamp() + interval '${CLOSED_S} s'`);
    await this.target.query('COMMIT');
    // Standbys of the new cell must have the copy before they serve its reads.
    await this.target.query({ ...STORE_WRITES, values: [[this.move.tenantId]] });
    await this.origin.query('COMMIT');
  }

  /** Closes the old cell, whose lock would end with this process. */
  async closeOrigin(): Promise<void> {
    await this.closeUntil(this.origin, `clock_timestamp() + interval '${CLOSED_S} s'`);
  }

  /**
   * Directs all processes to the new cell.
   *
   * @returns false if the closures could end too early: then nothing was switched
   * @throws what broke the connection: then it may have been switched
   */
  async switch(): Promise<boolean> {
    await this.directory.query(`SET statement_timeout = ${SWITCH_MS / 2}`);
    try {
      const { rowCount } = await this.directory.query(
        `WITH switched AS (
           UPDATE tenant t SET cellule = d.cellule FROM deplacement d
           WHERE d.id = $1 AND d.date_fin IS NULL AND t.id = d.tenant_id AND t.cellule = d.cellule_origine
             AND clock_timestamp() < $2
           RETURNING t.id)
         UPDATE deplacement SET date_bascule = clock_timestamp(), traites = total
         FROM switched WHERE deplacement.id = $1`,
        [this.move.id, this.deadline],
      );
      await this.directory.query('SET statement_timeout = 0');
      return rowCount === 1;
    } catch (error) {
      if (ranOutOfTime(error)) return false;
      throw error;
    }
  }

  /**
   * Closes the old cell for good: a process that was stopped meanwhile must not write there.
   *
   * @throws CopyRefused if the new cell has lost the copy, for example by a restore
   */
  async closeOriginForGood(): Promise<void> {
    if ((await this.closureOf(this.target)) === undefined)
      throw new CopyRefused('The new cell does not have the copy of the data space, so the old rows stay.');
    await this.closeUntil(this.origin, `'infinity'`);
    await this.unlock();
  }

  /** Returns the time in ms after which the old rows will have been kept for `ms` since the switch; 0 if it has passed. */
  async keptFor(ms: number): Promise<number> {
    const { rows } = await this.directory.query<{ ms: number }>(
      `SELECT extract(epoch FROM date_bascule - clock_timestamp())::float8 * 1000 AS ms FROM deplacement WHERE id = $1`,
      [this.move.id],
    );
    return Math.max(0, Math.ceil(rows[0]!.ms + ms));
  }

  /** Removes the old rows. */
  async removeOrigin(): Promise<void> {
    await removeSpace(this.origin, this.move.tenantId);
    await analyzeSpaces(this.target);
  }

  /** Removes the closure of the new cell, which has ended: without one, no later move may remove the rows there. */
  async settleTarget(): Promise<void> {
    await this.target.query('DELETE FROM espace_ferme WHERE tenant_id = $1', [this.move.tenantId]);
  }

  /** Undoes what was done before the switch. @throws Error if it was switched */
  async undo(): Promise<void> {
    const { tenantId, id } = this.move;
    const { rows } = await this.directory.query(
      'SELECT FROM deplacement WHERE id = $1 AND date_bascule IS NULL',
      [id],
    );
    if (rows.length === 0) throw new Error('The data space was switched.');
    await this.target.query('ROLLBACK');
    await this.origin.query('ROLLBACK');
    // Only rows of a move have a closure.
    if ((await this.closureOf(this.target)) !== undefined) {
      await removeSpace(this.target, tenantId);
      await this.closeUntil(this.target, `'infinity'`);
    }
    await this.origin.query(`DELETE FROM espace_ferme WHERE tenant_id = $1 AND jusqua < 'infinity'`, [
      tenantId,
    ]);
    await this.unlock();
  }

  async end(erreur?: Deplacement['erreur']): Promise<void> {
    await this.directory.query(
      `UPDATE deplacement SET etat = CASE WHEN $2::jsonb IS NULL THEN 'Reussie' ELSE 'Echouee' END, erreur = $2, date_fin = now()
       WHERE id = $1`,
      [this.move.id, erreur ? JSON.stringify(erreur) : null],
    );
  }

  /** Returns the time until which a cell refuses writes of the data space; undefined if it does not refuse them. */
  private async closureOf(client: Client): Promise<string | undefined> {
    const { rows } = await client.query<{ until: string }>(
      'SELECT jusqua::text AS until FROM espace_ferme WHERE tenant_id = $1',
      [this.move.tenantId],
    );
    return rows[0]?.until;
  }

  private closeUntil(client: Client, until: string): Promise<void> {
    return closeSpace(client, this.move.tenantId, until);
  }

  private async unlock(): Promise<void> {
    await this.origin.query('SELECT pg_advisory_unlock_all()');
  }
}

/** Lets a cell refuse writes of a data space. @param until SQL of a time */
export async function closeSpace(client: Client, tenantId: string, until: string): Promise<void> {
  // Writes read the table only if this has a value.
  await client.query(`SELECT nextval('espace_ferme_existe')`);
  await client.query(
    `INSERT INTO espace_ferme (tenant_id, jusqua) VALUES ($1, ${until})
     ON CONFLICT (tenant_id) DO UPDATE SET jusqua = excluded.jusqua`,
    [tenantId],
  );
}

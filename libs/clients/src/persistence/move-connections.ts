import type { Client } from 'pg';
import {
  analyzeSpaces,
  CopyRefused,
  connectForCopy,
  copySpace,
  countSpace,
  removeSpace,
} from '#platform/database/space-copy';
import { STORE_WRITES } from '#platform/database/standbys';
import type { Deplacement } from '../domain/deplacement.types';

/** Classes of advisory locks: writers of a data space (`espace_ecrire`), and movers of one. */
const WRITERS = 5;
const MOVERS = 6;

/**
 * Time for which both cells refuse writes around the switch, in s. A process may use the cell that it has looked up for 5 s.
 * If the mover dies between the closure of the old cell and the switch, writes go on there after this time.
 */
const CLOSED_S = 8;

/** Maximum time from the first closure to the switch, in ms: with the 5 s of the processes it is less than `CLOSED_S`. */
const SWITCH_MS = 2_000;

/** Connections of one move: to the directory and to both cells, with the login of migrations. */
export class MoveConnections {
  private closedAt = 0;

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
    const connections = new MoveConnections(move, open[0]!, open[1]!, open[2]!);
    try {
      await connections.assertDistinct();
    } catch (error) {
      await connections.close();
      throw error;
    }
    return connections;
  }

  /** A move of a database onto itself would empty it. */
  private async assertDistinct(): Promise<void> {
    const identify = `SELECT system_identifier || ' ' || current_database() AS identity FROM pg_control_system()`;
    const [one, other] = [await this.origin.query(identify), await this.target.query(identify)];
    if ((one.rows[0] as { identity: string }).identity === (other.rows[0] as { identity: string }).identity)
      throw new CopyRefused('Both cells are the same database.');
  }

  /** The cell that a data space has left for good has nothing that may replace a copy. */
  async assertHasSpace(): Promise<void> {
    const { rows } = await this.origin.query(
      `SELECT FROM espace_ferme WHERE tenant_id = $1 AND jusqua = 'infinity'`,
      [this.move.tenantId],
    );
    if (rows.length > 0) throw new CopyRefused('The data space has left this cell before: it is not there.');
  }

  async close(): Promise<void> {
    // A connection that is lost already needs no end.
    const all = [this.directory, this.origin, this.target];
    await Promise.all(all.map((client) => client.end().catch(() => undefined)));
  }

  /** Makes this process the only one that performs the move. @returns false if another one does, or the move has ended */
  async claim(): Promise<{ readonly isSwitched: boolean; readonly attempts: number } | undefined> {
    const locked = await this.directory.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, $2)) AS locked',
      [this.move.tenantId, MOVERS],
    );
    if (!locked.rows[0]!.locked) return undefined;
    const { rows } = await this.directory.query<{ isSwitched: boolean; attempts: number }>(
      `UPDATE deplacement d SET etat = 'EnCours', traites = 0, essais = essais + 1 FROM tenant t
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
   * Waits for the transactions that write into the data space, and refuses new ones until `reopen` or the end of the
   * connection. @throws SQLSTATE 55P03 if they do not end in time
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
    let copied = 0;
    let reporting: Promise<unknown> | undefined;
    await this.origin.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await this.target.query('BEGIN');
    // What an interrupted attempt has left.
    await removeSpace(this.target, tenantId);
    await copySpace(this.origin, this.target, tenantId, (rows) => {
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

  /** Commits the copy. The new cell refuses writes until every process looks for the space there. */
  async keep(): Promise<void> {
    this.closedAt = performance.now();
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

  /** Directs all processes to the new cell. @throws Error if the closures could end too early; nothing is switched then */
  async switch(): Promise<void> {
    if (performance.now() - this.closedAt > SWITCH_MS / 2)
      throw Object.assign(new Error('The switch came too late.'), { code: 'ETIMEDOUT' });
    await this.directory.query(`SET statement_timeout = ${SWITCH_MS / 2}`);
    const { rowCount } = await this.directory.query(
      `WITH moved AS (
         UPDATE deplacement SET date_bascule = now(), traites = total
         WHERE id = $1 AND date_fin IS NULL AND date_bascule IS NULL RETURNING tenant_id, cellule, cellule_origine)
       UPDATE tenant t SET cellule = m.cellule FROM moved m WHERE t.id = m.tenant_id AND t.cellule = m.cellule_origine`,
      [this.move.id],
    );
    await this.directory.query('SET statement_timeout = 0');
    if (rowCount !== 1) throw new Error('The move was ended meanwhile.');
  }

  /** Closes the old cell for good: a process that was stopped meanwhile must not write there. */
  async closeOriginForGood(): Promise<void> {
    await this.closeUntil(this.origin, `'infinity'`);
    await this.unlock();
  }

  /** Ms until no process reads the old rows any more. */
  async untilUnread(): Promise<number> {
    const { rows } = await this.directory.query<{ ms: number }>(
      `SELECT extract(epoch FROM date_bascule + interval '${CLOSED_S} s' - clock_timestamp())::float8 * 1000 AS ms
       FROM deplacement WHERE id = $1`,
      [this.move.id],
    );
    return Math.max(0, rows[0]!.ms);
  }

  /** Removes the old rows. */
  async removeOrigin(): Promise<void> {
    await removeSpace(this.origin, this.move.tenantId);
    await analyzeSpaces(this.target);
  }

  /** Undoes what was done before the switch. */
  async undo(): Promise<void> {
    const { tenantId } = this.move;
    await this.target.query('ROLLBACK');
    await this.origin.query('ROLLBACK');
    // Rows that this attempt has not committed are not its own.
    if (this.closedAt > 0) {
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

  private async closeUntil(client: Client, until: string): Promise<void> {
    // Writes read the table only if this has a value.
    await client.query(`SELECT nextval('espace_ferme_existe')`);
    await client.query(
      `INSERT INTO espace_ferme (tenant_id, jusqua) VALUES ($1, ${until})
       ON CONFLICT (tenant_id) DO UPDATE SET jusqua = excluded.jusqua`,
      [this.move.tenantId],
    );
  }

  private async unlock(): Promise<void> {
    await this.origin.query('SELECT pg_advisory_unlock_all()');
  }
}

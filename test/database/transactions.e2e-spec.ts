import { type Client, type Pool } from 'pg';
import { ConnectionShares } from '../../libs/platform/src/limits/connection-shares';
import { DatabaseTime } from '../../libs/platform/src/limits/database-time';
import { createPipelinedPool } from '../../libs/platform/src/database/connections';
import type { Database } from '../../libs/platform/src/database/database';
import { OutcomeUnknown } from '../../libs/platform/src/errors/sql-errors';
import { SharedConnections } from '../../libs/platform/src/database/shared-connections';
import { ADMINISTRATION } from '../../libs/platform/src/database/scope';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { eventually } from '../http/expect-problem';
import { TestApp, type TestTenant } from '../setup/test-app';

const WHO = `SELECT current_user AS role, current_setting('app.tenant_id', true) AS tenant`;

let app: TestApp;
let one: TestTenant;
let other: TestTenant;
/** A single connection, because each statement must meet the state that the previous one left. */
let pool: Pool;
/** Connections of look-ups. */
let shared: Pool;
let lookUps: SharedConnections;
let transactions: Transactions;
let bystander: Client;

/** Work in several steps goes through the application's own; this one sends single statements only. */
function transactionsOn(single: Pool): Transactions {
  const database = { pools: { reads: single, lookUps, shortWrites: single, access: single } } as Database;
  return new Transactions(
    {
      of: () => database,
      clientOf: (space) => Promise.resolve(space),
      reading: () => ({ replica: () => Promise.resolve(undefined), end: () => undefined }),
      wrote: () => Promise.resolve(),
    },
    new ConnectionShares({ poolSize: 1 }, new DatabaseTime()),
  );
}

beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
  one = await app.tenant();
  other = await app.tenant();
  const options = { url: app.dataUrl, size: 1, applicationName: 'transactions test' };
  pool = createPipelinedPool(options, () => undefined);
  shared = createPipelinedPool({ ...options, size: 2, isShared: true }, () => undefined);
  lookUps = new SharedConnections(shared);
  transactions = transactionsOn(pool);
  bystander = await app.connect();
});
afterAll(async () => {
  await Promise.all([pool.end(), shared.end()]);
  await app.stop();
});

const insert = (idExterne: string, tenantId = one.tenantId) => ({
  name: 'insert',
  text: `INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ($1, $2, 'E') RETURNING id_externe`,
  values: [tenantId, idExterne],
});
const stored = async (): Promise<number> =>
  (await bystander.query<{ count: number }>('SELECT count(*)::int AS count FROM employeur')).rows[0]!.count;

describe('look-ups', () => {
  const lookUp = <R extends object>(text: string, values: unknown[] = [], tenantId = one.tenantId) =>
    transactions.lookUp<R>({ tenantId }, { name: text.slice(0, 63), text, values });
  const pidOf = async (): Promise<number> =>
    (await lookUp<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]!.pid;

  it('share two connections, and each gets its rows as its tenant', async () => {
    const echo = `SELECT $1::int AS value, pg_backend_pid() AS pid, current_setting('transaction_read_only') AS "readOnly", w.* FROM (${WHO}) w`;
    const tenants = Array.from({ length: 24 }, (_, value) => (value % 3 ? one : other).tenantId);
    const answers = await Promise.all(
      tenants.map(async (tenant, value) => (await lookUp<{ pid: number }>(echo, [value], tenant))[0]!),
    );
    expect(answers.map(({ pid: _pid, ...row }) => row)).toEqual(
      tenants.map((tenant, value) => ({ value, readOnly: 'on', role: 'mandat_app', tenant })),
    );
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(2);
    expect((await shared.query(WHO)).rows).toEqual([{ role: 'mandat_app', tenant: '' }]);
  });

  it('leave each other alone when one fails', async () => {
    const texts = ['SELECT 1 AS value', 'SELECT 1 / 0 AS value', 'SELEKT', 'SELECT $1::uuid AS value'];
    const faults = await Promise.all(
      Array.from({ length: 40 }, (_, index) => index).map((index) =>
        lookUp(texts[index % 4]!, index % 4 === 3 ? ['%'] : []).catch(({ code }: { code: string }) => code),
      ),
    );
    expect(faults).toEqual(
      Array.from({ length: 10 }, () => [[{ value: 1 }], '22012', '42601', '22P02']).flat(),
    );
  });

  it('do not use a connection again on which one has failed', async () => {
    const before = await pidOf();
    await expect(lookUp('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(await pidOf()).not.toBe(before);
  });

  it('are sent again on a connection of their own when theirs is lost', async () => {
    const text = 'SELECT 7 AS value FROM pg_sleep(0.4)';
    const asked = Array.from({ length: 10 }, () => lookUp(text));
    const { rows } = await eventually(async () => {
      const sleepers = `SELECT pid FROM pg_stat_activity WHERE query = '${text}' AND state = 'active'`;
      const found = await bystander.query<{ pid: number }>(sleepers);
      return found.rowCount === 2 ? found : undefined;
    }, 'Two sleepers');
    await bystander.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid', [
      rows.map(({ pid }) => pid),
    ]);
    expect(await Promise.all(asked)).toEqual(asked.map(() => [{ value: 7 }]));
    expect(rows.map(({ pid }) => pid)).not.toContain(await pidOf());
    expect(shared.totalCount - shared.idleCount).toBe(0);
  });

  it('beyond sixteen of a client use connections of their own', async () => {
    const asleep = Array.from({ length: 16 }, () => lookUp('SELECT FROM pg_sleep(0.1)'));
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    expect(await pidOf()).toBe(rows[0]!.pid);
    await Promise.all(asleep);
    expect(await pidOf()).not.toBe(rows[0]!.pid);
  });

  it('use connections of their own once a lock has held up theirs for a second', async () => {
    const own = createPipelinedPool({ url: app.dataUrl, size: 2, applicationName: 'own' }, () => undefined);
    const held = transactionsOn(own);
    const lookUpIn = (tenantId: string, text: string) =>
      held.lookUp<{ pid: number }>({ tenantId }, { name: text, text, values: [] });
    await bystander.query('BEGIN');
    await bystander.query('LOCK TABLE employeur IN ACCESS EXCLUSIVE MODE');
    const waiting = Array.from({ length: 16 }, () => lookUpIn(one.tenantId, 'SELECT FROM employeur LIMIT 0'));
    // The first one waits behind the lock; the second one does not, and has no shared connection either.
    const behind = await lookUpIn(other.tenantId, 'SELECT pg_backend_pid() AS pid');
    const later = await lookUpIn(other.tenantId, 'SELECT pg_backend_pid() AS pid');
    const { rows: ofOwn } = await bystander.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'own'`,
    );
    const pids = ofOwn.map(({ pid }) => pid);
    for (const [answer] of [behind, later]) expect(pids).toContain(answer!.pid);
    await bystander.query('ROLLBACK');
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => []));
    await own.end();
  });
});

describe('one statement in a transaction of its own', () => {
  it('runs as the role and in the tenant of its scope, and the connection remembers neither', async () => {
    const who = { name: 'who', text: WHO, values: [] };
    const scope = { tenantId: one.tenantId };
    expect(await transactions.query(scope, who)).toEqual([{ role: 'mandat_app', tenant: one.tenantId }]);
    expect((await pool.query(WHO)).rows).toEqual([{ role: 'mandat_app', tenant: '' }]);
    const nobody = '00000000-0000-0000-0000-000000000000';
    const administration = [{ role: 'mandat_access', tenant: nobody }];
    expect(await transactions.query(ADMINISTRATION, who)).toEqual(administration);
    expect((await pool.query(WHO)).rows).toEqual([{ role: 'mandat_app', tenant: '' }]);
  });

  it('commits before it answers', async () => {
    expect(await transactions.execute({ tenantId: one.tenantId }, insert('EMP-1'))).toEqual([
      { id_externe: 'EMP-1' },
    ]);
    expect(await stored()).toBe(1);
  });

  it.each<
    [failure: string, state: string, statement: () => { name: string; text: string; values: unknown[] }]
  >([
    ['a broken constraint', '23505', () => insert('EMP-1')],
    ['a row of another tenant', '42501', () => insert('EMP-2', other.tenantId)],
    ['no SQL', '42601', () => ({ name: 'no SQL', text: 'SELEKT', values: [] })],
    ['a value that cannot be', '22P02', () => insert('EMP-2', '%')],
  ])('undoes itself after %s and leaves the connection usable', async (_failure, code, statement) => {
    const scope = { tenantId: one.tenantId };
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(transactions.execute(scope, statement())).rejects.toMatchObject({ code });
    }
    expect((await pool.query(WHO)).rows).toEqual([{ role: 'mandat_app', tenant: '' }]);
    expect(await stored()).toBe(1);
    expect(pool.totalCount).toBe(1);
  });

  it('commits also if it has neither a name nor values', async () => {
    await transactions.execute(
      { tenantId: one.tenantId },
      {
        text: `INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ('${one.tenantId}', 'SANS-NOM', 'E')`,
        values: [],
      },
    );
    const text = `SELECT FROM employeur WHERE id_externe = 'SANS-NOM'`;
    expect((await bystander.query(text)).rowCount).toBe(1);
  });

  it('is answered its own rows when many are asked for at once', async () => {
    const echo = (value: number) => ({ name: 'echo', text: 'SELECT $1::int AS value', values: [value] });
    const values = Array.from({ length: 200 }, (_, index) => index);
    const answers = await Promise.all(
      values.map((value) => transactions.query<{ value: number }>(ADMINISTRATION, echo(value))),
    );
    expect(answers.map(([row]) => row!.value)).toEqual(values);
  });

  it('replaces a connection that the server has ended', async () => {
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await bystander.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    await eventually(() => (pool.totalCount === 0 ? true : undefined), 'The loss');
    const again = { name: 'again', text: 'SELECT pg_backend_pid() AS pid', values: [] };
    const [row] = await transactions.query<{ pid: number }>(ADMINISTRATION, again);
    expect(row!.pid).not.toBe(rows[0]!.pid);
  });
});

describe('work that only reads', () => {
  it('is refused a write by PostgreSQL, in one statement as in a transaction, and the connection can write again', async () => {
    const scope = { tenantId: one.tenantId };
    const before = await stored();
    const refusal = { code: '25006' };
    await expect(transactions.query(scope, insert('EMP-8'))).rejects.toMatchObject(refusal);
    const whole = app.app.get(Transactions);
    await expect(whole.read(scope, () => whole.client().query(insert('EMP-8')))).rejects.toMatchObject(
      refusal,
    );
    expect(await stored()).toBe(before);
    await transactions.execute(scope, insert('EMP-8'));
    expect(await stored()).toBe(before + 1);
  });

  it('takes no work that writes into its transaction, and may be part of one that writes', async () => {
    const scope = { tenantId: one.tenantId };
    const whole = app.app.get(Transactions);
    const nothing = () => Promise.resolve();
    const refusal = 'A read-only transaction cannot write.';
    await expect(whole.read(scope, () => whole.execute(scope, insert('EMP-9')))).rejects.toThrow(refusal);
    await expect(whole.read(scope, () => whole.run(scope, nothing))).rejects.toThrow(refusal);
    await whole.run(scope, () => whole.read(scope, nothing));
  });
});

describe('several statements in one round trip', () => {
  const scope = (): { tenantId: string } => ({ tenantId: one.tenantId });
  const before = (idExterne: string) => ({
    name: 'before',
    text: `INSERT INTO employeur (tenant_id, id_externe, nom) SELECT $1::uuid, $2::text, 'E' WHERE set_config('lock_timeout', '5s', true) = '5s'`,
    values: [one.tenantId, idExterne],
  });
  const noteWho = {
    name: 'note who',
    text: `INSERT INTO employeur (tenant_id, id_externe, nom)
      SELECT current_setting('app.tenant_id')::uuid, $1 || n, current_user || ' ' || current_setting('lock_timeout')
      FROM generate_series(1, 2) n`,
  };
  const settings = async (): Promise<unknown> =>
    (await pool.query(`${WHO}, current_setting('lock_timeout') AS lock`)).rows;
  const CLEAN = [{ role: 'mandat_app', tenant: '', lock: '20s' }];
  /** Reconnects: the new connection has not prepared any of the statements. */
  const anew = async (): Promise<void> => {
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await bystander.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    await eventually(() => (pool.totalCount === 0 ? true : undefined), 'The loss');
  };

  it('is one transaction as the role and in the tenant of its scope, the first time on a connection and later', async () => {
    await anew();
    for (const name of ['FIRST', 'LATER']) {
      const count = await stored();
      const written = transactions.pipelined(scope(), [before(name)], { ...noteWho, values: [`${name}-`] });
      expect(await written).toBe(2);
      expect(await stored()).toBe(count + 3);
      expect(await settings()).toEqual(CLEAN);
    }
    const { rows } = await bystander.query(
      `SELECT DISTINCT tenant_id, nom FROM employeur WHERE id_externe ~ '^(FIRST|LATER)-'`,
    );
    expect(rows).toEqual([{ tenant_id: one.tenantId, nom: 'mandat_app 5s' }]);
  });

  it.each([
    ['the first time on a connection', true],
    ['later', false],
  ])(
    'undoes all of it after a failure of any, and leaves the connection usable (%s)',
    async (_when, isFirst) => {
      const count = await stored();
      if (isFirst) await anew();
      const after = transactions.pipelined(scope(), [before('UNDONE')], insert('EMP-9', other.tenantId));
      await expect(after).rejects.toMatchObject({ code: '42501' });
      if (isFirst) await anew();
      const first = transactions.pipelined(scope(), [before('FIRST')], insert('EMP-9'));
      await expect(first).rejects.toMatchObject({ code: '23505' });
      expect(await settings()).toEqual(CLEAN);
      expect(await stored()).toBe(count);
    },
  );

  it('is tried again after a deadlock or a serialisation failure, and given up after five attempts', async () => {
    await bystander.query('CREATE SEQUENCE attempts');
    await bystander.query('GRANT USAGE ON SEQUENCE attempts TO PUBLIC');
    await bystander.query(
      `CREATE FUNCTION fail(state text) RETURNS text LANGUAGE plpgsql AS $$
       BEGIN PERFORM nextval('attempts'); RAISE 'as asked' USING ERRCODE = state; END $$`,
    );
    const failing = (state: string) =>
      transactions.pipelined(scope(), [], { name: 'failing', text: 'SELECT fail($1)', values: [state] });
    const attempts = async (): Promise<number> =>
      Number(
        (await bystander.query<{ last: string }>('SELECT last_value AS last FROM attempts')).rows[0]!.last,
      );
    await expect(failing('40P01')).rejects.toMatchObject({ code: '40P01' });
    expect(await attempts()).toBe(5);
    await expect(failing('22012')).rejects.toMatchObject({ code: '22012' });
    expect(await attempts()).toBe(6);
    await bystander.query('DROP FUNCTION fail; DROP SEQUENCE attempts');
  });

  it('says that its outcome is unknown where the connection is lost meanwhile', async () => {
    const waits = { name: 'waits', text: 'SELECT pg_sleep($1)', values: [60] };
    const waiting = transactions.pipelined(scope(), [before('LOST')], waits);
    const unknown = expect(waiting).rejects.toBeInstanceOf(OutcomeUnknown);
    const found = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
    const pid = await eventually(
      async () => (await bystander.query<{ pid: number }>(found)).rows[0]?.pid,
      'The wait',
    );
    await bystander.query('SELECT pg_terminate_backend($1)', [pid]);
    await unknown;
  });

  it('is refused inside another transaction', async () => {
    const own = app.app.get(Transactions);
    await expect(own.run(scope(), () => own.pipelined(scope(), [], insert('EMP-8')))).rejects.toThrow(
      'inside another',
    );
  });
});

describe('work in several steps', () => {
  const run = <T>(work: (transactions: Transactions) => Promise<T>, options = {}): Promise<T> => {
    const own = app.app.get(Transactions);
    return own.run({ tenantId: one.tenantId }, () => work(own), options);
  };
  const fail = (state: string) => `DO $$ BEGIN RAISE EXCEPTION 'as asked' USING ERRCODE = '${state}'; END $$`;

  it.each(['40001', '40P01'])('is tried again from its start after %s', async (state) => {
    let attempts = 0;
    await run(async (own) => {
      await own
        .client()
        .query(`INSERT INTO employeur (tenant_id, id_externe, nom) VALUES ($1, $2, 'E')`, [
          one.tenantId,
          `EMP-${state}`,
        ]);
      if (++attempts < 3) await own.client().query(fail(state));
    });
    expect(attempts).toBe(3);
  });

  it('is given up after five attempts, and not tried again after any other failure', async () => {
    let attempts = 0;
    const failing = (state: string) =>
      run(async (own) => {
        attempts++;
        await own.client().query(fail(state));
      });
    await expect(failing('40001')).rejects.toMatchObject({ code: '40001' });
    expect(attempts).toBe(5);
    await expect(failing('22012')).rejects.toMatchObject({ code: '22012' });
    expect(attempts).toBe(6);
  });

  it('tries an inner part again by itself after a state that it names, and keeps what was done before', async () => {
    let outer = 0;
    let inner = 0;
    await run(async (own) => {
      outer++;
      await own.query({ tenantId: one.tenantId }, insert('EMP-outer'));
      await own.run(
        { tenantId: one.tenantId },
        async () => {
          if (++inner < 3) await own.client().query(fail('23505'));
        },
        { retryOn: ['23505'] },
      );
    });
    expect([outer, inner]).toEqual([1, 3]);
    expect((await bystander.query(`SELECT FROM employeur WHERE id_externe = 'EMP-outer'`)).rowCount).toBe(1);
  });

  it('undoes an inner part whole when it fails after a part of its own has failed', async () => {
    await run(async (own) => {
      const failing = own.savepoint(async () => {
        await own.query({ tenantId: one.tenantId }, insert('EMP-undone'));
        await own.savepoint(() => own.client().query(fail('22012'))).catch(() => undefined);
        await own.client().query(fail('22012'));
      });
      await failing.catch(() => undefined);
    });
    expect((await bystander.query(`SELECT FROM employeur WHERE id_externe = 'EMP-undone'`)).rowCount).toBe(0);
  });

  it('does not pass as done when a failure inside was swallowed', async () => {
    const swallowing = run(async (own) => {
      await own.query({ tenantId: one.tenantId }, insert('EMP-swallowed'));
      await own
        .client()
        .query(fail('22012'))
        .catch(() => undefined);
    });
    await expect(swallowing).rejects.toThrow('swallowed');
  });

  it('cannot reach into another tenant', async () => {
    const reaching = run((own) => own.query({ tenantId: other.tenantId }, insert('EMP-3', other.tenantId)));
    await expect(reaching).rejects.toThrow('another scope');
  });
});

import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { expectProblem } from './expect-problem';

const LIMIT = 50;

let app: TestApp;
let replica: TestApp;

beforeAll(async () => {
  app = await TestApp.own('changes the application');
  replica = await TestApp.start({ databaseUrl: app.config.databaseUrl });
});
afterAll(async () => {
  await replica.stop();
  await app.stop();
});

const ask = (caller: TestTenant, from = app): Promise<Answer> => from.send(caller, 'GET', '/b2b/v1/moi');
const statuses = (answers: Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Waits for the next minute of the database's clock if fewer than ten seconds are left. */
async function freshMinute(): Promise<void> {
  const { rows } = await app.database.query<{ left: number }>(
    `SELECT 60 - extract(epoch FROM clock_timestamp()) % 60 AS left`,
  );
  const left = Number(rows[0]!.left);
  if (left < 10) await new Promise((resolve) => setTimeout(resolve, left * 1000 + 50));
}

/** Ends the key's minute, as if the time had passed. */
async function nextMinute(caller: TestTenant): Promise<void> {
  await app.database.query('DELETE FROM rate_window WHERE cle_id = $1', [caller.cleId]);
}

beforeEach(freshMinute, 70_000);

describe('the rate limit of a key', () => {
  it('accepts exactly the number of requests in the limit, then 429 Debit.Depasse with Retry-After', async () => {
    const caller = await app.tenant({ limiteParMinute: LIMIT });
    const answers: Answer[] = [];
    for (let request = 0; request < LIMIT + 5; request++) answers.push(await ask(caller));
    expect(answers.slice(0, LIMIT).map(({ status }) => status)).toEqual(Array(LIMIT).fill(200));
    for (const answer of answers.slice(LIMIT)) {
      expectProblem(answer, 429, 'Debit.Depasse');
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(answer.headers.get('ratelimit')).toBe(`"default";r=0;t=${seconds}`);
    }
  });

  it('every response has the policy and the rest, which decreases by one on one replica', async () => {
    const caller = await app.tenant({ limiteParMinute: LIMIT });
    for (let left = LIMIT - 1; left >= 0; left--) {
      const { headers } = await ask(caller);
      expect(headers.get('ratelimit-policy')).toBe(`"default";q=${LIMIT};w=60`);
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"default";r=${left};t=[1-9]\\d?$`));
    }
  });

  it('counts simultaneous requests exactly, also for an odd limit', async () => {
    const caller = await app.tenant({ limiteParMinute: 37 });
    expect(statuses(await Promise.all(Array.from({ length: 100 }, () => ask(caller))))).toEqual({
      200: 37,
      429: 63,
    });
  });

  it('a limit of one accepts one request', async () => {
    const caller = await app.tenant({ limiteParMinute: 1 });
    expect(statuses([await ask(caller), await ask(caller), await ask(caller, replica)])).toEqual({
      200: 1,
      429: 2,
    });
  });

  it.each([LIMIT, 600])(
    'two replicas together never pass %d, and reach 85 %% of it when requests alternate',
    async (limit) => {
      const caller = await app.tenant({ limiteParMinute: limit });
      const answers: Answer[] = [];
      for (let request = 0; request < limit * 1.2; request += 10) {
        const batch = Array.from({ length: 10 }, (_, index) => ask(caller, index % 2 ? replica : app));
        answers.push(...(await Promise.all(batch)));
      }
      const passed = statuses(answers)[200]!;
      expect(passed).toBeLessThanOrEqual(limit);
      expect(passed).toBeGreaterThanOrEqual(limit * 0.85);
    },
  );

  it('a rejected request does no work, on any route', async () => {
    const caller = await app.tenant({ limiteParMinute: 1 });
    await ask(caller);
    const body = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    expectProblem(await app.send(caller, 'POST', '/b2b/v1/employe', body), 429, 'Debit.Depasse');
    expectProblem(await app.send(caller, 'GET', '/admin/v1/clients'), 429, 'Debit.Depasse');
    expect(
      (await app.database.query('SELECT 1 FROM employe WHERE tenant_id = $1', [caller.tenantId])).rowCount,
    ).toBe(0);
  });

  it('belongs to one key: another key of the same client, and other clients, are not affected', async () => {
    const caller = await app.tenant({ limiteParMinute: 2 });
    const issue = { nom: 'Autre', environnement: 'staging', role: 'partenaire' };
    const second = await app.send(app.adminKey, 'POST', `/admin/v1/clients/${caller.clientId}/cles`, issue);
    expect(statuses([await ask(caller), await ask(caller), await ask(caller)])).toEqual({ 200: 2, 429: 1 });
    expect((await app.send(second.json.cle, 'GET', '/b2b/v1/moi')).status).toBe(200);
    expect((await ask(await app.tenant({ limiteParMinute: 2 }))).status).toBe(200);
  });

  it('restarts with the next minute', async () => {
    const other = await TestApp.start({ databaseUrl: app.config.databaseUrl });
    const caller = await app.tenant({ limiteParMinute: 2 });
    expect(statuses([await ask(caller), await ask(caller), await ask(caller)])).toEqual({ 200: 2, 429: 1 });
    await nextMinute(caller);
    // Another replica, which has not counted the earlier minute; the first one uses its own clock.
    expect(statuses([await ask(caller, other), await ask(caller, other), await ask(caller, other)])).toEqual({
      200: 2,
      429: 1,
    });
    await other.stop();
  });

  it('is set per client by an administrator, and null restores the service’s default', async () => {
    const caller = await app.tenant();
    const put = async (limiteParMinute: number | null): Promise<string | null> => {
      const path = `/admin/v1/clients/${caller.clientId}`;
      expect((await app.send(app.adminKey, 'PUT', path, { limiteParMinute })).json).toMatchObject({
        limiteParMinute,
      });
      // A replica that has not cached the key shows the change at once; the others within 5 s.
      const fresh = await TestApp.start({ databaseUrl: app.config.databaseUrl });
      const { headers } = await ask(caller, fresh);
      await fresh.stop();
      return headers.get('ratelimit-policy');
    };
    expect(await put(7)).toBe('"default";q=7;w=60');
    expect(await put(null)).toBe('"default";q=1000000;w=60');
  });

  it('an administrator’s change reaches a replica with the cached key within 5 s, up and down', async () => {
    const caller = await app.tenant({ limiteParMinute: 2 });
    expect(statuses([await ask(caller), await ask(caller), await ask(caller)])).toEqual({ 200: 2, 429: 1 });
    const path = `/admin/v1/clients/${caller.clientId}`;
    await app.send(app.adminKey, 'PUT', path, { limiteParMinute: 5 });
    await new Promise((resolve) => setTimeout(resolve, 4_500));
    // Two of the five are already used.
    const more = [await ask(caller), await ask(caller), await ask(caller), await ask(caller)];
    expect(statuses(more)).toEqual({ 200: 3, 429: 1 });
  });
});

import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JournalRepository } from '../../libs/platform/src/audit/journal.repository';
import { expectProblem } from '../http/expect-problem';
import { planAlone, rowsRead, statementsOf } from '../membership/plans';
import { command, type Ended } from '../setup/command';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { Trail } from './support/trail';

let app: TestApp;
let tenant: TestTenant;
let trail: Trail;
beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
  tenant = await app.tenant();
  trail = new Trail(app, tenant);
  await trail.grow(6);
  const other = { nom: 'Test', environnement: 'production', role: 'partenaire' };
  const { json } = await app.send(app.adminKey, 'POST', `/admin/v1/clients/${tenant.clientId}/cles`, other);
  expect((await app.send(json.cle, 'POST', '/b2b/v1/employeur', { idExterne: 'P', nom: 'P' })).status).toBe(
    201,
  );
});
afterAll(() => app.stop());

const path = (clientId = tenant.clientId, query = ''): string =>
  `/admin/v1/clients/${clientId}/journal${query}`;
const read = (query = ''): Promise<Answer> => app.send(app.adminKey, 'GET', path(undefined, query));

describe('GET /admin/v1/clients/{clientId}/journal', () => {
  it('lists what was done to the client and in both data spaces, oldest first, with exactly these members', async () => {
    const { status, json } = await read();
    expect(status).toBe(200);
    expect(
      json.map(({ environnement, numero, action }: Record<string, unknown>) => [
        environnement,
        numero,
        action,
      ]),
    ).toEqual([
      [null, 1, 'client.creer'],
      [null, 2, 'cle.creer'],
      ...[1, 2, 3, 4, 5, 6].map((numero) => [
        'staging',
        numero,
        `employeur.${['creer', 'modifier', 'supprimer'][(numero - 1) % 3]}`,
      ]),
      [null, 3, 'cle.creer'],
      ['production', 1, 'employeur.creer'],
    ]);
    const [row] = await trail.rows();
    expect(json[2]).toEqual({
      id: row!.id,
      environnement: 'staging',
      numero: 1,
      date: row!.date,
      cleId: tenant.cleId,
      cleNom: 'Test',
      action: 'employeur.creer',
      objetId: row!.objetId,
      requeteId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      empreinte: row!.empreinte.toString('hex'),
      changements: [],
    });
  });

  it('narrows by environment, time and object, and pages through all of it', async () => {
    const all = (await read()).json as { id: string; date: string; objetId: string; environnement: string }[];
    const some = async (query: string): Promise<string[]> =>
      (await read(query)).json.map(({ id }: { id: string }) => id);
    const ids = (keep: (one: (typeof all)[number]) => boolean): string[] =>
      all.filter(keep).map(({ id }) => id);
    expect(await some('?environnement=production')).toEqual(ids((one) => one.environnement === 'production'));
    const { date, objetId } = all[5]!;
    expect(await some(`?depuis=${date}`)).toEqual(ids((one) => one.date >= date));
    expect(await some(`?objetId=${objetId.toUpperCase()}`)).toEqual(ids((one) => one.objetId === objetId));
    expect(await some(`?objetId=${objetId}&environnement=production`)).toEqual([]);
    const paged: string[] = [];
    for (let next: string | undefined = path(undefined, '?limite=3'); next;) {
      const page: Answer = await app.send(app.adminKey, 'GET', next);
      expect(page.json.length).toBeLessThanOrEqual(3);
      paged.push(...page.json.map(({ id }: { id: string }) => id));
      next = /<http:\/\/mandat\.test([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(paged).toEqual(all.map(({ id }) => id));
  });

  it('lists newest first by ordre=desc, and narrows by action, key and times, with pages in either order', async () => {
    interface Entry {
      id: string;
      date: string;
      action: string;
      cleId: string;
      cleNom: string | null;
    }
    const all = (await read()).json as Entry[];
    const some = async (query: string): Promise<string[]> =>
      (await read(query)).json.map(({ id }: { id: string }) => id);
    const ids = (entries: Entry[]): string[] => entries.map(({ id }) => id);
    const of = (keep: (one: Entry) => boolean): string[] => ids(all.filter(keep));
    const backwards = ids(all).reverse();
    expect(await some('?ordre=desc')).toEqual(backwards);
    expect(await some('?ordre=asc')).toEqual(ids(all));
    const paged: string[] = [];
    for (let next: string | undefined = path(undefined, '?ordre=desc&limite=3'); next;) {
      const page: Answer = await app.send(app.adminKey, 'GET', next);
      paged.push(...page.json.map(({ id }: { id: string }) => id));
      next = /<http:\/\/mandat\.test([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(paged).toEqual(backwards);
    expect(await some('?action=employeur.modifier')).toEqual(
      of((one) => one.action === 'employeur.modifier'),
    );
    expect(await some('?action=inconnue.x')).toEqual([]);
    expect(await some(`?cleId=${tenant.cleId.toUpperCase()}`)).toEqual(
      of((one) => one.cleId === tenant.cleId),
    );
    const nil = '00000000-0000-0000-0000-000000000000';
    expect(all.filter(({ cleNom }) => cleNom === null).every(({ cleId }) => cleId === nil)).toBe(true);
    const { date } = all[4]!;
    expect(await some(`?apres=${date}`)).toEqual(of((one) => one.date > date));
    expect(await some(`?avant=${date}`)).toEqual(of((one) => one.date < date));
    expect(await some(`?depuis=${date}&avant=${date}`)).toEqual([]);
  });

  it('refuses who is no administrator, knows no other client, and takes no other parameter', async () => {
    expectProblem(await app.send(tenant, 'GET', path()), 403, 'Cle.RoleInsuffisant');
    expectProblem(await app.send(undefined, 'GET', path()), 401, 'Cle.Invalide');
    for (const id of [randomUUID(), 'x', tenant.tenantId])
      expectProblem(await app.send(app.adminKey, 'GET', path(id)), 404, 'Client.NotFound');
    for (const query of [
      '?objetId=1',
      '?environnement=test',
      '?depuis=hier',
      '?ordre=x',
      '?curseur=x',
      '?cleId=x',
    ])
      expectProblem(await read(query), 400, 'Requete.Invalide');
  });
});

describe('node dist/apps/cli/src/main.js verifier-journal', () => {
  const verify = (...args: string[]): Promise<Ended> =>
    command(
      { DATABASE_URL: app.config.databaseUrl, SECRETS_KEY: app.config.secretsKey.text() },
      'verifier-journal',
      ...args,
    );
  const linesOf = ({ output }: Ended): Record<string, unknown>[] =>
    output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const fileOf = (text: string): string => {
    const file = join(tmpdir(), `${randomUUID()}.jsonl`);
    writeFileSync(file, text);
    return file;
  };

  it('prints where each chain ends and 0; with 1, what was altered since, also by an earlier copy', async () => {
    const whole = await verify();
    expect([whole.code, whole.errors]).toEqual([
      0,
      expect.stringMatching(/^\d+ audit trails with \d+ entries are whole\.\n$/),
    ]);
    const lines = linesOf(whole);
    expect(lines).toContainEqual(await trail.verify());
    expect(lines.map(({ space }) => space)).toEqual(
      expect.arrayContaining([tenant.clientId, tenant.tenantId]),
    );

    const file = fileOf(whole.output);
    const restore = await trail.keep();
    await trail.grow(3);
    const grown = await verify(file);
    expect(grown.code).toBe(0);
    await restore();
    const back = await verify(fileOf(grown.output));
    expect(back.code).toBe(1);
    expect(back.errors).toMatch(/^1 audit trails are not what was written/);

    await trail.sql(
      `UPDATE journal SET action = 'employe.creer' WHERE tenant_id = $1 AND numero = 2`,
      tenant.tenantId,
    );
    const altered = await verify();
    expect(altered.code).toBe(1);
    const { faults } = linesOf(altered).find(({ space }) => space === tenant.tenantId)!;
    expect(faults).toEqual(['entry 2 or its place is not what was written']);
    await restore();
  });

  it('reports a trail that was deleted with its client, and rejects another file', async () => {
    const space = randomUUID();
    const gone = await verify(fileOf(`${JSON.stringify({ space, numero: 1, empreinte: '00' })}\n`));
    expect([gone.code, gone.errors]).toEqual([1, expect.stringContaining(`The trail ${space}`)]);
    for (const text of ['x\n', '{"space":1}\n']) {
      const refused = await verify(fileOf(text));
      expect([refused.code, refused.errors]).toEqual([
        1,
        expect.stringMatching(/^Line 1 of .* printed\.\n$/),
      ]);
    }
  });
});

// At the end, because their entries are in no chain.
describe('a page of long entries', () => {
  it.each(['asc', 'desc'] as const)(
    'ordre=%s ends when a data space has 1.5 MiB of it, and its link leads on',
    async (ordre) => {
      const { clientId, tenantId } = await app.tenant();
      const other = { nom: 'Test', environnement: 'production', role: 'partenaire' };
      await app.send(app.adminKey, 'POST', `/admin/v1/clients/${clientId}/cles`, other);
      const spaces = await app.database.query<{ id: string }>('SELECT id FROM tenant WHERE client_id = $1', [
        clientId,
      ]);
      for (const { id: space } of spaces.rows)
        await app.database.query(
          `INSERT INTO journal (tenant_id, numero, cle_id, action, objet_id, requete_id, empreinte, detail, date_creation)
         SELECT $1, 1000 + n, $1, 'votant.modifier', $1, 'r', '',
           (SELECT json_agg(json_build_object('objetId', gen_random_uuid(), 'operation', 'modifier')) FROM generate_series(1, 1000)),
           now() + n * interval '1 s'
         FROM generate_series(1, $2::int) n`,
          [space, space === tenantId ? 120 : 40],
        );
      const dates: string[] = [];
      let next: string | undefined = path(clientId, `?limite=1000&action=votant.modifier&ordre=${ordre}`);
      for (let pages = 0; next && pages < 20; pages++) {
        const page = await app.send(app.adminKey, 'GET', next);
        // 1.5 MiB and one entry of each of two data spaces.
        expect(Buffer.byteLength(page.text)).toBeLessThan(3.5 * 2 ** 20);
        dates.push(...page.json.map(({ date }: { date: string }) => date));
        next = /<[^>]*(\/admin[^>]*)>/.exec(page.headers.get('link') ?? '')?.[1];
      }
      expect(dates).toHaveLength(160);
      const sorted = [...dates].sort();
      expect(dates).toEqual(ordre === 'asc' ? sorted : sorted.reverse());
    },
  );
});

describe('a page of few entries', () => {
  it.each<[filter: 'action' | 'cleId', ordre: 'asc' | 'desc']>([
    ['action', 'asc'],
    ['action', 'desc'],
    ['cleId', 'asc'],
    ['cleId', 'desc'],
  ])('by %s, ordre=%s, does not read 20,000 others', async (filter, ordre) => {
    const { tenantId } = await app.tenant();
    const rare = { action: 'employeur.creer', cleId: randomUUID() };
    await app.database.query(
      `INSERT INTO journal (tenant_id, numero, cle_id, action, objet_id, requete_id, empreinte, date_creation)
       SELECT $1, n, CASE WHEN n % 7000 = 0 THEN $2::uuid ELSE $1 END, CASE WHEN n % 7000 = 0 THEN $3 ELSE 'employe.creer' END,
         $1, 'r', '', now() + n * interval '1 ms'
       FROM generate_series(1, 20000) n`,
      [tenantId, rare.cleId, rare.action],
    );
    await app.database.query('VACUUM ANALYZE journal');
    const journal = app.app.get(JournalRepository);
    const [page] = await statementsOf(async () => {
      const found = await journal.list(tenantId, { [filter]: rare[filter], ordre }, undefined, 101);
      expect(found.entries.map(({ numero }) => numero)).toEqual(
        ordre === 'asc' ? [7_000, 14_000] : [14_000, 7_000],
      );
    }).then((sent) => sent.filter(({ text }) => text.includes('FROM journal')));
    expect(rowsRead(await planAlone(app, tenantId, page!), ['journal'])).toBeLessThanOrEqual(2);
  });
});

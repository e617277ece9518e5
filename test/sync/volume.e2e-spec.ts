import { setTimeout as sleep } from 'node:timers/promises';
import { depth } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import { countStatements } from './statements';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.own('volume'));
const tenant = perTest(() => app.tenant());

const sync = (body: unknown) => app.send(tenant, 'POST', '/b2b/v1/employe/sync', body);

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const employe = (index: number) => ({
  idExterne: `E-${index}`,
  prenom: `Prénom ${index}`,
  nom: "L'Écuyer",
  courriel: `e${index}@example.org`,
  identifiantExterneEmployeur: `EMP-${index % 10}`,
});
const employeur = (index: number) => ({ idExterne: `EMP-${index}`, nom: `Employeur ${index}` });

async function count(): Promise<number> {
  const text = 'SELECT count(*)::int AS count FROM employe WHERE tenant_id = $1';
  return (await app.database.query<{ count: number }>(text, [tenant.tenantId])).rows[0]!.count;
}

describe('POST /b2b/v1/employe/sync, many records', () => {
  it('20,000 valid ones are created, then updated, then unchanged', async () => {
    const employes = many(20_000, employe);
    const body = { employeurs: many(10, employeur), employes };
    expect((await sync(body)).json).toEqual({ created: 20_010, updated: 0, errors: [] });
    expect(await count()).toBe(20_000);
    const changed = employes.map((record, index) => (index % 2 ? record : { ...record, nom: 'Roy' }));
    expect((await sync({ employes: changed })).json).toEqual({ created: 0, updated: 20_000, errors: [] });
    const text = `SELECT count(*) FILTER (WHERE derniere_maj > date_creation)::int AS rewritten FROM employe WHERE tenant_id = $1`;
    const { rows } = await app.database.query(text, [tenant.tenantId]);
    expect(rows).toEqual([{ rewritten: 10_000 }]);
  });

  it('10,000 invalid ones of every kind are 10,000 errors, in the order sent, among 1,000 valid ones', async () => {
    await sync({ employeurs: many(10, employeur) });
    const bad = (index: number): unknown =>
      [
        null,
        { idExterne: `B-${index}` },
        { ...employe(index), idExterne: `B-${index}`, courriel: 'nobody' },
        { ...employe(index), idExterne: `B-${index}`, identifiantExterneEmployeur: 'NOBODY' },
        { ...employe(0), prenom: 'Double' },
      ][index % 5];
    const { status, json } = await sync({
      employes: [employe(0), ...many(10_000, bad), ...many(999, (i) => employe(i + 1))],
    });
    expect([status, json.created, json.updated, json.errors.length]).toEqual([200, 1_000, 0, 10_000]);
    expect(json.errors.map(({ idExterne }: { idExterne: string }) => idExterne)).toEqual(
      many(10_000, (index) => ['', `B-${index}`, `B-${index}`, `B-${index}`, 'E-0'][index % 5]),
    );
    expect(await count()).toBe(1_000);
  });

  it('takes the same number of statements for 2,000 records as for 5,000, valid and invalid, new and known', async () => {
    const body = (size: number, nom: string) => ({
      employeurs: many(size, employeur),
      objetsConsentement: many(size, (index) => ({ idExterne: `O-${index}`, nom })),
      employes: many(size, (index) => ({
        ...employe(index),
        nom,
        ...(index % 3 ? {} : { courriel: 'nobody' }),
      })),
    });
    await sync(body(2_000, 'A'));
    const few = await countStatements(() => sync(body(2_000, 'B')));
    const lots = await countStatements(() => sync(body(5_000, 'C')));
    expect(await count()).toBe(3_333);
    expect(lots).toBe(few);
    expect(few).toBeGreaterThan(5);
    expect(few).toBeLessThan(36);
  });

  it('negative control: single writes take a number of statements that grows with their number', async () => {
    const create = (size: number, prefix: string) => async (): Promise<void> => {
      for (const record of many(size, employe)) {
        const single = { ...record, idExterne: prefix + record.idExterne, identifiantExterneEmployeur: null };
        expect((await app.send(tenant, 'POST', '/b2b/v1/employe', single)).status).toBe(201);
      }
    };
    const few = await countStatements(create(5, 'A'));
    expect(await countStatements(create(50, 'B'))).toBeGreaterThan(few * 5);
  });

  it('other requests get a response during a large sync', async () => {
    const LARGE = depth(10_000, 50_000);
    const running = sync({
      employes: many(LARGE, (index) => ({ ...employe(index), identifiantExterneEmployeur: null })),
    });
    let finished = false;
    void running.then(() => (finished = true));
    let answered = 0;
    while (!finished) {
      await sleep(20);
      expect((await app.send(tenant, 'GET', '/b2b/v1/employe/E-0')).status).toBeLessThan(500);
      answered++;
    }
    expect((await running).json.created).toBe(LARGE);
    expect(answered).toBeGreaterThan(5);
  });
});

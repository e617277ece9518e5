import { unchanged } from './digests';
import { TestApp } from './test-app';

const startAndStop = async (work = async (_app: TestApp): Promise<unknown> => undefined): Promise<string> => {
  const app = await TestApp.start();
  try {
    await work(app);
  } finally {
    await app.stop();
  }
  return app.dataUrl;
};

describe('TestApp.start', () => {
  it('shares an application and its database; TestApp.own and an own configuration do not', async () => {
    const database = await startAndStop();
    expect(await startAndStop()).toBe(database);
    for (const start of [() => TestApp.own('volume'), () => TestApp.start({ poolSize: 1 })]) {
      const app = await start();
      expect(app.dataUrl).not.toBe(database);
      await app.stop();
    }
    expect(await startAndStop()).toBe(database);
  });

  it('a transaction that a file leaves open ends with it', async () => {
    await startAndStop(({ database }) => database.query('BEGIN; LOCK TABLE employe'));
    const app = await TestApp.start();
    expect((await app.send(await app.tenant(), 'GET', '/b2b/v2/employe')).status).toBe(200);
    await app.stop();
  });

  it.each([
    'CREATE FUNCTION left_behind() RETURNS integer LANGUAGE sql RETURN 1',
    'ALTER TABLE employe DISABLE TRIGGER USER',
    'ALTER TABLE employe NO FORCE ROW LEVEL SECURITY',
    'ALTER TABLE employe ADD CONSTRAINT left_behind CHECK (true)',
    'CREATE INDEX left_behind ON employe (nom)',
    'REVOKE SELECT ON employe FROM mandat_app',
  ])('a file that leaves "%s" fails, and the next one starts another application', async (statement) => {
    const database = await startAndStop();
    await expect(startAndStop((app) => app.database.query(statement))).rejects.toThrow('changed schema');
    expect(await startAndStop()).not.toBe(database);
  });
});

describe('unchanged', () => {
  it('fails after a write for a tenant of the file, and in a file without tenants', () =>
    startAndStop(async (app) => {
      const read = (): Promise<unknown> => app.database.query('SELECT FROM employe');
      await expect(unchanged(app, read)).rejects.toThrow('no tenant');
      const tenant = await app.tenant();
      await unchanged(app, read);
      const employe = { idExterne: 'E-1', prenom: 'P', nom: 'N' };
      const write = () => app.send(tenant, 'POST', '/b2b/v1/employe', employe);
      await expect(unchanged(app, write)).rejects.toThrow('"employe"');
    }));
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ClientsService } from '../../libs/clients/src';
import { Child } from '../http/child-process';
import { expectProblem } from '../http/expect-problem';
import { command } from '../setup/command';
import { asService } from '../setup/service-login';
import { type Answer, TestApp } from '../setup/test-app';
import { perFile } from '../setup/fixtures';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');

const app = perFile(() => TestApp.own('sees all tenants'));

/** Runs the command as an operator does, on the database of the application. */
async function cleAdmin(...args: string[]): Promise<Child> {
  const child = await Child.spawn('cli', { DATABASE_URL: app.config.databaseUrl }, ['cle-admin', ...args]);
  await child.exited;
  return child;
}

const names = async (): Promise<unknown[]> =>
  (
    await app.database.query(
      `SELECT nom, role, tenant_id, prefixe, octet_length(empreinte) AS bytes FROM cle ORDER BY date_creation`,
    )
  ).rows;

describe('node dist/apps/cli/src/main.js cle-admin', () => {
  it('prints a key, alone on its line, that works as an administrator’s; the table has its hash', async () => {
    const made = [await cleAdmin(), await cleAdmin('Équipe 🔑 100 %')];
    for (const child of made) {
      expect([await child.exited, child.errors]).toEqual([0, '']);
      expect(child.output).toMatch(/^mdt_admin_[0-9A-Za-z]{36}\n$/);
      const cle = child.output.trim();
      const client = await app.send(cle, 'POST', '/admin/v1/clients', { nom: cle.slice(-6), modules: [] });
      expect(client.status).toBe(201);
      expect((await app.send(cle, 'GET', '/b2b/v1/moi')).status).toBe(403);
    }
    const [one, other] = made.map(({ output }) => ({ prefixe: output.slice(0, 16), bytes: 32 }));
    expect(await names()).toEqual([
      { nom: 'Administrator', role: 'admin', tenant_id: null, ...one },
      { nom: 'Équipe 🔑 100 %', role: 'admin', tenant_id: null, ...other },
    ]);
  });

  it('ends with 1 and prints no key if the database does not respond or is not migrated', async () => {
    const elsewhere = new URL(app.config.databaseUrl);
    elsewhere.pathname = '/postgres';
    for (const url of ['postgres://127.0.0.1:1/nowhere', elsewhere.href]) {
      const { code, output, errors } = await command({ DATABASE_URL: url }, 'cle-admin');
      expect([code, output]).toEqual([1, '']);
      expect(errors).not.toBe('');
    }
    const wrong = new URL(app.config.databaseUrl);
    wrong.password = 'wrong';
    for (const url of [
      'postgres://u:secret@127.0.0.1:1/nowhere',
      'postgres://localhost:1/nowhere',
      wrong.href,
    ]) {
      const { errors } = await command({ DATABASE_URL: url }, 'cle-admin');
      expect(errors).toMatch(/^The database of DATABASE_URL cannot be used \([^\n]+\): check [^\n]+\n$/);
      expect(errors).not.toContain('secret');
    }
  });

  it.each(['--help', '-h', 'help'])('%s prints the usage, and ends with 0', async (option) => {
    const { code, output, errors } = await command({}, option);
    expect([code, errors]).toEqual([0, '']);
    expect(output).toMatch(/^Usage: /);
  });

  it.each([[''], ['x'.repeat(256)]])('refuses the name "%s" in one line', async (name) => {
    const { code, output, errors } = await command(
      { DATABASE_URL: app.config.databaseUrl },
      'cle-admin',
      name,
    );
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(/^Give the key a name [^\n]+\n$/);
  });

  it('needs only DATABASE_URL, also in production; without it, one line says so', async () => {
    const run = (env: Record<string, string>) =>
      promisify(execFile)(process.execPath, [CLI, 'cle-admin'], { env }).catch((error: unknown) => error);
    const made = await run({ DATABASE_URL: asService(app.config.databaseUrl), NODE_ENV: 'production' });
    expect(made).toMatchObject({ stdout: expect.stringMatching(/^mdt_admin_\w{36}\n$/), stderr: '' });
    const refused = await run({ NODE_ENV: 'production' });
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^DATABASE_URL [^\n]+\n$/),
    });
  });
});

describe('GET and DELETE /admin/v1/cles', () => {
  const CLES = '/admin/v1/cles';
  const keys = (query = ''): Promise<Answer> => app.send(app.adminKey, 'GET', CLES + query);
  const revoke = (id: string): Promise<Answer> => app.send(app.adminKey, 'DELETE', `${CLES}/${id}`);
  const issue = (nom: string) => app.app.get(ClientsService).issueAdminCle(nom);
  beforeEach(async () => {
    await app.database.query(`DELETE FROM cle WHERE role = 'admin'`);
  });

  it('lists administrators’ keys only, oldest first, without secrets and without ADMIN_API_KEY', async () => {
    await app.tenant();
    const made = [await issue('Équipe 🔑'), await issue('Nuit')];
    await app.send(made[0]!.cle, 'GET', CLES);
    const { status, json } = await keys();
    expect(status).toBe(200);
    expect(json).toEqual(
      made.map(({ id, nom, prefixe, dateCreation }, at) => ({
        ...{ id, nom, prefixe, expireLe: null, revoqueLe: null },
        dernierUsage: at === 0 ? expect.any(String) : null,
        dateCreation: dateCreation.toISOString(),
      })),
    );
    const page = await keys('?limite=1');
    expect([page.json, page.headers.get('link')]).toEqual([[json[0]], expect.stringContaining('rel="next"')]);
  });

  it('204 once and again; the key is refused, and stays in the list with its date', async () => {
    const [one, other] = [await issue('Une'), await issue('Autre')];
    for (let time = 0; time < 2; time++) expect((await revoke(one.id)).status).toBe(204);
    expectProblem(await app.send(one.cle, 'GET', CLES), 401, 'Cle.Invalide');
    expect((await app.send(other.cle, 'GET', CLES)).json).toMatchObject([
      { id: one.id, revoqueLe: expect.any(String) },
      { id: other.id, revoqueLe: null },
    ]);
  });

  it('409 Cle.DerniereAdministration for the last that works; two revocations at once leave one', async () => {
    const [one, other] = [await issue('Une'), await issue('Autre')];
    const answers = await Promise.all([revoke(one.id), revoke(other.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expectProblem(
      answers.find(({ status }) => status === 409)!,
      409,
      'Cle.DerniereAdministration',
    );
  });

  it('404 Cle.NotFound for a client’s key, which still works, and for an unknown one', async () => {
    const tenant = await app.tenant();
    await issue('Une');
    for (const id of [tenant.cleId, '00000000-0000-4000-8000-000000000000', 'x'])
      expectProblem(await revoke(id), 404, 'Cle.NotFound');
    expect((await app.send(tenant, 'GET', '/b2b/v1/moi')).status).toBe(200);
  });
});

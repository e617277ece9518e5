import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { MODULES } from '../../libs/access/src/caller';
import { ClientsService } from '../../libs/clients/src';
import { Post } from '../messaging/support/post';
import { TEST_ACTOR } from '../setup/actor';
import { command } from '../setup/command';
import { asService } from '../setup/service-login';
import { cloneTemplate, TestApp, type TestTenant } from '../setup/test-app';

const MOMENT = '2026-01-01T00:00:00Z';

let urls: Record<'principal' | 'nord', string>;
let app: TestApp;
const tenants: TestTenant[] = [];

beforeAll(async () => {
  urls = { principal: await cloneTemplate(), nord: await cloneTemplate() };
  app = await TestApp.start({ databaseUrl: urls.principal, cells: new Map(Object.entries(urls)) });
  for (const cellule of ['principal', 'nord']) {
    const clients = app.app.get(ClientsService);
    const client = await clients.create(TEST_ACTOR, {
      ...{ nom: cellule, modules: [...MODULES], cellule, courrielsEssai: ['example.org'] },
    });
    const wanted = { nom: 'Test', environnement: 'staging', role: 'partenaire' } as const;
    const cle = await clients.issueCle(TEST_ACTOR, client.id, wanted);
    const tenant = { clientId: client.id, tenantId: cle.tenantId!, cleId: cle.id, cle: cle.cle };
    tenants.push(tenant);
    const post = Post.of(app, tenant);
    await post.email({ idExternes: await post.employes(2) });
  }
});
afterAll(() => app.stop());

/** Runs the command as an operator does. */
async function afterRestore(...args: string[]): Promise<{ lines: object[]; errors: string }> {
  const cells = Object.entries(urls).map(([name, url]) => `${name}=${asService(url)}`);
  const env = {
    DATABASE_URL: asService(urls.principal),
    CELLS: cells.join(' '),
    SECRETS_KEY: app.config.secretsKey.text(),
  };
  const { output, errors } = await command(env, 'apres-restauration', MOMENT, ...args);
  const lines = output.split('\n').filter(Boolean);
  return { lines: lines.map((line) => JSON.parse(line) as object), errors };
}

const STOP = /^Stop API, workers and deplacements first/;

describe('apres-restauration --cellule', () => {
  it('an unknown cell or option changes nothing', async () => {
    for (const [args, message] of [
      [['--cellule', 'sud'], /^--cellule must be one of principal, nord\.\n$/],
      [['--cell', 'nord'], /^Usage: /],
    ] as const)
      expect(await afterRestore(...args)).toEqual({ lines: [], errors: expect.stringMatching(message) });
  });

  it('runs while no process uses that cell, and changes only it', async () => {
    const [near, far] = tenants as [TestTenant, TestTenant];
    // The API has connections to both.
    for (const name of ['principal', 'nord'])
      expect((await afterRestore('--cellule', name)).errors).toMatch(STOP);
    await app.app.close();
    const { secretsKey, adminApiKey } = app.config;
    const cells = new Map(Object.entries(urls));
    const other = await TestApp.start({ databaseUrl: urls.principal, cells, secretsKey, adminApiKey });
    try {
      const { clientId: client, tenantId: space, cleId: cle } = far;
      const effacer = (clientId: string) => ({
        effacer: { client: clientId, environnement: 'staging', idExterne: 'E-1' },
      });
      const revoquer = { revoquer: { client, cle } };
      const file = join(tmpdir(), `${randomUUID()}.jsonl`);
      const noted = [effacer(near.clientId), effacer(client), revoquer];
      writeFileSync(file, noted.map((line) => JSON.stringify(line)).join('\n'));
      expect(await afterRestore(file, '--cellule', 'nord')).toEqual({
        errors: '',
        lines: [
          { todo: 'inform', client, nom: 'nord', moment: '2026-01-01T00:00:00.000Z' },
          expect.objectContaining({ done: 'email', client, destinataires: 2 }),
          { done: 'trail', client, space },
          { elsewhere: effacer(near.clientId) },
          { done: effacer(client) },
          { elsewhere: revoquer },
        ],
      });
      const of = async (tenant: TestTenant, path: string) => other.send(tenant, 'GET', path);
      expect((await of(near, '/b2b/v1/employe/E-1')).status).toBe(200);
      expect((await of(far, '/b2b/v1/employe/E-1')).status).toBe(404);
      expect((await afterRestore()).errors).toMatch(STOP);
    } finally {
      await other.stop();
    }
    const all = await afterRestore();
    const trails = all.lines.filter((line) => 'done' in line && line.done === 'trail');
    expect(trails).toHaveLength(4);
  });

  it('stops before moves that the restored cell does not know', async () => {
    const [near, far] = tenants as [TestTenant, TestTenant];
    const connect = async (url: string): Promise<Client> => {
      const client = new Client({ connectionString: url });
      await client.connect();
      return client;
    };
    const [directory, nord] = [await connect(urls.principal), await connect(urls.nord)];
    const note = ({ tenantId }: TestTenant, from: string, to: string): Promise<unknown> =>
      directory.query(
        `INSERT INTO deplacement (tenant_id, cellule_origine, cellule, etat, date_bascule, date_fin)
         VALUES ($1, $2, $3, 'Reussie', now(), now())`,
        [tenantId, from, to],
      );
    try {
      await note(near, 'nord', 'principal');
      await note(far, 'principal', 'nord');
      const unknown = async (): Promise<string[]> => {
        const { lines, errors } = await afterRestore('--cellule', 'nord');
        expect(lines.length > 0).toBe(errors === '');
        return [near, far].filter(({ tenantId }) => errors.includes(tenantId)).map(({ cleId }) => cleId);
      };
      expect(await unknown()).toEqual([near.cleId]);
      await nord.query(`INSERT INTO espace_ferme VALUES ($1, 'infinity')`, [near.tenantId]);
      expect(await unknown()).toEqual([]);
      await nord.query('CREATE TABLE kept AS SELECT * FROM reglage');
      await nord.query('DELETE FROM reglage WHERE tenant_id = $1', [far.tenantId]);
      expect(await unknown()).toEqual([far.cleId]);
      await nord.query('INSERT INTO reglage SELECT * FROM kept ON CONFLICT DO NOTHING; DROP TABLE kept');
    } finally {
      await directory.end();
      await nord.end();
    }
  });

  it('lists data spaces of cells that a restored directory does not have, or has in another cell', async () => {
    const [near, far] = tenants as [TestTenant, TestTenant];
    const strays = async (): Promise<object[]> => {
      const { lines, errors } = await afterRestore('--cellule', 'principal');
      expect(errors).toBe('');
      return lines.filter((line) => 'todo' in line && line.todo === 'space');
    };
    const directory = new Client({ connectionString: urls.principal });
    await directory.connect();
    try {
      await directory.query('DELETE FROM deplacement');
      expect(await strays()).toEqual([]);
      await directory.query(`UPDATE tenant SET cellule = 'nord' WHERE id = $1`, [near.tenantId]);
      await directory.query('DELETE FROM cle WHERE tenant_id = $1', [far.tenantId]);
      await directory.query('DELETE FROM tenant WHERE id = $1', [far.tenantId]);
      expect(await strays()).toEqual([
        { todo: 'space', space: near.tenantId, cellule: 'principal', annuaire: 'nord' },
        { todo: 'space', space: far.tenantId, cellule: 'nord', annuaire: null },
      ]);
    } finally {
      await directory.end();
    }
  });
});

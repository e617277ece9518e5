import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { correct, makeRows } from '../../examples/employees';
import { TestApp, type TestTenant } from '../setup/test-app';

const DEMO = join(__dirname, '../../dist/examples/demo.js');

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built demonstration in an environment of its own. */
function runDemo(env: Record<string, string>): Promise<Run> {
  return new Promise((resolve, reject) => {
    const run: Run = { code: null, stdout: '', stderr: '' };
    const child = spawn(process.execPath, [DEMO], { env: { PATH: process.env.PATH, ...env } });
    child.stdout.setEncoding('utf8').on('data', (text: string) => (run.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (run.stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...run, code }));
  });
}

describe('npm run demo', () => {
  const rows = makeRows(10_000);
  const refused = rows.filter(({ fault }) => fault).length;
  const refusedInTheEnd = correct(rows).filter(({ fault }) => fault).length;
  const accepted = 10_000 - refusedInTheEnd;
  const say = (value: number): string => value.toLocaleString('en-CA');

  describe('against the service', () => {
    let app: TestApp;
    let tenant: TestTenant;

    beforeAll(async () => {
      app = await TestApp.start();
      tenant = await app.tenant();
    });
    afterAll(() => app.stop());

    const demo = (): Promise<Run> => runDemo({ MANDAT_KEY: tenant.cle, PUBLIC_URL: app.url });

    const count = async (sql: string, ...values: unknown[]): Promise<number> => {
      const { rows } = await app.database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`, [
        tenant.tenantId,
        ...values,
      ]);
      return rows[0]!.n;
    };

    const expectAllThere = async (): Promise<void> => {
      expect(await count('employe WHERE tenant_id = $1')).toBe(accepted);
      expect(await count('employeur WHERE tenant_id = $1')).toBe(40);
      const { rows: stored } = await app.database.query<{ id_externe: string; nom: string }>(
        'SELECT id_externe, nom FROM employe WHERE tenant_id = $1',
        [tenant.tenantId],
      );
      const sent = correct(rows).filter(({ fault }) => !fault);
      expect(new Map(stored.map((row) => [row.id_externe, row.nom]))).toEqual(
        new Map(sent.map(({ clean, sent: { nom } }) => [clean.idExterne, (nom as string).trim()])),
      );
    };

    const expectReadable = (stdout: string): void => {
      const lines = stdout.split('\n');
      expect(lines.length).toBeLessThanOrEqual(70);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
      // Neither colours nor cursor movements: the output is no terminal.
      expect(stdout).not.toContain('\u001b');
      expect(stdout).not.toContain(tenant.cle);
    };

    it('creates everybody the first time, updates everybody the second time, and rewrites one', async () => {
      const first = await demo();
      expect(first).toMatchObject({ code: 0, stderr: '' });
      expect(first.stdout).toContain(
        `Would be created ${say(10_040 - refused)}, updated 0, refused ${refused}:`,
      );
      expect(first.stdout).toContain(`created ${say(10_040 - refused)}, updated 0, refused ${refused}, in `);
      expect(first.stdout).toContain(
        `created 0, updated ${say(accepted + 40)}, refused ${refusedInTheEnd}, in `,
      );
      expect(first.stdout).toContain(`the whole list: ${say(accepted)} employees`);
      await expectAllThere();

      const { rows: before } = await app.database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
      const second = await demo();
      expect(second).toMatchObject({ code: 0, stderr: '' });
      expect(second.stdout).toContain(`created 0, updated ${say(10_040 - refused)}, refused ${refused}, in `);
      expect(second.stdout).not.toMatch(/created [1-9]/);
      await expectAllThere();
      expectReadable(second.stdout);
      // The export still has the old telephone of the one employee that the demonstration changes.
      expect(await count('employe WHERE tenant_id = $1 AND derniere_maj > $2', before[0]!.now)).toBe(1);
      expect(await count('employeur WHERE tenant_id = $1 AND derniere_maj > $2', before[0]!.now)).toBe(0);
    });

    it('says in one line that the key is not known', async () => {
      const { code, stdout, stderr } = await runDemo({ MANDAT_KEY: 'mdt_stg_wrong', PUBLIC_URL: app.url });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^\S+ does not know the key: set DATA_DIR and PORT as for `npm start`, or MANDAT_KEY\.\n$/,
      );
    });
  });

  it('says in one line that the service does not run', async () => {
    const PORT = String(await freePort());
    const { code, stdout, stderr } = await runDemo({ MANDAT_KEY: 'k', PORT });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^http:\/\/localhost:\d+ does not answer \(ECONNREFUSED\): run `npm start` .+\.\n$/,
    );
  });

  it('says in one line that there is no key', async () => {
    const { code, stdout, stderr } = await runDemo({ DATA_DIR: mkdtempSync(join(tmpdir(), 'mandat-demo-')) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^No partner key in .+demonstration\.json: run `npm start` .+ MANDAT_KEY\.\n$/);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Child } from '../http/child-process';
import { DemonstrationService } from '../setup/demonstration-service';
import { Shell } from './shell';

const CLI = join(__dirname, '../../dist/apps/cli/src/main.js');

/** Registers an endpoint on this machine, and returns the status of the response. */
async function registered({ url, keys }: DemonstrationService): Promise<number> {
  const { status } = await fetch(`${url}/b2b/v2/webhook`, {
    method: 'POST',
    headers: { 'X-Api-Key': keys.partenaire, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: 'http://localhost:3999/', types: ['adhesion.signee'] }),
  });
  return status;
}

/** Line that a start prints where webhooks may go to this machine. */
const TO_THIS_MACHINE = /WEBHOOK_ALLOW_INSECURE=false/;

describe('npm start with ADMIN_API_KEY', () => {
  // A quotation mark in it would end those of the line that is pasted.
  const ADMIN_API_KEY = `a'b${randomBytes(32).toString('hex')}`;
  let service: DemonstrationService;

  beforeAll(async () => {
    service = await DemonstrationService.start({ ADMIN_API_KEY });
  }, 90_000);
  afterAll(() => service.stop());

  it('prints the keys that it has made, and of the administrator’s only where it is from', () => {
    expect(service.printed).toContain(service.keys.partenaire);
    expect(service.printed).toContain(service.keys.plateforme);
    expect(service.printed).not.toContain(ADMIN_API_KEY.slice(3));
    expect(service.printed).toMatch(/administrator +the value of ADMIN_API_KEY/);
  });

  it('serves commands without DATABASE_URL on its database, where DATA_DIR is the same', async () => {
    const run = promisify(execFile);
    const env = { PATH: process.env.PATH, DATA_DIR: service.dataDir };
    const { stdout } = await run(process.execPath, [CLI, 'cle-admin', 'Seconde'], { env });
    const answer = await fetch(`${service.url}/admin/v1/cles`, { headers: { 'X-Api-Key': stdout.trim() } });
    expect(await answer.json()).toMatchObject([{ nom: 'Seconde' }]);
  });

  it('accepts webhook receivers on this machine, because only this machine reaches it, and says so', async () => {
    expect(await registered(service)).toBe(201);
    expect(service.printed).toMatch(TO_THIS_MACHINE);
  });

  it('leads from / to the documents, and names each of the three', async () => {
    const root = await fetch(service.url, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
    for (const path of ['/docs', '/docs/plateforme', '/docs/admin', '/docs/erreurs'])
      expect(service.printed).toContain(`${service.url}${path}`);
  });

  it('prints a line that takes the key from a terminal in which it is set', async () => {
    const shell = Shell.open();
    try {
      await shell.paste(`ADMIN_API_KEY=${JSON.stringify(ADMIN_API_KEY)}`);
      await shell.paste(service.line);
      const { requests } = await shell.paste(
        'curl -sS -H "X-Api-Key: $MANDAT_ADMIN_KEY" "$MANDAT_URL/admin/v1/clients"',
      );
      expect(requests.map(({ status }) => status)).toEqual([200]);
    } finally {
      shell.close();
    }
  });
});

it('npm start refuses production, which would take receivers on this machine', async () => {
  const child = await Child.spawn('cli', { NODE_ENV: 'production' }, ['start']);
  expect([await child.exited, child.errors]).toEqual([1, expect.stringMatching(/^In production run .+\n$/)]);
});

describe('npm start that gets SIGTERM itself, and has HOST', () => {
  it('takes no receiver on this machine; stops the launcher, the API, the worker and the database, though its shell ends at once', async () => {
    const shell = ['/bin/sh', '-c', '"$@"; exit', 'npm'];
    const service = await DemonstrationService.start(
      { npm_lifecycle_event: 'start', HOST: '0.0.0.0' },
      shell,
    );
    expect([await registered(service), TO_THIS_MACHINE.test(service.printed)]).toEqual([400, false]);
    // Resolves when no process has the shell's output open any more.
    await service.stop();
    await expect(fetch(service.url)).rejects.toThrow();
  }, 90_000);
});

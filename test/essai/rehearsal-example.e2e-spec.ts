import type { INestApplication } from '@nestjs/common';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { perFile } from '../setup/fixtures';
import { TestApp, type TestTenant } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';

const SCRIPT = join(__dirname, '../../dist/examples/rehearsal/rehearse.js');

jest.setTimeout(600_000);

const app = perFile(() => TestApp.own('a worker runs'));
let worker: INestApplication;

beforeAll(async () => {
  worker = await startWorker(app.config);
});
afterAll(() => worker.close());

/** Runs the example. @returns its output, its exit code and its seconds */
async function rehearse(tenant: TestTenant, ...args: string[]): Promise<[string, number, number]> {
  const env = {
    ...process.env,
    MANDAT_URL: app.url,
    MANDAT_KEY: tenant.cle,
    MANDAT_PLATFORM_KEY: (await app.platformOf(tenant)).cle,
  };
  const began = performance.now();
  const { stdout, stderr, code } = await promisify(execFile)(process.execPath, [SCRIPT, ...args], {
    env,
  }).then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
  return [stdout + stderr, code, (performance.now() - began) / 1_000];
}

const digestOf = (output: string): string => /Digest of the rehearsal: (\w{64})/.exec(output)?.[1] ?? output;

describe('examples/rehearsal', () => {
  it('same seed gives the same digest in another data space; another one fails', async () => {
    const [first, code, took] = await rehearse(await app.tenant(), 'a');
    process.stderr.write(`${first}\n`);
    expect(code).toBe(0);
    expect(first).toContain('mandat-verify: egal');
    // It takes half a minute on an idle machine.
    expect(took).toBeLessThan(300);
    const tenant = await app.tenant();
    const [second, ended] = await rehearse(tenant, 'a', digestOf(first));
    expect([digestOf(second), ended]).toEqual([digestOf(first), 0]);
    // Control, in the same data space.
    const [other, failed] = await rehearse(tenant, 'b', digestOf(first));
    expect([other, failed]).toEqual([expect.stringContaining('another digest than'), 1]);
  });
});

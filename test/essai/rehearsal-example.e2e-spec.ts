import type { INestApplication } from '@nestjs/common';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { IS_WHOLE } from '../setup/depth';
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

/** Lines of its steps, in their order. */
const STEPS = [
  /records to create, 40 with faults/,
  /Simulation: .*Motif\.AdhesionActive 5,\d{3}.*Motif\.EmploiTermine \d{3}/,
  /5,\d{3} voters/,
  /Why is somebody not on the roll\?/,
  /On the roll with .*ActifsLe 2024-/,
  /Simulated with that day: 1 voter more/,
  /Day 2: /,
  /has left the roll, .* has another name/,
  /Day 3: /,
  /objects\. The member reads: /,
  /is added\. Now the member reads: /,
  /Day 4: /,
  /Reminder to 2,\d{3} voters: sent 0, held back in staging 2,\d{3}/,
  /Day 6: /,
  /Reminder to 1,\d{3} voters: sent 0, held back in staging 1,\d{3}/,
  /Day 7: /,
  /mandat-verify: egal/,
  /The receiver has got each event/,
];

describe('examples/rehearsal', () => {
  it('goes through its steps, and has the same digest in another data space', async () => {
    // Control: it compares the digest, which is another one here.
    const another = '0'.repeat(64);
    const [first, failed, took] = await rehearse(await app.tenant({ courrielsEssai: [] }), 'a', another);
    process.stderr.write(`${first}\n`);
    expect([first, failed]).toEqual([expect.stringContaining(`another digest than ${another}`), 1]);
    const places = STEPS.map((step) => first.search(step));
    expect(places.filter((place) => place < 0)).toEqual([]);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    // It takes half a minute on an idle machine.
    expect(took).toBeLessThan(300);
    const tenant = await app.tenant({ courrielsEssai: [] });
    const [second, code] = await rehearse(tenant, 'a', digestOf(first));
    expect([digestOf(second), code]).toEqual([digestOf(first), 0]);
    if (!IS_WHOLE) return;
    const [other, ended] = await rehearse(tenant, 'b', digestOf(first));
    expect([other, ended]).toEqual([expect.stringContaining('another digest than'), 1]);
  });
});

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DemonstrationService } from '../setup/demonstration-service';
import { OwnPostgres } from './support/own-postgres';
import { report } from './support/report';

/** The library that moves the clocks of the processes and of PostgreSQL (`.ci/faketime`). */
const LIBRARY = process.env.FAKETIME_LIBRARY;
if (!LIBRARY)
  process.stderr.write(
    'FAKETIME_LIBRARY is not set: FAKETIME_LIBRARY=$(.ci/faketime) names the library; the trial of later dates is skipped.\n',
  );

/** How far the clock is moved after the installation. */
const MOVED = { 'not at all': '+0d', 'a day': '+1d', 'a month': '+31d', 'three years': '+1096d' } as const;

/** Longer than a pause between two purges, the longest of the repeated work. */
const TWO_ROUNDS_MS = 75_000;

/** Work that the worker repeats, by its names in the metrics: the purge has one for each kind of rows. */
const FEWEST_WORKS = 14;

const SECRETS = {
  SECRETS_KEY: randomBytes(32).toString('base64'),
  DOSSIER_SIGNING_KEY: randomBytes(32).toString('base64'),
};

/** Log and metrics of one start of the product. */
interface Shown {
  readonly lines: readonly string[];
  readonly works: readonly string[];
  readonly ready: readonly number[];
  readonly written: number;
}

/** The product as a newcomer starts it, on a copy of an installation. */
class Later {
  private constructor(
    private readonly postgres: OwnPostgres,
    private readonly service: DemonstrationService,
  ) {}

  static async start(installation: string, offset: string): Promise<Later> {
    const copy = await mkdtemp(join(tmpdir(), 'mandat-calendar-'));
    await promisify(execFile)('cp', ['-a', `${installation}/.`, copy]);
    const moved = { LD_PRELOAD: LIBRARY!, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
    const postgres = await OwnPostgres.on(copy, {}, undefined, moved);
    try {
      const env = { DATABASE_URL: postgres.url, LOG_LEVEL: 'warn', ...SECRETS, ...moved };
      return new Later(postgres, await DemonstrationService.start(env));
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  async shown(): Promise<Shown> {
    const seen = await observed(this.service);
    return { lines: linesOf(this.service.printed), ...seen };
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.postgres.stop();
  }
}

async function observed(service: DemonstrationService): Promise<Omit<Shown, 'lines'>> {
  const metrics = await (await fetch(`${service.workerUrl}/metrics`)).text();
  const ready = await Promise.all(
    [service.url, service.workerUrl].map(async (url) => (await fetch(`${url}/health/ready`)).status),
  );
  // A change of master data needs the table of its month.
  const body = JSON.stringify({ idExterne: 'CALENDRIER', prenom: 'Zoé', nom: 'Roy' });
  const headers = { 'X-Api-Key': service.keys.partenaire, 'Content-Type': 'application/json' };
  const { status } = await fetch(`${service.url}/b2b/v1/employe`, { method: 'POST', headers, body });
  const works = [...metrics.matchAll(/^mandat_recurring_work_failures\{.*work="([^"]+)".*\} (\d+)/gm)];
  return { works: works.map(([, work, failures]) => `${failures} ${work}`), ready, written: status };
}

/** Returns log lines of level warn and above, and other lines that name an error. */
const linesOf = (printed: string): string[] =>
  printed
    .split('\n')
    .filter((line) => /"level":(40|50|60)\b/.test(line) || /\b\w*(Error|Warning):/.test(line));

(LIBRARY ? describe : describe.skip)('The product at a later date', () => {
  let installation: string;

  beforeAll(async () => {
    installation = await mkdtemp(join(tmpdir(), 'mandat-installation-'));
    const postgres = await OwnPostgres.start({}, installation);
    const service = await DemonstrationService.start({ DATABASE_URL: postgres.url, ...SECRETS });
    // Its votes are opened, and its first purge ends.
    await wait(5_000);
    await service.stop();
    await postgres.stop();
  }, 120_000);
  afterAll(() => promisify(execFile)('rm', ['-rf', installation]));

  it('logs no warning, repeats its work without a failure, and takes changes', async () => {
    const moves = Object.entries(MOVED);
    const shown: Shown[] = [];
    const started: Later[] = [];
    try {
      // One after the other, because a start keeps both processors busy.
      for (const [, offset] of moves) started.push(await Later.start(installation, offset));
      await wait(TWO_ROUNDS_MS);
      for (const one of started) shown.push(await one.shown());
    } finally {
      await Promise.all(started.map((one) => one.stop()));
    }
    const failed = shown.flatMap(({ works }) => works.filter((work) => !work.startsWith('0 ')));
    report('the clock moved after the installation', {
      trials: moves.map(([name]) => name).join(', '),
      checked: `each time ${shown[0]!.works.length} kinds of repeated work, twice; log, probes, a write`,
      losses: shown.flatMap(({ lines }) => lines).length + failed.length,
    });
    for (const [index, [name]] of moves.entries()) {
      const { lines, works, ready, written } = shown[index]!;
      expect({ name, lines, ready, written }).toEqual({ name, lines: [], ready: [200, 200], written: 201 });
      expect({ name, failed: works.filter((work) => !work.startsWith('0 ')) }).toEqual({ name, failed: [] });
      expect(works.length).toBeGreaterThanOrEqual(FEWEST_WORKS);
    }
  }, 400_000);
});

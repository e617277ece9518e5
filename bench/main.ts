import { cpus } from 'node:os';
import { CARD_LISTS } from './cards';
import { CELLS } from './cells';
import { DELIVERIES } from './deliveries';
import { DOSSIERS } from './dossier';
import { GROWTH } from './growth';
import { optionsOf, UsageError, usageOf } from './options';
import { say } from './progress';
import { READS } from './reads';
import { markdown, type Row } from './report';
import { ROLLS } from './roll';
import { VOTES } from './votes';
import { WRITES } from './writes';
import { WRITES_V2 } from './writes-v2';
import { World } from './world';

/**
 * Compares the product with minimal programs for the same work, alternating, on this machine, and prints a table: the
 * medians, and the product's figure divided by the contestant's. All processes run on 127.0.0.1 and end with the run.
 */

const WORKS = [
  ...READS,
  ...CARD_LISTS,
  ...ROLLS,
  ...VOTES,
  ...DOSSIERS,
  ...DELIVERIES,
  ...WRITES,
  ...WRITES_V2,
  ...GROWTH,
  ...CELLS,
];
async function main(): Promise<void> {
  const { help, quick, works } = optionsOf(process.argv.slice(2), WORKS);
  if (help) {
    console.log(usageOf(WORKS));
    return;
  }
  const effort = quick ? { rounds: 2, seconds: 0.5 } : { rounds: 5, seconds: 1.5 };

  const world = new World();
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupted = true;
      say(`${signal}: ending what was started`);
      void world.stop().finally(() => process.exit(130));
    });
  }
  try {
    await world.start();
    const rows: Row[] = [];
    for (const [index, work] of works.entries()) {
      say(`${work.name} (${index + 1} of ${works.length})`);
      rows.push(...(await work.measure(world, effort)));
    }
    const { rows: version } = await world.database.query<{ server_version: string }>('SHOW server_version');
    console.log(
      `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, PostgreSQL ${version[0]?.server_version}\n`,
    );
    console.log(markdown(rows));
  } catch (error) {
    // Errors caused by the interruption are not reported.
    if (interrupted) await new Promise(() => undefined);
    throw error;
  } finally {
    say('Ending what was started');
    await world.stop();
  }
}

main().catch((error: unknown) => {
  if (error instanceof UsageError) console.error(`${error.message}\n${usageOf(WORKS)}`);
  else console.error(error instanceof Error ? error.stack : error);
  process.exitCode = 2;
});

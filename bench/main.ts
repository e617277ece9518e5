import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { builtAt, commitOf, Comparison } from './against';
import { CARD_LISTS } from './cards';
import { CELLS } from './cells';
import { DELIVERIES } from './deliveries';
import { DOSSIERS } from './dossier';
import { ENCRYPTED } from './encrypted';
import { ENCODED_LISTS } from './encodings';
import { GROWTH } from './growth';
import { optionsOf, UsageError, usageOf } from './options';
import { picture } from './picture';
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
  ...ENCODED_LISTS,
  ...CARD_LISTS,
  ...ROLLS,
  ...VOTES,
  ...DOSSIERS,
  ...ENCRYPTED,
  ...DELIVERIES,
  ...WRITES,
  ...WRITES_V2,
  ...GROWTH,
  ...CELLS,
];
async function main(): Promise<void> {
  const { help, quick, against, picture: file, works } = optionsOf(process.argv.slice(2), WORKS);
  if (help) {
    console.log(usageOf(WORKS));
    return;
  }
  const commit = against === undefined ? undefined : await commitOf(against);
  const comparison = commit === undefined ? undefined : new Comparison(`${against} (${commit.slice(0, 8)})`);
  const rounds = comparison ? { quick: 9, full: 15 } : { quick: 2, full: 5 };
  const effort = quick ? { rounds: rounds.quick, seconds: 0.5 } : { rounds: rounds.full, seconds: 1.5 };

  const world = new World(comparison && { inTurns: comparison.inTurnsOf('ours') });
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      interrupted = true;
      say(`${signal}: ending what was started`);
      void world.stop().finally(() => process.exit(130));
    });
  }
  try {
    const dist = commit && (await builtAt(commit, await world.newFolder()));
    await world.start();
    const other = dist && (await world.newWorld({ dist, inTurns: comparison!.inTurnsOf('theirs') }));
    const rows: Row[] = [];
    for (const [index, work] of works.entries()) {
      say(`${work.name} (${index + 1} of ${works.length})`);
      const measured = other ? comparison!.measure(work, world, other, effort) : work.measure(world, effort);
      rows.push(...(await measured));
    }
    const { rows: version } = await world.database.query<{ server_version: string }>('SHOW server_version');
    const machine = `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, PostgreSQL ${version[0]?.server_version}`;
    console.log(`${machine}\n`);
    console.log(markdown(rows));
    if (file !== undefined) await writeFile(file, picture(rows, machine));
    if (comparison) process.exitCode = conclude(rows);
  } catch (error) {
    // Errors caused by the interruption are not reported.
    if (interrupted) await new Promise(() => undefined);
    throw error;
  } finally {
    say('Ending what was started');
    await world.stop();
  }
}

/** Prints the works that are slower and those that are unclear. @returns the exit code */
function conclude(rows: readonly Row[]): number {
  const worksOf = (met: Row['met']) => rows.filter((row) => row.met === met).map(({ work }) => work);
  const slower = worksOf(false);
  const unclear = worksOf('unclear');
  console.log(`\nMore than 5 % slower: ${slower.join('; ') || 'none'}.`);
  if (unclear.length > 0)
    console.log(`Unclear, to be repeated on a machine that does nothing else: ${unclear.join('; ')}.`);
  return slower.length > 0 ? 1 : 0;
}

main().catch((error: unknown) => {
  console.error(error instanceof UsageError ? `${error.message}\n${usageOf(WORKS)}` : error);
  process.exitCode = 2;
});

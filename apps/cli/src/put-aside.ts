import { ConfigError } from '#platform/ops/config-error';
import type { Config } from '#platform/ops/config';
import { ServiceContext } from './service-context';

/** Prints one line of JSON for each piece of work that was put aside because it ended its worker twice. */
export async function listAside(config: Config): Promise<void> {
  await ServiceContext.use(config, async ({ cells, notes }) => {
    for (const cellule of cells.names)
      for (const piece of await notes.aside(cellule)) console.log(JSON.stringify({ cellule, ...piece }));
  });
}

/**
 * Lets workers run pieces again that were put aside.
 *
 * @throws ConfigError if there is none
 */
export async function takeUp(config: Config, [travail, id]: readonly string[]): Promise<void> {
  if (!travail)
    throw new ConfigError('Name the work, as `mis-de-cote` prints it, and perhaps the id of one piece.');
  let count = 0;
  await ServiceContext.use(config, async ({ cells, notes }) => {
    for (const cellule of cells.names) count += await notes.takeUp(cellule, travail, id);
  });
  if (count === 0) throw new ConfigError('No such piece is put aside.');
  console.log(`${count} taken up again.`);
}

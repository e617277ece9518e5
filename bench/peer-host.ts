import { pathToFileURL } from 'node:url';

/** Runs the server file of the first argument, and ends it with the process that started it. */

process.on('disconnect', () => process.exit());
import(pathToFileURL(process.argv[2]!).href).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

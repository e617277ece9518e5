import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError } from '#platform/ops/config-error';
import type { Config } from '#platform/ops/config';
import { loadConfig } from '#platform/ops/load-config';
import { databasesOf, migrateAll, migrateDown } from './migrate';
import { reasonOf } from '#platform/ops/run-process';
import { hasAtMost } from '#platform/input/faults';
import { textFault } from '#platform/input/characters';

const USAGE = `Usage: npm run cli -- <command>
  start               database, migrations, demonstration tenant, API and worker; not in production
  migrate             apply the migrations that the databases of DATABASE_URL and CELLS lack
  migrate-down [n]    undo the last n migrations (1), in all databases
  cle-admin [name]    make a key for an administrator and print it; needs no secret
  verifier-journal [f] read every audit trail from its beginning; f holds what an earlier run printed. Needs the
                      SECRETS_KEY of the service (where it made its own: DATA_DIR)
  diagnostic [--json] [--hote name] check database, keys, clock, mail server, network and disk, and say what to do; run it where a
                      worker runs, with its variables. name: a public one to look up and reach on 443 (example.com)
  sauvegarde --verifier [path] [--json] restore a base backup (a folder or an archive, or the newest of a folder) into an embedded
                      server, and check audit trails, ballot boxes and counts; without a path, check the restored database of
                      DATABASE_URL. Needs the SECRETS_KEY of the service, and packages of development
  apres-restauration t [f] [--cellule name] after a restore of all databases, or of one cell, to the moment t and before any
                      process uses it: end emails, revoke the keys and erase the persons of the lines of f
                      (docs/operations.md)
  deplacer c e n      move the data space of the client c in the environment e to the cell n (docs/operations.md); needs the
                      login of migrations in DATABASE_URL and CELLS
  deplacements        perform the moves and erasures that administrators request, until it is stopped
  effacements         erase the clients whose erasure administrators have requested, and end
  mis-de-cote         print the pieces of work that were put aside because they ended their worker twice
  identifiants [e s]  bring identifiers that are not in NFC to it, where no other row has them, and print those that were not;
                      with a data space and a suffix, add the suffix to those that another row has. Needs the login of migrations
  reprendre w [id]    let workers run the pieces of the work w again, or one of them
  rechiffrer          encrypt all secrets with the newest key of SECRETS_KEY, attest the audit trails with it, and say which
                      older keys nothing needs any more; may be repeated at any time, also while the service runs`;

/** Loads the whole service only for commands that need it: a migration begins a second earlier. */
export async function main([command, ...rest]: readonly string[], given: NodeJS.ProcessEnv): Promise<void> {
  const [argument] = rest;
  if (command === 'start') return (await import('./start.js')).start();
  const env: NodeJS.ProcessEnv = { ...given };
  env.DATABASE_URL ||= await embeddedUrl(given);
  switch (command) {
    case '--help':
    case '-h':
    case 'help':
      return console.log(USAGE);
    case 'migrate': {
      for (const [name, done] of await migrateAll(databaseUrl(env), env.CELLS)) {
        const place = name === undefined ? '' : `${name}: `;
        console.log(place + (done.length > 0 ? `Applied ${done.join(', ')}.` : 'The schema is up to date.'));
      }
      return;
    }
    case 'migrate-down': {
      const steps = Number(argument ?? 1);
      if (!Number.isInteger(steps) || steps < 1)
        throw new ConfigError('Give the number of migrations to undo.');
      for (const url of databasesOf(databaseUrl(env), env.CELLS).keys()) await migrateDown(url, steps);
      console.log(`Undid ${steps} migration${steps > 1 ? 's' : ''}.`);
      return;
    }
    case 'cle-admin': {
      const { ServiceContext } = await import('./service-context.js');
      return ServiceContext.use(keylessConfig(env), async ({ clients }) => {
        const cle = await clients.issueAdminCle(nameOf(argument));
        console.log(cle.cle);
      });
    }
    case 'verifier-journal':
      return (await import('./verify-journal.js')).verifyJournal(config(env), argument);
    case 'diagnostic': {
      const { json, hote } = optionsOf(rest, { json: { type: 'boolean' }, hote: { type: 'string' } }).values;
      const options = { json: json ?? false, host: hote ?? 'example.com' };
      return (await import('./diagnostic.js')).diagnostic(env, options);
    }
    case 'sauvegarde': {
      const options = { verifier: { type: 'boolean' }, json: { type: 'boolean' } } as const;
      const { values, positionals } = optionsOf(rest, options);
      if (!values.verifier || positionals.length > 1) throw new ConfigError(USAGE);
      const [path] = positionals;
      const { verifyBackup } = await import('./backup.js');
      return verifyBackup(loadConfig(env, 'cli', path && 'postgres://unused'), path, values.json ?? false);
    }
    case 'apres-restauration':
      return (await import('./after-restore.js')).afterRestore(config(env), ...restoreArguments(rest));
    case 'deplacer':
      return (await import('./moves.js')).moveOne(config(env), rest);
    case 'deplacements':
      return (await import('./moves.js')).moveRequested(config(env));
    case 'effacements':
      return (await import('./moves.js')).eraseRequested(config(env));
    case 'mis-de-cote':
      return (await import('./put-aside.js')).listAside(keylessConfig(env));
    case 'identifiants':
      return (await import('./identifiers.js')).listIdentifiers(databaseUrl(env), env.CELLS, rest);
    case 'reprendre':
      return (await import('./put-aside.js')).takeUp(keylessConfig(env), rest);
    case 'rechiffrer':
      return (await import('./reencrypt.js')).reencrypt(config(env));
    default:
      throw new ConfigError(USAGE);
  }
}

/** The service's own configuration, for a command that needs its secrets. */
function config(env: NodeJS.ProcessEnv): Config {
  return loadConfig(env, 'cli', databaseUrl(env));
}

/** @throws ConfigError for other options */
function optionsOf<T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch {
    throw new ConfigError(USAGE);
  }
}

/** The moment, the file and the cell. */
function restoreArguments(args: string[]): [moment?: string, file?: string, cell?: string] {
  const { positionals, values } = optionsOf(args, { cellule: { type: 'string' } });
  return [positionals[0], positionals[1], values.cellule];
}

function nameOf(argument = 'Administrator'): string {
  const name = argument.trim();
  if (name === '' || !hasAtMost(name, 255) || textFault(name))
    throw new ConfigError('Give the key a name of 1 to 255 characters.');
  return name;
}

/** Configuration for commands without secrets, for example `cle-admin`, which makes the first key. */
function keylessConfig(env: NodeJS.ProcessEnv): Config {
  const unused = randomBytes(32).toString('base64');
  return loadConfig({ SECRETS_KEY: unused, ...env }, 'cli', databaseUrl(env));
}

function databaseUrl(env: NodeJS.ProcessEnv): string {
  const url = env.DATABASE_URL;
  if (!url)
    throw new ConfigError('DATABASE_URL is not set: give the URL of the database, or run `npm start`.');
  return url;
}

/** URL of the PostgreSQL of a running `npm start`; empty in production, whose images do not have it, and where none runs. */
async function embeddedUrl(env: NodeJS.ProcessEnv): Promise<string> {
  if (env.NODE_ENV === 'production') return '';
  const { dataDir } = loadConfig(env, 'cli', 'postgres://unused');
  const { runningPostgres } = await import('#embedded-postgres');
  return (await runningPostgres(join(dataDir, 'postgres'))) ?? '';
}

// A test that runs a command in its own process imports this file.
if (require.main === module)
  main(process.argv.slice(2), process.env).catch((error: unknown) => {
    // Never the error as a whole: one of the database carries the values of its statement.
    console.error(reasonOf(error));
    process.exit(1);
  });

import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { nearest } from './csv/nearest.js';
import { UsageFailure } from './failure.js';

export const USAGE = `Usage: mandat COMMAND [options]

  plan FILE       show what a sync would change, by employer; writes nothing but the plan
    --correspondance MAPPING   FILE is CSV; MAPPING says which column is which property
    --vider                    an empty cell clears the value; otherwise it leaves the value alone
    --version 1|2              version of the sync whose body FILE is: 2 if absent
  appliquer ID    do what a plan shows, once
  annuler SYNC    put back what a sync has changed
    --simulation               show what would be put back
    --ignorer-conflits         leave records as they are that have changed since the sync

  --tout          print everything; otherwise long lists are cut
  --json          write one JSON document
  --profil FILE   file with {"url": "https://…", "cle": "mdt_…"}, mode 600
  --help          show this text

Profile: MANDAT_URL and MANDAT_API_KEY, or ~/.config/mandat/profil.json. A key is never an argument.

Exit: 0 done or nothing to do, 1 failed, 2 wrong usage or profile, 3 changes planned, 4 stopped by the brake.
`;

const COMMON = {
  json: { type: 'boolean' },
  tout: { type: 'boolean' },
  profil: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

const COMMANDS = {
  plan: {
    argument: 'FILE',
    options: {
      correspondance: { type: 'string' },
      vider: { type: 'boolean' },
      version: { type: 'string' },
    },
  },
  appliquer: { argument: 'ID', options: {} },
  annuler: {
    argument: 'SYNC',
    options: { simulation: { type: 'boolean' }, 'ignorer-conflits': { type: 'boolean' } },
  },
} as const satisfies Record<string, { argument: string; options: ParseArgsOptionsConfig }>;

export interface Call {
  readonly command: keyof typeof COMMANDS;
  readonly argument: string;
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

/** Returns the command to run; undefined for `--help`. @throws UsageFailure */
export function callOf(args: readonly string[]): Call | undefined {
  if (args.some((arg) => /\bmdt_(prod|stg|admin)_/.test(arg)))
    throw new UsageFailure(
      'A key is not an argument, because other users see arguments. Set MANDAT_API_KEY, and replace this key.',
    );
  if (args.includes('--help') || args.includes('-h')) return undefined;
  const [name, ...rest] = args;
  if (name === undefined) throw wrong('Name a command.');
  const names = Object.keys(COMMANDS);
  const command = names.find((one) => one === name) as keyof typeof COMMANDS | undefined;
  if (!command) {
    const near = nearest(name, names);
    throw wrong(
      `${JSON.stringify(name)} is no command; ${near ? `did you mean ${near}?` : `there are ${names.join(', ')}.`}`,
    );
  }
  const { argument, options } = COMMANDS[command];
  const { values, positionals } = parsed(rest, { ...COMMON, ...options });
  if (positionals.length !== 1 || positionals[0] === '')
    throw wrong(`mandat ${command} takes one ${argument}.`);
  return { command, argument: positionals[0]!, values };
}

function parsed(args: string[], options: ParseArgsOptionsConfig) {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    return { values: values as Call['values'], positionals };
  } catch (error) {
    throw wrong(`${(error as Error).message.split('. ')[0]!}.`);
  }
}

const wrong = (message: string): UsageFailure => new UsageFailure(`${message} See mandat --help.`);

import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { nearest } from './csv/nearest.js';
import { UsageFailure } from './failure.js';

/** An option with its text; `value` names what follows it. */
interface Option {
  readonly value?: string;
  readonly text: string;
}
type Options = Readonly<Record<string, Option>>;

interface Command {
  readonly summary: string;
  readonly argument: string;
  /** Whether the option is necessary. */
  readonly needs?: string;
  readonly options: Options;
  readonly examples: readonly string[];
}

const COMMON: Options = {
  json: { text: 'write JSON' },
  profil: { value: 'FILE', text: 'file with {"url": "https://…", "cle": "mdt_…"}, mode 600' },
  help: { text: 'show the help of a command, with examples' },
};
const WHOLE: Options = { tout: { text: 'print everything; otherwise long lists are cut' } };
const TO: Options = { vers: { value: 'URL', text: 'where your receiver listens' } };

const COMMANDS = {
  plan: {
    summary: 'show what a sync would change, by employer; writes nothing but the plan',
    argument: 'FILE',
    options: {
      correspondance: { value: 'MAPPING', text: 'FILE is CSV; MAPPING says which column is which property' },
      vider: { text: 'an empty cell clears the value; otherwise it leaves the value alone' },
      version: { value: '1|2', text: 'version of the sync whose body FILE is: 2 if absent' },
      ...WHOLE,
    },
    examples: ['mandat plan sync.json', 'mandat plan paie.csv --correspondance correspondance.json --tout'],
  },
  appliquer: {
    summary: 'do what a plan shows, once',
    argument: 'PLAN',
    options: WHOLE,
    examples: ['mandat appliquer 0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21'],
  },
  annuler: {
    summary: 'put back what a sync has changed',
    argument: 'SYNC',
    options: {
      simulation: { text: 'show what would be put back' },
      'ignorer-conflits': { text: 'leave records as they are that have changed since the sync' },
      ...WHOLE,
    },
    examples: ['mandat annuler 0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21 --simulation'],
  },
  ecouter: {
    summary: 'deliver the events of the feed to your receiver, signed, until Ctrl+C',
    argument: '',
    needs: 'vers',
    options: {
      ...TO,
      type: { value: 'TYPE', text: 'only events of this type' },
      'depuis-le-debut': { text: 'the first time: begin with the oldest event, not with the next one' },
      'une-fois': { text: 'end when all events are delivered' },
    },
    examples: [
      'mandat ecouter --vers http://localhost:3999/',
      'mandat ecouter --vers http://localhost:3999/ --type adhesion.signee --une-fois',
    ],
  },
  declencher: {
    summary: 'send an example event to your receiver, signed; with a key of staging only',
    argument: 'TYPE',
    needs: 'vers',
    options: TO,
    examples: ['mandat declencher adhesion.signee --vers http://localhost:3999/'],
  },
  certifier: {
    summary: 'have the service try the receiver of an endpoint by thirteen scenarios',
    argument: 'WEBHOOK',
    options: {},
    examples: ['mandat certifier 0198c2d4-7a10-7f21-8b11-5e9b0c4f6a01'],
  },
  journal: {
    summary: 'show the audit trail of a client, the newest entries first; with a key of an administrator',
    argument: 'CLIENT',
    options: {
      environnement: { value: 'production|staging', text: 'only this data space' },
      action: { value: 'ACTION', text: 'only this action' },
      depuis: { value: 'TIME', text: 'only entries of this time or later' },
      ...WHOLE,
    },
    examples: ['mandat journal 0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21 --action sync.v2 --depuis 2026-03-01'],
  },
  verifier: {
    summary: 'download the bundle of a vote, and count it again',
    argument: 'CAMPAGNE',
    options: {
      cles: {
        value: 'JWKS',
        text: 'public keys that you have kept; otherwise those that the service has now',
      },
      garder: { value: 'FILE', text: 'keep the bundle as FILE' },
      rapport: { value: 'FILE', text: 'write a report for people as HTML' },
      langue: { value: 'fr|en', text: 'language of the output and the report' },
    },
    examples: [
      'mandat verifier 0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21 --cles jwks.json --rapport rapport.html',
    ],
  },
  completion: {
    summary: 'print the completion of a shell',
    argument: 'bash|zsh',
    options: {},
    examples: ['mandat completion bash >> ~/.bashrc', 'mandat completion zsh >> ~/.zshrc'],
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;

const all = Object.entries(COMMANDS) as [CommandName, Command][];

const EXITS =
  'Exit: 0 done or nothing to do, 1 failed, 2 wrong usage or profile, 3 changes planned, 4 stopped by the brake.';
const PROFILE =
  'Profile: MANDAT_URL and MANDAT_API_KEY, or ~/.config/mandat/profil.json. A key is never an argument.';

const written = (name: string, { value }: Option): string => `--${name}${value ? ` ${value}` : ''}`;
const optionLines = (options: Options): string[] =>
  Object.entries(options).map(([name, option]) => `  ${written(name, option).padEnd(29)}  ${option.text}`);
const callLine = (name: string, { argument, needs, options }: Command): string =>
  [name, argument, needs ? written(needs, options[needs]!) : ''].filter(Boolean).join(' ');

/** Help of all commands, or of one with its examples. */
export function usageOf(name?: CommandName): string {
  const lines = name
    ? [
        `Usage: mandat ${callLine(name, COMMANDS[name])} [options]`,
        `  ${COMMANDS[name].summary}`,
        '',
        ...optionLines({ ...COMMANDS[name].options, ...COMMON }),
        ...['', 'Examples:', ...COMMANDS[name].examples.map((example) => `  ${example}`)],
      ]
    : [
        'Usage: mandat COMMAND [options]',
        '',
        ...all.flatMap(([one, command]) => [`  ${callLine(one, command)}`, `      ${command.summary}`]),
        ...['', ...optionLines(COMMON)],
      ];
  return [...lines, '', PROFILE, '', EXITS, ''].join('\n');
}

/** Each command with its options, for completions. */
export function words(): [command: string, options: string[]][] {
  return all.map(([name, { options }]) => [
    name,
    Object.keys({ ...options, ...COMMON }).map((one) => `--${one}`),
  ]);
}

export interface Call {
  readonly command: CommandName;
  readonly argument: string;
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

/** Returns the command to run, or the text of its help. @throws UsageFailure */
export function callOf(args: readonly string[]): Call | string {
  if (args.some((arg) => /\bmdt_(prod|stg|admin)_/.test(arg)))
    throw new UsageFailure(
      'A key is not an argument, because other users see arguments. Set MANDAT_API_KEY, and replace this key.',
    );
  const [name, ...rest] = args;
  if (name === '--help' || name === '-h') return usageOf();
  if (name === undefined) throw wrong('Name a command.');
  const names = all.map(([one]) => one);
  const command = names.find((one) => one === name);
  if (!command) {
    const near = nearest(name, names);
    throw wrong(
      `${JSON.stringify(name)} is no command; ${near ? `did you mean ${near}?` : `there are ${names.join(', ')}.`}`,
    );
  }
  if (rest.includes('--help') || rest.includes('-h')) return usageOf(command);
  const { argument, needs, options }: Command = COMMANDS[command];
  const { values, positionals } = parsed(rest, { ...options, ...COMMON });
  if (positionals.length !== (argument ? 1 : 0) || positionals[0] === '')
    throw wrong(`mandat ${command} takes ${argument ? `one ${argument}` : 'no argument'}.`, command);
  if (needs && values[needs] === undefined)
    throw wrong(`mandat ${command} needs ${written(needs, options[needs]!)}.`, command);
  return { command, argument: positionals[0] ?? '', values };
}

function parsed(args: string[], options: Options) {
  const config: ParseArgsOptionsConfig = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }]),
  );
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: config });
    return { values: values as Call['values'], positionals };
  } catch (error) {
    throw wrong(`${(error as Error).message.split('. ')[0]!}.`);
  }
}

const wrong = (message: string, command?: CommandName): UsageFailure =>
  new UsageFailure(`${message} See mandat ${command ? `${command} ` : ''}--help.`);

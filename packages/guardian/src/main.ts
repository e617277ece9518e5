import process from 'node:process';
import { parseArgs } from 'node:util';
import { libsodium } from '@mandat/ballot/guardians';
import { beginCommand } from './commands/begin.js';
import { decryptCommand } from './commands/decrypt.js';
import { roundCommand } from './commands/round.js';
import { verifyCommand } from './commands/verify.js';
import { EXIT, type ExitCode, Failure } from './failure.js';
import { Prompts } from './prompts.js';
import type { Context } from './session.js';
import { type Language, TEXTS } from './texts.js';

const COMMANDS = ['commencer', 'tour', 'verifier', 'dechiffrer'] as const;
type CommandName = (typeof COMMANDS)[number];

interface Call {
  readonly command: CommandName;
  readonly argument: string;
  readonly secretPath: string;
}

/** The language that is asked for, or that of the system. */
function languageOf(args: readonly string[]): Language {
  const at = args.findIndex((arg) => arg === '--langue' || arg.startsWith('--langue='));
  const given = at < 0 ? undefined : (args[at]!.split('=')[1] ?? args[at + 1]);
  const language = given ?? Intl.DateTimeFormat().resolvedOptions().locale;
  return /^fr\b/i.test(language) ? 'fr' : 'en';
}

/** Returns the command to run; undefined if its help is asked for. @throws Failure */
function callOf(args: string[], language: Language): Call | undefined {
  const texts = TEXTS[language];
  const wrong = (message: string): Failure => new Failure(`${message} ${texts.seeHelp}`, EXIT.usage);
  const options = {
    secret: { type: 'string', default: 'gardien.secret' },
    langue: { type: 'string', default: language },
    help: { type: 'boolean', short: 'h' },
  } as const;
  let parsed;
  try {
    parsed = parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw wrong(`${(error as Error).message.split('. ')[0]!}.`);
  }
  const { values, positionals } = parsed;
  if (values.help) return undefined;
  if (!Object.hasOwn(TEXTS, values.langue)) throw wrong(texts.badLanguage);
  const [name, argument = '', ...others] = positionals;
  const command = COMMANDS.find((one) => one === name);
  if (!command) throw wrong(texts.nameCommand);
  if (command === 'commencer' && argument !== '') throw wrong(texts.noArgument(command));
  if (command !== 'commencer' && (argument === '' || others.length > 0))
    throw wrong(texts.oneArgument(command));
  return { command, argument, secretPath: values.secret };
}

/** Runs the command and returns its exit code. */
async function run(args: string[]): Promise<ExitCode> {
  const language = languageOf(args);
  const texts = TEXTS[language];
  const prompts = new Prompts(texts);
  try {
    const call = callOf(args, language);
    if (!call) {
      process.stdout.write(texts.usage);
      return EXIT.done;
    }
    const context: Context = { texts, prompts, group: await libsodium(), secretPath: call.secretPath };
    return await start(context, call);
  } catch (error) {
    const failure =
      error instanceof Failure ? error : new Failure(texts.unexpected((error as Error).message));
    process.stderr.write(`mandat-gardien: ${failure.message}\n`);
    return failure.exit;
  } finally {
    prompts.close();
  }
}

function start(context: Context, { command, argument }: Call): ExitCode | Promise<ExitCode> {
  switch (command) {
    case 'commencer':
      return beginCommand(context);
    case 'tour':
      return roundCommand(context, argument);
    case 'verifier':
      return verifyCommand(context, argument);
    case 'dechiffrer':
      return decryptCommand(context, argument);
  }
}

process.exitCode = await run(process.argv.slice(2));

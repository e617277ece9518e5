import process from 'node:process';
import { applyCommand } from './commands/appliquer.js';
import { undoCommand } from './commands/annuler.js';
import { certifyCommand } from './commands/certifier.js';
import { completionCommand } from './commands/completion.js';
import { connect, type Context } from './commands/context.js';
import { triggerCommand } from './commands/declencher.js';
import { listenCommand } from './commands/ecouter.js';
import { journalCommand } from './commands/journal.js';
import { planCommand } from './commands/plan.js';
import { verifyCommand } from './commands/verifier.js';
import { EXIT, type ExitCode, Failure, UsageFailure } from './failure.js';
import { print, shown } from './output.js';
import { readProfile } from './profile.js';
import { type Call, callOf } from './usage.js';

/** Runs the command and returns its exit code. */
async function run(args: readonly string[]): Promise<ExitCode> {
  try {
    const call = callOf(args);
    if (typeof call !== 'string') return await start(call);
    process.stdout.write(call);
    return EXIT.done;
  } catch (error) {
    const failure =
      error instanceof Failure
        ? error
        : new Failure(EXIT.failed, `An unexpected error: ${(error as Error).message}`);
    if (args.includes('--json')) print([JSON.stringify(problemOf(failure))]);
    else
      process.stderr.write(
        `mandat: ${[failure.message, ...failure.notes].map((line) => shown(line)).join('\n')}\n`,
      );
    return failure.exit;
  }
}

async function start({ command, argument, values }: Call): Promise<ExitCode> {
  if (command === 'completion') return completionCommand(argument);
  const version = versionOf(values['version']);
  const textOf = (name: string): string | undefined => values[name] as string | undefined;
  const file = textOf('profil');
  const profile = readProfile(file, process.env);
  const context: Context = {
    profile,
    mandat: connect(profile),
    isJson: values['json'] === true,
    isWhole: values['tout'] === true,
    again: file === undefined ? '' : ` --profil ${file}`,
  };
  switch (command) {
    case 'plan':
      return planCommand(context, {
        file: argument,
        mappingFile: textOf('correspondance'),
        clears: values['vider'] === true,
        version,
      });
    case 'appliquer':
      return applyCommand(context, argument);
    case 'annuler':
      return undoCommand(context, argument, {
        isSimulation: values['simulation'] === true,
        ignoresConflicts: values['ignorer-conflits'] === true,
      });
    case 'ecouter':
      return listenCommand(context, {
        ...{ to: textOf('vers')!, type: textOf('type') },
        fromStart: values['depuis-le-debut'] === true,
        once: values['une-fois'] === true,
      });
    case 'declencher':
      return triggerCommand(context, argument, textOf('vers')!);
    case 'certifier':
      return certifyCommand(context, argument);
    case 'journal':
      return journalCommand(context, argument, given(values, 'environnement', 'action', 'depuis'));
    case 'verifier':
      return verifyCommand(context, argument, {
        ...{ keys: textOf('cles'), keep: textOf('garder') },
        passed: Object.entries(given(values, 'rapport', 'langue')).map(
          ([name, value]) => `--${name}=${value}`,
        ),
      });
  }
}

/** Returns the named options that were given. */
const given = (values: Call['values'], ...names: string[]): Record<string, string> =>
  Object.fromEntries(
    names.filter((name) => values[name] !== undefined).map((name) => [name, values[name] as string]),
  );

function versionOf(value: string | boolean | undefined): 1 | 2 {
  if (value === undefined || value === '2') return 2;
  if (value === '1') return 1;
  throw new UsageFailure('--version must be 1 or 2.');
}

/** Problem details (RFC 9457) with the exit code; those of the service keep their members. */
const problemOf = ({ exit, message, members }: Failure): object => ({
  title: exit === EXIT.usage ? 'Wrong usage' : 'The command failed',
  detail: message,
  ...members,
  exitCode: exit,
});

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
process.exitCode = await run(process.argv.slice(2));

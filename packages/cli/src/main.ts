import process from 'node:process';
import { applyCommand } from './commands/appliquer.js';
import { undoCommand } from './commands/annuler.js';
import { connect, type Context } from './commands/context.js';
import { planCommand } from './commands/plan.js';
import { EXIT, type ExitCode, Failure, UsageFailure } from './failure.js';
import { print, shown } from './output.js';
import { readProfile } from './profile.js';
import { type Call, callOf, USAGE } from './usage.js';

/** Runs the command and returns its exit code. */
async function run(args: readonly string[]): Promise<ExitCode> {
  try {
    const call = callOf(args);
    if (call) return await start(call);
    process.stdout.write(USAGE);
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
  const version = versionOf(values['version']);
  const file = values['profil'] as string | undefined;
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
        mappingFile: values['correspondance'] as string | undefined,
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
  }
}

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

import { EXIT, type ExitCode } from '../failure.js';
import { print } from '../output.js';
import { assertNotFailed, type Context, fingerprintLines, nameOf, readCeremony, text } from '../session.js';

/** Checks a ceremony without a secret. */
export function verifyCommand(context: Context, path: string): ExitCode {
  const { texts } = context;
  const ceremony = readCeremony(context, path);
  assertNotFailed(context, ceremony);
  const { round, awaited, parameters } = ceremony;
  print(
    texts.holds(ceremony.files.length),
    texts.loss(parameters.seuil, parameters.gardiens.length),
    ...fingerprintLines(context, ceremony),
    round === undefined
      ? texts.complete(text(ceremony.digest(3)))
      : texts.waiting(round, awaited.map((guardian) => nameOf(ceremony, guardian)).join(', ')),
  );
  return EXIT.done;
}

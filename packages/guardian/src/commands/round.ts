import {
  type CeremonyFile,
  decodeScalar,
  drawPolynomial,
  encodeScalar,
  fingerprintOf,
  type GuardianSecrets,
  makeAgreement,
  makeKeys,
  makeShares,
  type Polynomial,
} from '@mandat/ballot/guardians';
import { EXIT, type ExitCode } from '../failure.js';
import { write } from '../files.js';
import { print } from '../output.js';
import { type Secret, SecretFile } from '../secret-file.js';
import {
  assertNotFailed,
  assertOwn,
  type Context,
  fingerprintLines,
  type Known,
  nameOf,
  readCeremony,
  text,
} from '../session.js';

const bytesOf = (value: string): Uint8Array => new Uint8Array(Buffer.from(value, 'base64url'));

export const secretsOf = ({ graine, transport }: Secret): GuardianSecrets => ({
  seed: bytesOf(graine),
  transport: decodeScalar(bytesOf(transport))!,
});

export const polynomialOf = ({ polynome = [] }: Secret): Polynomial =>
  polynome.map((coefficient) => decodeScalar(bytesOf(coefficient))!);

/** Checks the ceremony and makes this guardian's file of the round that waits for it. */
export async function roundCommand(context: Context, path: string): Promise<ExitCode> {
  const { texts, prompts, secretPath } = context;
  const ceremony = readCeremony(context, path);
  assertNotFailed(context, ceremony);
  const file = SecretFile.open(texts, secretPath, await prompts.phrase());
  const { secret } = file;
  assertOwn(context, file, ceremony);
  const { round } = ceremony;
  if (round === undefined) return completed(context, file, ceremony);
  if (!ceremony.awaited.includes(secret.gardien)) {
    print(texts.yours(round), texts.waiting(round, namesOf(ceremony)));
    return EXIT.done;
  }

  const { gardiens, seuil } = ceremony.parameters;
  print(texts.loss(seuil, gardiens.length), '');
  const before = secret.fichiers[round];
  const made = before ?? (await fileOf(context, file, ceremony, round));
  if (before) print(texts.again);
  const output = `tour-${round}-gardien-${secret.gardien}.json`;
  write(texts, output, `${JSON.stringify(made)}\n`);
  return report(context, file, ceremony, made, output);
}

const namesOf = (ceremony: Known): string =>
  ceremony.awaited.map((guardian) => nameOf(ceremony, guardian)).join(', ');

/** Makes the file of a round. The secret file has it before it is written, because another one for the same round would be cheating. */
async function fileOf(
  context: Context,
  file: SecretFile,
  ceremony: Known,
  round: 1 | 2 | 3,
): Promise<CeremonyFile> {
  const { texts, prompts } = context;
  const { secret } = file;
  const secrets = secretsOf(secret);
  if (round === 1) {
    secret.campagneId = ceremony.parameters.campagneId;
    secret.fichiers[1] = makeKeys(ceremony, secret.gardien, secrets);
  } else if (round === 2) {
    print(...fingerprintLines(context, ceremony), texts.compare);
    if (ceremony.guardians.length > 1) await prompts.confirm(texts.askCompared(texts.yes));
    const polynomial = drawPolynomial(ceremony.parameters.seuil);
    secret.polynome = polynomial.map((coefficient) => text(encodeScalar(coefficient)));
    secret.fichiers[2] = makeShares(ceremony, secret.gardien, secrets, polynomial);
  } else secret.fichiers[3] = makeAgreement(ceremony, secret.gardien, secrets);
  file.save();
  return secret.fichiers[round]!;
}

function report(
  context: Context,
  file: SecretFile,
  ceremony: Known,
  made: CeremonyFile,
  output: string,
): ExitCode {
  const { texts } = context;
  if ('plainte' in made) {
    const { contre } = made.plainte;
    print(texts.madeComplaint(contre, nameOf(ceremony, contre)), texts.written(output));
    return EXIT.failed;
  }
  if (made.tour === 1) print(texts.ownFingerprint(fingerprintOf(made)));
  print(texts.madeRound(made.tour), texts.written(output));
  const fault = ceremony.take(made);
  if (fault) throw new Error(`the own file is wrong: ${fault.nom}`);
  if (ceremony.round === undefined) return completed(context, file, ceremony);
  print(texts.runAgain);
  return EXIT.done;
}

/** Shows the digest of the complete ceremony, and keeps it. */
function completed({ texts }: Context, file: SecretFile, ceremony: Known): ExitCode {
  const digest = text(ceremony.digest(3));
  file.secret.ceremonie = digest;
  file.save();
  print(texts.complete(digest));
  return EXIT.done;
}

import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { checker, type Scrutin } from '@mandat/ballot/check';
import {
  ciphertextsOf,
  type Count,
  countDigest,
  countOf,
  lineOf,
  makeDecryption,
  secretShare,
  type Sums,
} from '@mandat/ballot/guardians';
import { type Box, checkBox } from '../box.js';
import { EXIT, type ExitCode, Failure } from '../failure.js';
import { readText, write } from '../files.js';
import { bar, print, shown } from '../output.js';
import { SecretFile } from '../secret-file.js';
import { assertNotFailed, assertOwn, type Context, type Known, readCeremony, text } from '../session.js';
import { polynomialOf, secretsOf } from './round.js';

const MOST_SCRUTIN_BYTES = 1 << 24;
/** A class of fewer ballots reveals much about each, so the tool warns. */
const FEW_BALLOTS = 5;
const MOST_SUMS_BYTES = 1 << 28;

/** Checks the count in a folder, and decrypts its sums once. */
export async function decryptCommand(context: Context, folder: string): Promise<ExitCode> {
  const { texts, prompts, group, secretPath } = context;
  const ceremony = readCeremony(context, join(folder, 'ceremonie.json'));
  assertNotFailed(context, ceremony);
  if (ceremony.round !== undefined) throw new Failure(texts.noKey);
  const scrutin = readScrutin(context, join(folder, 'scrutin.json'), ceremony);
  const file = SecretFile.open(texts, secretPath, await prompts.phrase());
  assertOwn(context, file, ceremony);

  const ballotsPath = join(folder, 'bulletins.ndjson');
  const sums = readSums(context, join(folder, 'depouillement.json'));
  const sumsDigest = createHash('sha256').update(sums).digest();
  assertOnce(context, file, text(countDigest(await fileDigest(context, ballotsPath), sumsDigest)));

  const progress = bar(texts.checking, statSync(ballotsPath).size);
  const box = await checkBox(texts, group, scrutin, ballotsPath, progress);
  assertSums(context, box.sums, sums);
  const options = scrutin.questions.map(({ Options }) => Options.length);
  const count = countOf(group, options, sums, box.digest)!;
  assertClasses(context, scrutin, count);
  const digest = text(count.digest);
  // The ballots may have changed since the first reading.
  assertOnce(context, file, digest);

  showSummary(context, box, count);
  await confirm(context, ceremony);
  file.secret.depouillement = digest;
  file.save();
  const { secret } = file;
  const secrets = secretsOf(secret);
  const share = secretShare(ceremony, secret.gardien, secrets, polynomialOf(secret));
  const made = makeDecryption(ceremony, count, secret.gardien, { seed: secrets.seed, share });
  const output = `dechiffrement-gardien-${secret.gardien}.json`;
  write(texts, output, `${JSON.stringify(made)}\n`);
  print(texts.written(output));
  return EXIT.done;
}

/** Each of several guardians decrypts once, so another one could be given other sums: they compare the digest. @throws Failure */
async function confirm({ texts, prompts }: Context, { guardians }: Known): Promise<void> {
  if (guardians.length === 1) return prompts.confirm(texts.askDecrypt(texts.yes));
  print(texts.compareDigest);
  return prompts.confirm(texts.askDecryptCompared(texts.yes));
}

/** @throws Failure unless the vote has this campaign, ceremony and key */
function readScrutin({ texts, group }: Context, path: string, ceremony: Known): Scrutin {
  let scrutin: Scrutin;
  try {
    scrutin = JSON.parse(readText(texts, path, MOST_SCRUTIN_BYTES)) as Scrutin;
    checker(group, scrutin);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new Failure(texts.badVote(shown(error.message)));
    throw error;
  }
  const expected = {
    campagneId: ceremony.parameters.campagneId,
    ceremonie: text(ceremony.digest(3)),
    cle: text(group.encode(ceremony.key)),
  };
  const given = { ...scrutin, campagneId: scrutin.campagneId.toLowerCase() };
  for (const [member, value] of Object.entries(expected))
    if (given[member as keyof typeof expected] !== value) throw new Failure(texts.otherVote(member));
  return scrutin;
}

/** The sums as `GET …/chiffrement/depouillement` has them. @returns sommes.ndjson of docs/encrypted-vote.md @throws Failure for another file */
function readSums({ texts }: Context, path: string): string {
  const given = readText(texts, path, MOST_SUMS_BYTES);
  let sommes: unknown;
  try {
    ({ sommes } = JSON.parse(given) as { sommes?: unknown });
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  if (!Array.isArray(sommes) || sommes.some((line) => typeof line !== 'string'))
    throw new Failure(texts.badSums);
  return sommes.map((line: string) => `${line}\n`).join('');
}

/** @throws Failure if the secret has decrypted other sums */
function assertOnce({ texts }: Context, { secret }: SecretFile, digest: string): void {
  if (secret.depouillement !== undefined && secret.depouillement !== digest)
    throw new Failure(texts.otherCount(secret.depouillement, digest));
}

async function fileDigest({ texts }: Context, path: string): Promise<Uint8Array> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  } catch (error) {
    throw new Failure(texts.unreadable(shown(path), (error as NodeJS.ErrnoException).code ?? ''));
  }
  return hash.digest();
}

/** @throws Failure unless the text has the sums, byte by byte */
function assertSums({ texts }: Context, sums: Sums<Uint8Array>, given: string): void {
  const lines = given.split('\n');
  let at = 0;
  for (const line of sums.lines())
    if (lineOf(line) !== `${lines[at++]}\n`) throw new Failure(texts.sumsDiffer(at));
  if (lines.length !== at + 1 || lines[at] !== '') throw new Failure(texts.sumsDiffer(at + 1));
}

/** @throws Failure if a class has fewer ballots than the vote's threshold */
function assertClasses({ texts }: Context, { seuilAnonymat }: Scrutin, { classes }: Count<Uint8Array>): void {
  const small = classes.find(({ ballots }) => ballots < seuilAnonymat);
  if (small) throw new Failure(texts.smallClass(small.classe, small.ballots, seuilAnonymat));
}

function showSummary({ texts }: Context, { ballots }: Box, count: Count<Uint8Array>): void {
  const smallest = Math.min(...count.classes.map((one) => one.ballots));
  print(
    texts.checked,
    texts.summary(ballots, count.classes.length, smallest, ciphertextsOf(count).length),
    ...(smallest < FEW_BALLOTS ? [texts.fewBallots(smallest)] : []),
    texts.digest(text(count.digest)),
    texts.once,
  );
}

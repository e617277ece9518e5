import { type Answers, type EncryptedAnswers, readAnswers, readEncrypted } from './answers.js';
import { Archive } from './archive.js';
import {
  BALLOTS,
  Bundle,
  CEREMONY,
  CHECKPOINTS,
  DECRYPTIONS,
  ENCRYPTED,
  type Manifest,
  MANIFEST,
  questionFile,
  readManifest,
  readVote,
  RECEIPTS,
  RESULTS,
  ROLL,
  SIGNATURE,
  SUMS,
  type Vote,
  VOTE,
} from './bundle.js';
import { sha256 } from './bytes.js';
import { Findings, Unreadable } from './findings.js';
import { assertSigned, type Key, textOf } from './keys.js';
import { checkLog, type Given, type Held, type HeldReceipt } from './log.js';
import { type Progress } from './progress.js';
import { checkResults, recount, type Recounted } from './results.js';
import { checkRegister, checkRoll, type Marked } from './roll.js';

export interface Input {
  readonly bundle: string;
  readonly keys: readonly Key[];
  readonly held: Held;
  readonly voters: readonly Given[];
  readonly register?: string;
  readonly progress?: Progress;
}

export interface Outcome {
  readonly findings: Findings;
  /** The digest of the bundle: the SHA-256 of its manifest. */
  readonly digest: string;
  readonly manifest: Manifest;
  readonly vote?: Vote;
  readonly recounted: readonly Recounted[];
  /** The answers of the recounted questions. */
  readonly answers: readonly Answers[];
}

/** Checks and recounts a bundle. @throws Unreadable if it cannot be read. */
export async function verifyBundle(input: Input): Promise<Outcome> {
  const archive = Archive.open(input.bundle);
  try {
    const bundle = new Bundle(archive);
    const outcome = checkBundle(bundle, input);
    const { manifest, vote, answers, marked, held, findings } = outcome;
    if (vote?.chiffrement) {
      // Other votes do not load the curve.
      const { checkEncrypted } = await import('./encrypted/check.js');
      const progress = input.progress ?? SILENT;
      const known = { ...held, ...(marked ? { marked } : {}) };
      await checkEncrypted(bundle, manifest, vote, answers as EncryptedAnswers[], known, findings, progress);
    }
    return outcome;
  } finally {
    archive.close();
  }
}

/** Does the same as `verifyBundle`, synchronously. @throws Unreadable also if the vote is encrypted, because its checks use threads */
export function verifyPlain(input: Input): Outcome {
  const archive = Archive.open(input.bundle);
  try {
    const outcome = checkBundle(new Bundle(archive), input);
    if (outcome.manifest.version === ENCRYPTED)
      throw new Unreadable('The vote is encrypted. Check it with verifyBundle.');
    return outcome;
  } finally {
    archive.close();
  }
}

const SILENT: Progress = () => () => {};

/** The receipts of voters and witnesses, and the voters whose line of the roll is given. */
interface HeldByVoters {
  readonly receipts: readonly HeldReceipt[];
  readonly voters: readonly string[];
}

function checkBundle(
  bundle: Bundle,
  input: Input,
): Outcome & { readonly marked?: Marked; readonly held: HeldByVoters } {
  const findings = new Findings();
  const progress = input.progress ?? SILENT;
  const manifest = readManifest(bundle);
  const bytes = bundle.bytes(MANIFEST);
  const signed = findings.begin();
  findings.attempt(SIGNATURE, () => assertSigned(textOf(bundle.bytes(SIGNATURE)), bytes, input.keys));
  signed({
    en: 'manifeste.jws: signed by a key of the service',
    fr: 'manifeste.jws : signé par une clé du service',
  });
  checkFiles(bundle, manifest, findings, progress);
  checkTotals(manifest, findings);

  const vote = readVote(bundle, manifest, findings);
  const names = [VOTE, ...(vote?.questions ?? []).map((_, place) => questionFile(place))];
  const listed = manifest.fichiers.map(({ nom }) => nom);
  if (vote) {
    const encrypted = vote.chiffrement ? [CEREMONY, BALLOTS, SUMS, DECRYPTIONS] : [];
    const expected = [...names, RECEIPTS, ROLL, ...encrypted, CHECKPOINTS, RESULTS];
    findings.same(MANIFEST, 'names of fichiers', expected.join(' '), listed.join(' '));
  }
  const results = findings.attempt(RESULTS, () => bundle.json(RESULTS));
  const { answers, recounted } = countAll(bundle, vote, findings, progress);
  if (vote && recounted.length === vote.questions.length && results !== undefined)
    checkResults(results, vote, manifest, recounted, answers, findings);

  const step = progress('log', manifest.recus);
  let done = 0;
  const receipts = checkLog(bundle, manifest, input.keys, input.held, findings, (now) => {
    step(now - done);
    done = now;
  });
  const { leaves, voters = [] } = checkRoll(bundle, manifest, input.voters, findings) ?? {};
  const marked =
    leaves && input.register !== undefined
      ? checkRegister(
          input.register,
          leaves,
          manifest,
          vote,
          results,
          findings,
          progress('roll', leaves.length * 8),
        )
      : undefined;
  const digest = sha256(bytes).toString('hex');
  return {
    ...{ findings, digest, manifest, recounted, answers, held: { receipts, voters } },
    ...(vote ? { vote } : {}),
    ...(marked ? { marked } : {}),
  };
}

/** Compares the archive with the manifest: the files, their order, sizes and digests. */
function checkFiles(bundle: Bundle, { fichiers }: Manifest, findings: Findings, progress: Progress): void {
  const checked = findings.begin();
  const expected = [MANIFEST, SIGNATURE, ...fichiers.map(({ nom }) => nom)];
  const found = bundle.archive.entries.map(({ name }) => name);
  for (let place = 0; place < Math.max(expected.length, found.length); place++)
    findings.same('archive', `file ${place + 1}`, expected[place] ?? 'none', found[place] ?? 'none');
  const step = progress(
    'digests',
    fichiers.reduce((sum, { octets }) => sum + octets, 0),
  );
  for (const { nom, octets, sha256: digest } of fichiers)
    findings.attempt(nom, () => {
      const entry = bundle.entry(nom);
      findings.same(nom, 'octets', octets, entry.size);
      findings.same(
        nom,
        'sha256',
        digest.toString('hex'),
        bundle.archive.digest(entry, step).toString('hex'),
      );
    });
  checked({
    en: `manifeste.json: order, sizes and digests of ${fichiers.length} files`,
    fr: `manifeste.json : ordre, tailles et empreintes de ${fichiers.length} fichiers`,
  });
}

function checkTotals(manifest: Manifest, findings: Findings): void {
  const checked = findings.begin();
  const { totalVotants, totalVotantsAvecDroitDeVote, votantsAyantVote, bulletins, recus } = manifest;
  const { poidsVotants, poidsVotantsAvecDroitDeVote, poidsBulletins } = manifest;
  const same = findings.same.bind(findings, MANIFEST);
  same('bulletins, which votantsAyantVote has', votantsAyantVote, bulletins);
  same('recus, of which each ballot has one', bulletins, recus);
  same(
    'votantsAyantVote <= totalVotantsAvecDroitDeVote',
    true,
    votantsAyantVote <= totalVotantsAvecDroitDeVote,
  );
  same('totalVotantsAvecDroitDeVote <= totalVotants', true, totalVotantsAvecDroitDeVote <= totalVotants);
  same('poidsBulletins <= poidsVotantsAvecDroitDeVote', true, poidsBulletins <= poidsVotantsAvecDroitDeVote);
  same('poidsVotantsAvecDroitDeVote <= poidsVotants', true, poidsVotantsAvecDroitDeVote <= poidsVotants);
  checked({
    en: 'manifeste.json: totals of ballots, receipts, voters and weights against each other',
    fr: 'manifeste.json : totaux des bulletins, reçus, électeurs et poids entre eux',
  });
}

function countAll(
  bundle: Bundle,
  vote: Vote | undefined,
  findings: Findings,
  progress: Progress,
): { answers: Answers[]; recounted: Recounted[] } {
  const answers: Answers[] = [];
  const recounted: Recounted[] = [];
  for (const place of vote?.questions.keys() ?? []) {
    const size = bundle.archive.entries.find(({ name }) => name === questionFile(place))?.size ?? 0;
    const read = vote!.chiffrement
      ? readEncrypted(bundle, vote!, place, findings)
      : readAnswers(bundle, vote!, place, findings, progress(`question ${place + 1}`, size));
    if (!read) break;
    answers.push(read);
    const counted = findings.attempt(questionFile(place), () => recount(vote!, place, read, findings));
    if (!counted) break;
    recounted.push(counted);
  }
  return { answers, recounted };
}

import { createHash } from 'node:crypto';
import { type Answers, readAnswers } from './answers.js';
import { Archive } from './archive.js';
import {
  Bundle,
  CHECKPOINTS,
  type Manifest,
  MANIFEST,
  questionFile,
  readManifest,
  readVote,
  RECEIPTS,
  RESULTS,
  ROLL,
  SIGNATURE,
  type Vote,
  VOTE,
} from './bundle.js';
import { sha256 } from './bytes.js';
import { Findings } from './findings.js';
import { assertSigned, type Key, textOf } from './keys.js';
import { checkLog, type Given, type Held } from './log.js';
import { checkResults, recount, type Recounted } from './results.js';
import { checkRegister, checkRoll } from './roll.js';

/** Begins a step of `all` bytes or items and returns the function that reports progress in it. */
export type Progress = (step: string, all: number) => (more: number) => void;

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
export function verifyBundle(input: Input): Outcome {
  const archive = Archive.open(input.bundle);
  try {
    return checkBundle(new Bundle(archive), input);
  } finally {
    archive.close();
  }
}

function checkBundle(bundle: Bundle, input: Input): Outcome {
  const findings = new Findings();
  const progress = input.progress ?? ((): (() => void) => () => {});
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
    const expected = [...names, RECEIPTS, ROLL, CHECKPOINTS, RESULTS];
    findings.same(MANIFEST, 'names of fichiers', expected.join(' '), listed.join(' '));
  }
  const results = findings.attempt(RESULTS, () => bundle.json(RESULTS));
  const { answers, recounted } = countAll(bundle, vote, findings, progress);
  if (vote && recounted.length === vote.questions.length && results !== undefined)
    checkResults(results, vote, manifest, recounted, answers, findings);

  const step = progress('log', manifest.recus);
  let done = 0;
  checkLog(bundle, manifest, input.keys, input.held, findings, (now) => {
    step(now - done);
    done = now;
  });
  const leaves = checkRoll(bundle, manifest, input.voters, findings);
  if (leaves && input.register !== undefined)
    checkRegister(
      input.register,
      leaves,
      manifest,
      vote,
      results,
      findings,
      progress('roll', leaves.length * 8),
    );
  const digest = sha256(bytes).toString('hex');
  return { findings, digest, manifest, ...(vote ? { vote } : {}), recounted, answers };
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
      const hash = createHash('sha256');
      for (const chunk of bundle.archive.chunks(entry)) {
        hash.update(chunk);
        step(chunk.length);
      }
      findings.same(nom, 'sha256', digest.toString('hex'), hash.digest('hex'));
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
    const read = readAnswers(bundle, vote!, place, findings, progress(`question ${place + 1}`, size));
    if (!read) break;
    answers.push(read);
    const counted = findings.attempt(questionFile(place), () => recount(vote!, place, read, findings));
    if (!counted) break;
    recounted.push(counted);
  }
  return { answers, recounted };
}

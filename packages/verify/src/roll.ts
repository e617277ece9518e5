import { closeSync, openSync, readSync } from 'node:fs';
import { type Bundle, type Manifest, RESULTS, ROLL, type Vote } from './bundle.js';
import { sha256 } from './bytes.js';
import { type Findings, Malformed, Unreadable } from './findings.js';
import { canonical, parsed, parsedCanonical } from './json.js';
import { type Given } from './log.js';
import { DIGEST } from './merkle.js';
import { filterKey, weightText } from './results.js';
import { digest, flag, nullable, record, text, weight } from './shapes.js';

const LEAF = Buffer.of(0);
const LONGEST_LINE = 1 << 16;

const members = {
  ADroitDeVote: flag,
  AVote: flag,
  EmployeurIdentifiantExterne: nullable(text),
  Poids: weight,
  SyndicatIdExterne: nullable(text),
  VotantId: text,
};
const lineShape = record(members);
const saltedShape = record({ ...members, Sel: digest('base64url') });
const proofShape = record({
  VotantId: text,
  Ligne: text,
  Sel: digest('base64url'),
  Feuille: digest('base64url'),
});

/** Returns the place of a leaf in the sorted leaves; -1 if it is not among them. */
function placeOf(leaves: Buffer, leaf: Buffer): number {
  let [from, to] = [0, leaves.length / DIGEST];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const order = leaf.compare(leaves, middle * DIGEST, (middle + 1) * DIGEST);
    if (order === 0) return middle;
    if (order < 0) to = middle;
    else from = middle + 1;
  }
  return -1;
}

/** Checks the leaves of the roll and the voters' own lines. Returns the leaves and the identifiers in these lines. */
export function checkRoll(
  bundle: Bundle,
  manifest: Manifest,
  proofs: readonly Given[],
  findings: Findings,
): { readonly leaves: Buffer; readonly voters: readonly string[] } | undefined {
  const checked = findings.begin();
  const leaves = findings.attempt(ROLL, () => bundle.digests(ROLL));
  if (!leaves) return undefined;
  findings.same(ROLL, 'number of leaves', manifest.totalVotants, leaves.length / DIGEST);
  for (let at = DIGEST; at < leaves.length; at += DIGEST)
    if (leaves.compare(leaves, at - DIGEST, at, at, at + DIGEST) <= 0) {
      findings.differs(ROLL, `leaf ${at / DIGEST}`, 'more than the one before', 'another order');
      break;
    }
  checked({
    en: `liste.bin: number of leaves (${leaves.length / DIGEST}) and their order`,
    fr: `liste.bin : nombre de feuilles (${leaves.length / DIGEST}) et leur ordre`,
  });
  const voters = proofs.flatMap(({ name, bytes }) => {
    const voter = findings.attempt(name, () => {
      const ofVoter = findings.begin();
      const { VotantId, Ligne, Sel, Feuille } = proofShape(parsed(bytes), '');
      const line = lineShape(parsedCanonical(Buffer.from(Ligne)), 'Ligne');
      findings.same(name, 'VotantId of Ligne', VotantId, line.VotantId);
      const leaf = sha256(LEAF, Sel, Buffer.from(Ligne));
      findings.same(name, 'Feuille', leaf.toString('base64url'), Feuille.toString('base64url'));
      if (placeOf(leaves, leaf) < 0) throw new Malformed('leaf', 'in liste.bin', leaf.toString('base64url'));
      ofVoter({
        en:
          `${name}: voter ${VotantId} is on the roll, ${line.ADroitDeVote ? 'with' : 'without'} the right to vote, ` +
          `with weight ${weightText(line.Poids)}, and ${line.AVote ? 'has voted' : 'has not voted'}`,
        fr:
          `${name} : l’électeur ${VotantId} est sur la liste, ${line.ADroitDeVote ? 'avec' : 'sans'} droit de vote, ` +
          `avec un poids de ${weightText(line.Poids)}, et ${line.AVote ? 'a voté' : 'n’a pas voté'}`,
      });
      return VotantId;
    });
    return voter ?? [];
  });
  return { leaves, voters };
}

/** Yields the lines of a file of any length. @throws Unreadable if it cannot be read. */
function* linesOf(path: string, progress: (bytes: number) => void): Generator<Buffer> {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw new Unreadable(`${path} cannot be opened (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.allocUnsafe(1 << 20);
      const read = readSync(file, chunk);
      progress(read);
      const bytes: Buffer = Buffer.concat([rest, chunk.subarray(0, read)]);
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        yield bytes.subarray(from, end);
        from = end + 1;
      }
      rest = bytes.subarray(from);
      if (rest.length > LONGEST_LINE)
        throw new Malformed('line', `at most ${LONGEST_LINE} bytes`, 'a longer one');
      if (read === 0) break;
    }
    if (rest.length > 0) yield rest;
  } finally {
    closeSync(file);
  }
}

interface Turnout {
  all: number;
  entitled: number;
  voted: number;
}

/** The voters whom the roll marks as having voted. */
export interface Marked {
  readonly file: string;
  readonly voters: { readonly VotantId: string; readonly Poids: bigint; readonly line: number }[];
}

/**
 * Compares the whole roll (`emargement`) with the leaves, the totals and the participation of filters. Returns the voters who have
 * voted, if the vote is encrypted.
 */
export function checkRegister(
  path: string,
  leaves: Buffer,
  manifest: Manifest,
  vote: Vote | undefined,
  results: unknown,
  findings: Findings,
  progress: (bytes: number) => void,
): Marked {
  const checked = findings.begin();
  const marked: Marked = { file: path, voters: [] };
  const isSeen = new Uint8Array(leaves.length / DIGEST);
  const voters = new Set<string>();
  const turnouts = new Map<string, Turnout>();
  const sums = { all: 0n, entitled: 0n, voted: 0n };
  let finest = 0;
  let number = 0;
  const add = (key: string, entitled: boolean, voted: boolean): void => {
    const turnout = turnouts.get(key) ?? { all: 0, entitled: 0, voted: 0 };
    turnout.all++;
    turnout.entitled += Number(entitled);
    turnout.voted += Number(voted);
    turnouts.set(key, turnout);
  };
  findings.attempt(path, () => {
    for (const bytes of linesOf(path, progress)) {
      const at = ++number;
      findings.attempt(
        path,
        () => {
          const value = parsed(bytes);
          const { Sel, ...voter } = saltedShape(value, '');
          const line: Record<string, unknown> = { ...(value as object) };
          delete line['Sel'];
          const place = placeOf(leaves, sha256(LEAF, Sel, Buffer.from(canonical(line))));
          if (place < 0) throw new Malformed(`leaf of ${voter.VotantId}`, 'in liste.bin', 'missing');
          if (isSeen[place]) throw new Malformed('line', 'once', `twice: ${voter.VotantId}`);
          isSeen[place] = 1;
          if (voters.size === voters.add(voter.VotantId).size)
            throw new Malformed('VotantId', 'once', `twice: ${voter.VotantId}`);
          const { ADroitDeVote, AVote, Poids } = voter;
          if (AVote && !ADroitDeVote)
            throw new Malformed('ADroitDeVote of a voter who has voted', 'true', 'false');
          sums.all += Poids;
          if (ADroitDeVote) sums.entitled += Poids;
          if (AVote) {
            sums.voted += Poids;
            if (vote?.chiffrement) marked.voters.push({ VotantId: voter.VotantId, Poids, line: at });
            finest = Math.max(finest, (weightText(Poids).split('.')[1] ?? '').length);
          }
          const [union, employer] = [voter.SyndicatIdExterne, voter.EmployeurIdentifiantExterne];
          const keys = [
            filterKey(null, null),
            filterKey(union, employer),
            filterKey(union, null),
            filterKey(null, employer),
          ];
          for (const key of new Set(keys)) add(key, ADroitDeVote, AVote);
        },
        at,
      );
    }
  });
  const { all, entitled, voted } = turnouts.get(filterKey(null, null)) ?? { all: 0, entitled: 0, voted: 0 };
  const same = findings.same.bind(findings, path);
  same('leaves without a line', 0, isSeen.length - isSeen.reduce((sum, one) => sum + one, 0));
  same('totalVotants', manifest.totalVotants, all);
  same('totalVotantsAvecDroitDeVote', manifest.totalVotantsAvecDroitDeVote, entitled);
  same('votantsAyantVote', manifest.votantsAyantVote, voted);
  same('poidsVotants', weightText(manifest.poidsVotants), weightText(sums.all));
  same(
    'poidsVotantsAvecDroitDeVote',
    weightText(manifest.poidsVotantsAvecDroitDeVote),
    weightText(sums.entitled),
  );
  same(
    'weight of the voters who have voted (poidsBulletins)',
    weightText(manifest.poidsBulletins),
    weightText(sums.voted),
  );
  for (const [index, { Decimales }] of (vote?.questions ?? []).entries())
    if (Decimales > finest)
      findings.differs(
        path,
        `decimals of the finest weight, for questions[${index}].Decimales`,
        Decimales,
        finest,
      );
  checked({
    en: `${path}: leaves of ${number} lines, totals and weights`,
    fr: `${path} : feuilles de ${number} lignes, totaux et poids`,
  });
  checkTurnouts(results, turnouts, findings);
  return marked;
}

function checkTurnouts(results: unknown, turnouts: ReadonlyMap<string, Turnout>, findings: Findings): void {
  const filters = (results as { filtres?: unknown } | null | undefined)?.filtres;
  if (!Array.isArray(filters)) return;
  const checked = findings.begin();
  for (const [index, item] of filters.entries()) {
    const filter = (item ?? {}) as Record<string, unknown>;
    const [union, employer] = [filter['syndicatIdExterne'], filter['employeurIdentifiantExterne']];
    if (
      (union === null || typeof union === 'string') &&
      (employer === null || typeof employer === 'string')
    ) {
      const { all, entitled, voted } = turnouts.get(filterKey(union, employer)) ?? {
        all: 0,
        entitled: 0,
        voted: 0,
      };
      const at = `filtres[${index}]`;
      findings.same(RESULTS, `${at}.totalVotants`, all, filter['totalVotants']);
      findings.same(
        RESULTS,
        `${at}.totalVotantsAvecDroitDeVote`,
        entitled,
        filter['totalVotantsAvecDroitDeVote'],
      );
      findings.same(RESULTS, `${at}.votantsAyantVote`, voted, filter['votantsAyantVote']);
    }
  }
  checked({
    en: `resultats.json: participation of ${filters.length} filters, from the roll`,
    fr: `resultats.json : participation de ${filters.length} filtres, d’après la liste`,
  });
}

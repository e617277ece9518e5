import { type Bundle, CHECKPOINTS, ENCRYPTED, type Manifest, RECEIPTS } from './bundle.js';
import { decoded, sha256 } from './bytes.js';
import { type Findings, Malformed } from './findings.js';
import { parsed, parsedCanonical } from './json.js';
import { type Checkpoint, type Key, readNote, signedPayload, textOf } from './keys.js';
import { DIGEST, isConsistent, leafHash, rootOfInclusion, rootsOf } from './merkle.js';
import { count, digest, list, record, type Shape, text } from './shapes.js';

/** A file that the user gives beside the bundle. */
export interface Given {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Evidence that a voter or witness holds. */
export interface Held {
  readonly notes: readonly Given[];
  readonly receipts: readonly Given[];
  readonly proofs: readonly Given[];
  readonly attestations: readonly Given[];
  readonly growths: readonly Given[];
}

const lineShape = record({ note: text, racine: digest('base64url'), taille: count });
const proofShape = record({
  EmpreinteRecu: digest('base64url'),
  Index: count,
  Taille: count,
  Chemin: list(digest('base64url'), 64),
  Engagement: text,
});
const growthShape = record({ de: count, a: count, preuve: list(digest('base64url'), 64) });
const promiseShape = record({ campagneId: text, empreinteRecu: digest('base64url') });

export const originOf = (campaign: string): string => `mandat/campagnes/${campaign}`;

interface Noted extends Checkpoint {
  readonly file: string;
  readonly line?: number;
}

const MOST_CHECKPOINTS = 2_000_000;

/** A receipt that a voter or witness holds, as the log has it. */
export interface HeldReceipt {
  readonly name: string;
  readonly hash: Buffer;
}

/** Checks receipts, checkpoints, and what voters and witnesses hold. Returns the receipts that they hold and that could be read. */
export function checkLog(
  bundle: Bundle,
  manifest: Manifest,
  keys: readonly Key[],
  held: Held,
  findings: Findings,
  progress: (done: number, all: number) => void,
): HeldReceipt[] {
  const origin = originOf(manifest.campagneId);
  const ofReceipts = findings.begin([RECEIPTS]);
  const ofOwn = findings.begin([CHECKPOINTS]);
  const ofNotes = findings.begin(held.notes.map(({ name }) => name));
  const receipts = findings.attempt(RECEIPTS, () => bundle.digests(RECEIPTS));
  const own = receipts && findings.attempt(CHECKPOINTS, () => checkpointsOf(bundle, origin, keys, findings));
  if (!receipts || !own) return [];
  const size = receipts.length / DIGEST;
  findings.same(RECEIPTS, 'number of receipts', manifest.recus, size);
  findings.same(CHECKPOINTS, 'size of the last checkpoint', size, own.at(-1)?.size ?? 0);
  const twice = equalDigest(receipts);
  if (twice) findings.differs(RECEIPTS, 'receipt', 'once', `twice: ${twice.toString('base64url')}`);
  ofReceipts({
    en: `recus.bin: number of receipts (${size}), and that none occurs twice`,
    fr: `recus.bin : nombre de reçus (${size}), dont aucun ne figure deux fois`,
  });

  const notes = held.notes.flatMap((given) => heldNotes(given, origin, keys, findings));
  const proofs = held.proofs.flatMap(({ name, bytes }) => {
    const checked = findings.begin([name]);
    const proof = findings.attempt(name, () => proofShape(parsed(bytes), ''));
    const note = proof && findings.attempt(name, () => readNote(proof.Engagement, origin, keys));
    if (!note) return [];
    findings.same(name, 'size of Engagement', proof.Taille, note.size);
    return [{ name, checked, ...proof, note: { file: name, ...note } satisfies Noted }];
  });
  const growths = held.growths.flatMap(({ name, bytes }) => {
    const growth = findings.attempt(name, () => growthShape(parsed(bytes), ''));
    return growth ? [{ name, ...growth }] : [];
  });
  const noted: Noted[] = [...own, ...notes, ...proofs.map(({ note }) => note)];
  const sizes = [...noted.map((note) => note.size), ...growths.flatMap(({ de, a }) => [de, a])];
  const roots = rootsOf(
    receipts,
    sizes.filter((one) => one <= size),
    (done) => progress(done, size),
  );
  for (const { file, line, size: at, root } of noted)
    if (at > size) findings.differs(file, 'size of the log', `at most ${size}`, at, line);
    else findings.same(file, `root of ${at} receipts`, roots.get(at), root, line);
  ofOwn({
    en: `engagements.ndjson: signatures, sizes and roots of ${own.length} checkpoints`,
    fr: `engagements.ndjson : signatures, tailles et racines de ${own.length} points de contrôle`,
  });
  if (held.notes.length > 0)
    ofNotes({
      en: `stored checkpoints: signatures, and roots at their sizes (${notes.length})`,
      fr: `points de contrôle conservés : signatures, et racines à leurs tailles (${notes.length})`,
    });

  const placeOf = (hash: Buffer): number => {
    let at = receipts.indexOf(hash);
    while (at >= 0 && at % DIGEST !== 0) at = receipts.indexOf(hash, at + 1);
    return at < 0 ? -1 : at / DIGEST;
  };
  const isIn = (name: string, hash: Buffer): void => {
    const checked = findings.begin();
    const place = placeOf(hash);
    if (place < 0) findings.differs(name, 'receipt', 'in recus.bin', hash.toString('base64url'));
    checked({
      en: `${name}: the receipt is in the log${place < 0 ? '' : `, at index ${place}`}`,
      fr: `${name} : le reçu est au registre${place < 0 ? '' : `, à l’indice ${place}`}`,
    });
  };
  // The log has the SHA-256 of a receipt. That of an encrypted ballot is a digest itself, and the log has it.
  const hashes = held.receipts.map(({ bytes }) =>
    manifest.version === ENCRYPTED
      ? (decoded(Buffer.from(bytes).toString(), 'base64url', DIGEST) ?? sha256(bytes))
      : sha256(bytes),
  );
  for (const [index, hash] of hashes.entries()) isIn(held.receipts[index]!.name, hash);
  for (const { name, EmpreinteRecu, Index, Taille, Chemin, note, checked } of proofs) {
    if (hashes.length > 0 && !hashes.some((hash) => hash.equals(EmpreinteRecu)))
      findings.differs(
        name,
        'EmpreinteRecu',
        'the digest of the receipt',
        EmpreinteRecu.toString('base64url'),
      );
    const found = receipts.subarray(Index * DIGEST, (Index + 1) * DIGEST).toString('base64url');
    findings.same(name, `receipt at index ${Index}`, EmpreinteRecu.toString('base64url'), found);
    const root = rootOfInclusion(leafHash(EmpreinteRecu), Index, Taille, Chemin);
    findings.same(name, 'root of Chemin', note.root, root?.toString('base64url') ?? 'none');
    checked({
      en: `${name}: receipt ${Index}, its path, and the signed root of ${Taille} receipts`,
      fr: `${name} : reçu ${Index}, son chemin et la racine signée de ${Taille} reçus`,
    });
  }
  for (const { name, de, a, preuve } of growths) {
    const checked = findings.begin();
    const [first, second] = [de, a].map((one) => decoded(roots.get(one) ?? '', 'base64url', DIGEST));
    findings.same(
      name,
      'proof of growth',
      true,
      !!first && !!second && isConsistent(de, a, first, second, preuve),
    );
    checked({
      en: `${name}: the log of ${a} receipts continues that of ${de}`,
      fr: `${name} : le registre de ${a} reçus prolonge celui de ${de}`,
    });
  }
  const attested = held.attestations.flatMap(({ name, bytes }) => {
    const hash = findings.attempt(name, () => {
      const { campagneId, empreinteRecu } = promiseOf(bytes, keys);
      findings.same(name, 'campagneId', manifest.campagneId, campagneId);
      isIn(name, empreinteRecu);
      return empreinteRecu;
    });
    return hash ? [{ name, hash }] : [];
  });
  return [
    ...hashes.map((hash, index) => ({ name: held.receipts[index]!.name, hash })),
    ...proofs.map(({ name, EmpreinteRecu }) => ({ name, hash: EmpreinteRecu })),
    ...attested,
  ];
}

function promiseOf(bytes: Uint8Array, keys: readonly Key[]): Of<typeof promiseShape> {
  return promiseShape(parsedCanonical(signedPayload(textOf(bytes).trim(), keys)), '');
}
type Of<S> = S extends Shape<infer T> ? T : never;

function checkpointsOf(bundle: Bundle, origin: string, keys: readonly Key[], findings: Findings): Noted[] {
  const noted: Noted[] = [];
  let number = 0;
  let before = 0;
  for (const bytes of bundle.archive.lines(bundle.entry(CHECKPOINTS))) {
    const line = ++number;
    if (number > MOST_CHECKPOINTS) throw new Malformed('lines', `at most ${MOST_CHECKPOINTS}`, 'more');
    findings.attempt(
      CHECKPOINTS,
      () => {
        const { note, racine, taille } = lineShape(parsedCanonical(bytes), '');
        const { size, root } = readNote(note, origin, keys);
        findings.same(CHECKPOINTS, 'taille', size, taille, line);
        findings.same(CHECKPOINTS, 'racine', root, racine.toString('base64url'), line);
        if (size <= before) findings.differs(CHECKPOINTS, 'size', `more than ${before}`, size, line);
        before = size;
        noted.push({ file: CHECKPOINTS, line, size, root });
      },
      line,
    );
  }
  return noted;
}

/** Returns the notes of a file: one note as text, or JSON that has notes. */
function heldNotes(
  { name, bytes }: Given,
  origin: string,
  keys: readonly Key[],
  findings: Findings,
): Noted[] {
  const noted = findings.attempt(name, () => {
    const content = textOf(bytes);
    if (!/^\s*[[{]/.test(content)) return [{ file: name, ...readNote(content, origin, keys) }];
    return valuesOf(content).flatMap(({ read, at, line }) => {
      const place = line === undefined ? {} : { line };
      const one = findings.attempt(
        name,
        () => {
          const value = read();
          const note = noteOf(value, at);
          return isOfAnother(value, origin) ? undefined : readNote(note, origin, keys);
        },
        line,
      );
      return one ? [{ file: name, ...place, ...one }] : [];
    });
  });
  return noted ?? [];
}

interface Placed {
  readonly read: () => unknown;
  readonly at: string;
  readonly line?: number;
}

/** Returns the objects of a saved answer: those of a list, one object, or one in each line. */
function valuesOf(content: string): Placed[] {
  const lines = content
    .split('\n')
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text }) => text.trim() !== '');
  const isOneALine = lines.length > 1 && lines.every(({ text }) => /^\s*\{.*\}\s*$/.test(text));
  if (isOneALine)
    return lines.map(({ text, line }) => ({ read: () => parsed(Buffer.from(text)), at: 'note', line }));
  const value = parsed(Buffer.from(content));
  return Array.isArray(value)
    ? value.map((one, index) => ({ read: () => one as unknown, at: `[${index}].note` }))
    : [{ read: () => value, at: 'note' }];
}

/** The data of an event, or the object itself. */
const dataOf = (value: unknown): { note?: unknown; campagneId?: unknown } =>
  Object((Object(value) as { data?: unknown }).data ?? value) as object;

const noteOf = (value: unknown, at: string): string => text(dataOf(value).note, at);

/** Whether an event is about another campaign, as those of a feed are. */
function isOfAnother(value: unknown, origin: string): boolean {
  const { campagneId } = dataOf(value);
  return typeof campagneId === 'string' && originOf(campagneId) !== origin;
}

/** Returns a digest that occurs twice; undefined if there is none. */
export function equalDigest(digests: Buffer): Buffer | undefined {
  const prefixes = new BigUint64Array(digests.length / DIGEST);
  for (let index = 0; index < prefixes.length; index++)
    prefixes[index] = digests.readBigUInt64BE(index * DIGEST);
  const sorted = prefixes.slice().sort();
  const doubled = new Set<bigint>();
  for (let index = 1; index < sorted.length; index++)
    if (sorted[index] === sorted[index - 1]) doubled.add(sorted[index]!);
  const seen = new Set<string>();
  for (let index = 0; doubled.size > 0 && index < prefixes.length; index++) {
    if (!doubled.has(prefixes[index]!)) continue;
    const one = digests.subarray(index * DIGEST, (index + 1) * DIGEST);
    const key = one.toString('hex');
    if (seen.has(key)) return one;
    seen.add(key);
  }
  return undefined;
}

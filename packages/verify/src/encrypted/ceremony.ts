import { createPublicKey, verify } from 'node:crypto';
import { type Bundle, CEREMONY, type Manifest, type Vote, VOTE } from '../bundle.js';
import { sha256 } from '../bytes.js';
import { type Findings, Malformed } from '../findings.js';
import { canonical, parsedCanonical } from '../json.js';
import { count, exactly, list, record, type Shape, text } from '../shapes.js';
import {
  base64url,
  bytes,
  identifier,
  LONGEST_LINE,
  point,
  proof,
  properPoint,
  scalar,
  signedMembers,
} from './files.js';
import {
  challenge,
  committed,
  equal,
  IDENTITY,
  isIdentity,
  isSignedBy,
  plus,
  type Point,
  scalarOf,
  times,
  u32,
} from './group.js';

const keysShape = record({
  ...signedMembers,
  tour: exactly(1),
  nom: text,
  nombre: count,
  seuil: count,
  cleSignature: bytes(32),
  cleTransport: properPoint,
  preuve: proof,
});
const sharesShape = record({
  ...signedMembers,
  tour: exactly(2),
  precedent: bytes(32),
  engagements: list(properPoint),
  preuve: proof,
  parts: list(record({ gardien: count, ephemere: point, valeur: scalar })),
});
const agreementShape = record({ ...signedMembers, tour: exactly(3), precedent: bytes(32), cle: properPoint });

export interface Guardian {
  readonly name: string;
  /** Raw public key of Ed25519. */
  readonly signs: Uint8Array;
  /** Public share, Yⱼ. */
  readonly share: Point;
}

export interface Ceremony {
  readonly digest: Buffer;
  readonly key: Point;
  readonly threshold: number;
  readonly guardians: readonly Guardian[];
}

const ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

/** @throws Malformed if the signature of a guardian's file does not hold */
export function assertSignedBy(key: Uint8Array, file: unknown, signature: Uint8Array): void {
  const unsigned = { ...(file as Record<string, unknown>) };
  delete unsigned['signature'];
  const signed = Buffer.concat([Buffer.from('mandat/chiffre/1/fichier\0'), Buffer.from(canonical(unsigned))]);
  const isOf = (): boolean => {
    try {
      const spki = Buffer.concat([ED25519, key]);
      const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
      // Both, because each accepts signatures that the other refuses.
      return verify(null, signed, publicKey, signature) && isSignedBy(key, signed, signature);
    } catch {
      // A key that is no point.
      return false;
    }
  };
  if (!isOf()) throw new Malformed('signature', 'one of the guardian’s key', 'a signature that is not valid');
}

/** Reads lines of JSON, and records those of another form. Returns undefined if there is one. */
export function* linesOf(bundle: Bundle, file: string): Generator<{ line: number; content: Buffer }> {
  let line = 0;
  for (const content of bundle.archive.lines(bundle.entry(file), LONGEST_LINE))
    yield { line: ++line, content: Buffer.from(content) };
}

/** Checks the files of the ceremony. Returns its result; undefined if a file cannot be read. */
export function checkCeremony(
  bundle: Bundle,
  manifest: Manifest,
  vote: Vote,
  findings: Findings,
): Ceremony | undefined {
  const checked = findings.begin();
  const { gardiens, seuil, cle, ceremonie } = vote.chiffrement!;
  const number = gardiens.length;
  const lines = findings.attempt(CEREMONY, () => [...linesOf(bundle, CEREMONY)]);
  if (!lines) return undefined;
  if (lines.length !== 3 * number) {
    findings.differs(CEREMONY, 'lines', 3 * number, lines.length);
    return undefined;
  }
  const read = <T>(round: number, shape: Shape<T>): (T & { line: number; file: unknown })[] =>
    lines.slice((round - 1) * number, round * number).flatMap(({ line, content }) => {
      const one = findings.attempt(
        CEREMONY,
        () => {
          const file = parsedCanonical(content);
          return { ...shape(file, ''), line, file };
        },
        line,
      );
      return one ?? [];
    });
  const [keys, shares, agreements] = [read(1, keysShape), read(2, sharesShape), read(3, agreementShape)];
  if (keys.length + shares.length + agreements.length < 3 * number) return undefined;

  const digestOf = (round: number): Buffer =>
    sha256(...lines.slice((round - 1) * number, round * number).map(({ content }) => sha256(content)));
  const [R1, R2, digest] = [digestOf(1), digestOf(2), digestOf(3)];
  const check = (line: number, work: () => void): unknown => findings.attempt(CEREMONY, work, line);
  const same = (line: number, figure: string, expected: unknown, found: unknown): void =>
    findings.same(CEREMONY, figure, expected, found, line);
  const proven = (line: number, e: Uint8Array, expected: Uint8Array): void =>
    check(line, () => {
      if (!equal(e, expected)) throw new Malformed('preuve', 'one that holds', 'one that does not hold');
    }) as void;
  const campaign = identifier(manifest.campagneId, 'campagneId');

  for (const [index, { line, campagneId, gardien, signature, file }] of [
    ...keys,
    ...shares,
    ...agreements,
  ].entries()) {
    same(line, 'campagneId', manifest.campagneId, campagneId);
    same(line, 'gardien', (index % number) + 1, gardien);
    check(line, () => assertSignedBy(keys[index % number]!.cleSignature, file, signature));
  }

  for (const [
    index,
    { line, nom, nombre, seuil: least, cleSignature, cleTransport, preuve },
  ] of keys.entries()) {
    same(line, 'nom', gardiens[index], nom);
    same(line, 'nombre', number, nombre);
    same(line, 'seuil', seuil, least);
    const A = committed(preuve.z, preuve.e, cleTransport);
    proven(line, preuve.e, challenge('transport', campaign, u32(index + 1), cleSignature, cleTransport, A));
    for (const { cleSignature: other, cleTransport: to, line: before } of keys.slice(0, index))
      if (equal(cleSignature, other) || equal(cleTransport, to))
        findings.differs(
          CEREMONY,
          'cleSignature and cleTransport',
          'keys of its own',
          `those of line ${before}`,
          line,
        );
  }

  for (const [index, { line, precedent, engagements, preuve, parts }] of shares.entries()) {
    same(line, 'precedent', base64url(R1), base64url(precedent));
    same(line, 'number of engagements', seuil, engagements.length);
    const secret = engagements[0] ?? IDENTITY;
    const A = committed(preuve.z, preuve.e, secret);
    proven(line, preuve.e, challenge('engagement', R1, u32(index + 1), Buffer.concat(engagements), A));
    const others = gardiens.map((_, other) => other + 1).filter((other) => other !== index + 1);
    same(line, 'gardien of parts', others.join(), parts.map(({ gardien }) => gardien).join());
  }

  const key = shares.reduce((sum, { engagements }) => plus(sum, engagements[0] ?? IDENTITY), IDENTITY);
  if (isIdentity(key)) findings.differs(CEREMONY, 'cle', 'a point other than the identity', 'the identity');
  for (const { line, precedent, cle: agreed } of agreements) {
    same(line, 'precedent', base64url(R2), base64url(precedent));
    same(line, 'cle', base64url(key), base64url(agreed));
  }
  findings.same(VOTE, 'chiffrement.ceremonie', base64url(digest), base64url(ceremonie));
  findings.same(VOTE, 'chiffrement.cle', base64url(key), base64url(cle));

  const guardians = keys.map(({ nom: name, cleSignature: signs }, index) => {
    const powers = (power: number): Uint8Array => scalarOf(BigInt(index + 1) ** BigInt(power));
    const share = shares
      .flatMap(({ engagements }) => engagements.map((point, power) => times(powers(power), point)))
      .reduce(plus, IDENTITY);
    return { name, signs, share };
  });
  const fingerprints = guardians.map(({ name }, index) => `${name} ${fingerprintOf(lines[index]!.content)}`);
  checked({
    en: `${CEREMONY}: signatures, proofs and key of ${number} guardians, of whom ${seuil} decrypt; fingerprints: ${fingerprints.join(', ')}`,
    fr: `${CEREMONY} : signatures, preuves et clé de ${number} gardiens, dont ${seuil} déchiffrent ; empreintes : ${fingerprints.join(', ')}`,
  });
  return { digest, key, threshold: seuil, guardians };
}

/** The first 16 bytes of the digest of a file of round 1. */
const fingerprintOf = (file: Uint8Array): string =>
  sha256(file)
    .toString('hex', 0, 16)
    .replace(/.{4}(?=.)/g, '$& ');

import { type Group } from './group.js';
import { PROOF_BYTES } from './knowledge.js';
import { Malformed, read } from './reading.js';
import { KEY_BYTES, SIGNATURE_BYTES, type SignedFile } from './signed-file.js';

/** The files of the ceremony as they are sent (docs/encrypted-vote.md, "The ceremony"). */
export interface KeysFile extends SignedFile {
  readonly tour: 1;
  readonly nom: string;
  readonly nombre: number;
  readonly seuil: number;
  readonly cleSignature: string;
  readonly cleTransport: string;
  readonly preuve: string;
}

export interface SharesFile extends SignedFile {
  readonly tour: 2;
  readonly precedent: string;
  readonly engagements: readonly string[];
  readonly preuve: string;
  readonly parts: readonly { readonly gardien: number; readonly ephemere: string; readonly valeur: string }[];
}

export interface AgreementFile extends SignedFile {
  readonly tour: 3;
  readonly precedent: string;
  readonly cle: string;
}

export interface ComplaintFile extends SignedFile {
  readonly tour: 3;
  readonly precedent: string;
  readonly plainte: { readonly contre: number; readonly secret: string; readonly preuve: string };
}

export type CeremonyFile = KeysFile | SharesFile | AgreementFile | ComplaintFile;

/** A file of round 1 with its bytes, points and scalars. */
export interface Keys<P> {
  readonly file: KeysFile;
  readonly signatureKey: Uint8Array;
  readonly transportKey: P;
  readonly proof: Uint8Array;
}

export interface Share<P> {
  readonly guardian: number;
  readonly ephemeral: P;
  readonly value: bigint;
}

/** A file of round 2. */
export interface Shares<P> {
  readonly file: SharesFile;
  readonly previous: Uint8Array;
  readonly commitments: readonly P[];
  readonly proof: Uint8Array;
  readonly shares: readonly Share<P>[];
}

export interface Complaint<P> {
  readonly against: number;
  readonly secret: P;
  readonly proof: Uint8Array;
}

/** A file of round 3. It has a key or a complaint. */
export interface Agreement<P> {
  readonly file: AgreementFile | ComplaintFile;
  readonly previous: Uint8Array;
  readonly key?: P;
  readonly complaint?: Complaint<P>;
}

export type Decoded<P> = Keys<P> | Shares<P> | Agreement<P>;

const COMMON = ['campagneId', 'gardien', 'tour', 'signature'] as const;
const DIGEST_BYTES = 32;

/** Returns a file with its parts. @throws Malformed if it is no file of rounds 1 to 3 */
export function decodeFile<P>(group: Group<P>, value: unknown): Decoded<P> {
  const tour = value !== null && typeof value === 'object' ? (value as Record<string, unknown>)['tour'] : 0;
  if (tour === 1) return keysOf(group, value);
  if (tour === 2) return sharesOf(group, value);
  if (tour === 3) return agreementOf(group, value);
  throw new Malformed('Expected a file of round 1, 2 or 3.');
}

function keysOf<P>(group: Group<P>, value: unknown): Keys<P> {
  const names = ['nom', 'nombre', 'seuil', 'cleSignature', 'cleTransport', 'preuve'] as const;
  const object = read.object(value, ...COMMON, ...names);
  readCommon(object);
  read.text(object['nom']);
  read.number(object['nombre'], 1);
  read.number(object['seuil'], 1);
  return {
    file: object as unknown as KeysFile,
    signatureKey: read.bytes(object['cleSignature'], KEY_BYTES),
    transportKey: read.point(group, object['cleTransport']),
    proof: read.bytes(object['preuve'], PROOF_BYTES),
  };
}

function sharesOf<P>(group: Group<P>, value: unknown): Shares<P> {
  const object = read.object(value, ...COMMON, 'precedent', 'engagements', 'preuve', 'parts');
  readCommon(object);
  return {
    file: object as unknown as SharesFile,
    previous: read.bytes(object['precedent'], DIGEST_BYTES),
    commitments: read.list(object['engagements'], (point) => read.point(group, point)),
    proof: read.bytes(object['preuve'], PROOF_BYTES),
    shares: read.list(object['parts'], (part) => {
      const { gardien, ephemere, valeur } = read.object(part, 'gardien', 'ephemere', 'valeur');
      return {
        guardian: read.number(gardien, 1),
        ephemeral: read.point(group, ephemere),
        value: read.scalar(valeur),
      };
    }),
  };
}

function agreementOf<P>(group: Group<P>, value: unknown): Agreement<P> {
  const isComplaint = value !== null && typeof value === 'object' && Object.hasOwn(value, 'plainte');
  const object = read.object(value, ...COMMON, 'precedent', isComplaint ? 'plainte' : 'cle');
  readCommon(object);
  const common = {
    file: object as unknown as AgreementFile | ComplaintFile,
    previous: read.bytes(object['precedent'], DIGEST_BYTES),
  };
  if (!isComplaint) return { ...common, key: read.point(group, object['cle']) };
  const { contre, secret, preuve } = read.object(object['plainte'], 'contre', 'secret', 'preuve');
  return {
    ...common,
    complaint: {
      against: read.number(contre, 1),
      secret: read.point(group, secret),
      proof: read.bytes(preuve, PROOF_BYTES),
    },
  };
}

/** Reads the members that every file has. @throws Malformed */
export function readCommon(object: Record<string, unknown>): void {
  read.text(object['campagneId']);
  read.number(object['gardien'], 1);
  read.number(object['tour'], 1);
  read.bytes(object['signature'], SIGNATURE_BYTES);
}

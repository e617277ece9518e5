import { base64url } from './bytes.js';
import { type Ceremony, challenges, isShare, maskOf, shareFor } from './ceremony.js';
import { type AgreementFile, type ComplaintFile, type KeysFile, type SharesFile } from './ceremony-files.js';
import { encodeScalar, modulo, type RandomBytes, randomScalar, systemRandom } from './group.js';
import { proveEquality, proveKnowledge } from './knowledge.js';
import { KEY_BYTES, publicKeyOf, sign } from './signed-file.js';

/** The secrets of a guardian. */
export interface GuardianSecrets {
  /** Secret of the key that signs files (RFC 8032). */
  readonly seed: Uint8Array;
  /** Secret of the key to which others encrypt. */
  readonly transport: bigint;
}

/** Coefficients of a guardian's polynomial, from round 2 on. */
export type Polynomial = readonly bigint[];

export const drawSecrets = (random: RandomBytes = systemRandom): GuardianSecrets => ({
  seed: random(KEY_BYTES),
  transport: randomScalar(random),
});

export const drawPolynomial = (seuil: number, random: RandomBytes = systemRandom): Polynomial =>
  Array.from({ length: seuil }, () => randomScalar(random));

const valueAt = (polynomial: Polynomial, x: number): bigint =>
  polynomial.reduceRight((sum, coefficient) => modulo(sum * BigInt(x) + coefficient), 0n);

/** Makes the file of round 1. */
export function makeKeys<P>(
  ceremony: Ceremony<P>,
  gardien: number,
  { seed, transport }: GuardianSecrets,
  random: RandomBytes = systemRandom,
): KeysFile {
  const { group, parameters } = ceremony;
  const { campagneId, gardiens, seuil } = parameters;
  const signatureKey = publicKeyOf(seed);
  const transportKey = group.multiplyBase(transport);
  const challenge = challenges.transport(ceremony, gardien, signatureKey, transportKey);
  return sign(
    {
      ...{ campagneId, gardien, tour: 1 as const },
      ...{ nom: gardiens[gardien - 1]!, nombre: gardiens.length, seuil },
      cleSignature: base64url(signatureKey),
      cleTransport: base64url(group.encode(transportKey)),
      preuve: base64url(proveKnowledge(group, transport, challenge, random)),
    },
    seed,
  );
}

/** Makes the file of round 2. */
export function makeShares<P>(
  ceremony: Ceremony<P>,
  gardien: number,
  { seed }: GuardianSecrets,
  polynomial: Polynomial,
  random: RandomBytes = systemRandom,
): SharesFile {
  const { group, parameters } = ceremony;
  const commitments = polynomial.map((coefficient) => group.multiplyBase(coefficient));
  const challenge = challenges.commitments(ceremony, gardien, commitments);
  const keysDigest = ceremony.digest(1);
  return sign(
    {
      ...{ campagneId: parameters.campagneId, gardien, tour: 2 as const },
      precedent: base64url(keysDigest),
      engagements: commitments.map((point) => base64url(group.encode(point))),
      preuve: base64url(proveKnowledge(group, polynomial[0]!, challenge, random)),
      parts: ceremony.guardians
        .filter((to) => to !== gardien)
        .map((to) => {
          const r = randomScalar(random);
          const ephemeral = group.multiplyBase(r);
          const secret = group.multiply(r, ceremony.keys.get(to)!.transportKey);
          const mask = maskOf(group, keysDigest, { from: gardien, to, ephemeral, secret });
          return {
            gardien: to,
            ephemere: base64url(group.encode(ephemeral)),
            valeur: base64url(encodeScalar(modulo(valueAt(polynomial, to) + mask))),
          };
        }),
    },
    seed,
  );
}

/** Returns the share that another guardian has sent, right or wrong. */
export function receivedShare<P>(
  ceremony: Ceremony<P>,
  from: number,
  to: number,
  { transport }: GuardianSecrets,
): bigint {
  const { group } = ceremony;
  const { ephemeral, value } = shareFor(ceremony, from, to);
  const secret = group.multiply(transport, ephemeral);
  return modulo(value - maskOf(group, ceremony.digest(1), { from, to, ephemeral, secret }));
}

/** Returns the first guardian whose share for this one is wrong. */
export function wrongShare<P>(
  ceremony: Ceremony<P>,
  gardien: number,
  secrets: GuardianSecrets,
): number | undefined {
  return ceremony.guardians.find(
    (from) =>
      from !== gardien &&
      !isShare(
        ceremony.group,
        ceremony.shares.get(from)!.commitments,
        gardien,
        receivedShare(ceremony, from, gardien, secrets),
      ),
  );
}

/** Makes the file of round 3: the key of the vote, or a complaint against the guardian whose share is wrong. */
export function makeAgreement<P>(
  ceremony: Ceremony<P>,
  gardien: number,
  secrets: GuardianSecrets,
  random: RandomBytes = systemRandom,
): AgreementFile | ComplaintFile {
  const against = wrongShare(ceremony, gardien, secrets);
  if (against !== undefined) return makeComplaint(ceremony, gardien, against, secrets, random);
  const { group, parameters } = ceremony;
  return sign(
    {
      ...{ campagneId: parameters.campagneId, gardien, tour: 3 as const },
      precedent: base64url(ceremony.digest(2)),
      cle: base64url(group.encode(ceremony.key)),
    },
    secrets.seed,
  );
}

export function makeComplaint<P>(
  ceremony: Ceremony<P>,
  gardien: number,
  against: number,
  { seed, transport }: GuardianSecrets,
  random: RandomBytes = systemRandom,
): ComplaintFile {
  const { group, parameters } = ceremony;
  const { ephemeral } = shareFor(ceremony, against, gardien);
  const secret = group.multiply(transport, ephemeral);
  const challenge = challenges.complaint(ceremony, gardien, { against, secret });
  return sign(
    {
      ...{ campagneId: parameters.campagneId, gardien, tour: 3 as const },
      precedent: base64url(ceremony.digest(2)),
      plainte: {
        contre: against,
        secret: base64url(group.encode(secret)),
        preuve: base64url(proveEquality(group, transport, ephemeral, challenge, random)),
      },
    },
    seed,
  );
}

/** Returns the guardian's share of the secret, after round 2. */
export function secretShare<P>(
  ceremony: Ceremony<P>,
  gardien: number,
  secrets: GuardianSecrets,
  polynomial: Polynomial,
): bigint {
  return ceremony.guardians
    .map((from) =>
      from === gardien ? valueAt(polynomial, gardien) : receivedShare(ceremony, from, gardien, secrets),
    )
    .reduce((sum, share) => modulo(sum + share));
}

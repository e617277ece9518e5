import { areEqual, concat, u32, uuidBytes } from './bytes.js';
import {
  type Agreement,
  type CeremonyFile,
  type Complaint,
  type Decoded,
  decodeFile,
  type Keys,
  type Share,
  type Shares,
} from './ceremony-files.js';
import { type Group, modulo } from './group.js';
import { digestOf, hashToScalar } from './hash.js';
import { type Challenge, areEqualLogarithms, isSame, knows } from './knowledge.js';
import { attempt } from './reading.js';
import { digestOfFile, isSigned } from './signed-file.js';

export const MOST_GUARDIANS = 9;

export interface CeremonyParameters {
  readonly campagneId: string;
  /** Names of the guardians. The number of the first one is 1. */
  readonly gardiens: readonly string[];
  readonly seuil: number;
}

/** A ceremony as it is exchanged: its parameters and the files so far. */
export interface CeremonyDocument extends CeremonyParameters {
  readonly fichiers: readonly CeremonyFile[];
}

export type Round = 1 | 2 | 3;

/** A check that a file fails. */
export type FaultName =
  | 'format'
  | 'campagne'
  | 'tour'
  | 'double'
  | 'signature'
  | 'nom'
  | 'nombre'
  | 'cleEnDouble'
  | 'preuveTransport'
  | 'precedent'
  | 'engagements'
  | 'preuveEngagement'
  | 'parts'
  | 'cle'
  | 'plainte'
  | 'preuvePlainte'
  | 'depouillement'
  | 'preuvePart';

export interface Fault {
  readonly nom: FaultName;
  /** The guardian whose number the file has, unless it has none. */
  readonly gardien?: number;
  /** True if this guardian has signed the file. Otherwise anyone can have made it. */
  readonly estSigne: boolean;
}

/** The end of a ceremony without a key. */
export interface Failure {
  /** The guardian who has cheated. */
  readonly gardien: number;
  readonly plaignant: number;
}

/** A ceremony with the files that it has taken in. */
export class Ceremony<P> {
  readonly keys = new Map<number, Keys<P>>();
  readonly shares = new Map<number, Shares<P>>();
  readonly agreements = new Map<number, Agreement<P>>();
  private readonly digests = new Map<Round, Uint8Array>();
  private sums: readonly P[] | undefined;
  private ended: Failure | undefined;

  constructor(
    readonly group: Group<P>,
    readonly parameters: CeremonyParameters,
  ) {}

  /** Numbers of the guardians. */
  get guardians(): number[] {
    return this.parameters.gardiens.map((_, at) => at + 1);
  }

  /** The complaint that ended the ceremony, and the guardian who has cheated. */
  get failure(): Failure | undefined {
    return this.ended;
  }

  /** The round that waits for files; undefined if the ceremony has ended. */
  get round(): Round | undefined {
    if (this.ended) return undefined;
    return ROUNDS.find((round) => this.filesOf(round).size < this.guardians.length);
  }

  /** The guardians whose file of this round is missing. */
  get awaited(): number[] {
    const { round } = this;
    return round === undefined ? [] : this.guardians.filter((guardian) => !this.filesOf(round).has(guardian));
  }

  filesOf(round: Round): ReadonlyMap<number, Decoded<P>> {
    return { 1: this.keys, 2: this.shares, 3: this.agreements }[round];
  }

  /** The files by round and guardian. */
  get files(): CeremonyFile[] {
    return ROUNDS.flatMap((round) =>
      this.guardians.flatMap((guardian) => this.filesOf(round).get(guardian)?.file ?? []),
    );
  }

  /** Returns the digest of a round, of which no file is missing. */
  digest(round: Round): Uint8Array {
    const kept = this.digests.get(round);
    if (kept) return kept;
    const files = this.guardians.map((guardian) => this.filesOf(round).get(guardian)!.file);
    const digest = digestOf(...files.map((file) => digestOfFile(file)));
    this.digests.set(round, digest);
    return digest;
  }

  /** The sums of all commitments by power, after round 2. The first one is the key of the vote. */
  private get commitments(): readonly P[] {
    this.sums ??= [...this.shares.values()]
      .map(({ commitments }) => commitments)
      .reduce((sum, one) => sum.map((point, k) => this.group.add(point, one[k]!)));
    return this.sums;
  }

  /** The key of the vote, after round 2. */
  get key(): P {
    return this.commitments[0]!;
  }

  /** The public share of a guardian, after round 2. */
  publicShare(guardian: number): P {
    return evaluated(this.group, this.commitments, guardian);
  }

  /** Takes in the next file, or returns why it cannot be one. */
  take(value: unknown, checks: readonly CeremonyCheck[] = CEREMONY_CHECKS): Fault | undefined {
    const decoded = attempt(() => decodeFile(this.group, value));
    if (!decoded) return { nom: 'format', estSigne: false };
    const { gardien, tour } = decoded.file;
    const failed = checks.find((check) => !check.holds(this, decoded));
    if (failed) return { nom: failed.nom, gardien, estSigne: failed.isOfSigned };
    (this.filesOf(tour) as Map<number, Decoded<P>>).set(gardien, decoded);
    if ('complaint' in decoded) this.ended = judged(this, decoded);
    return undefined;
  }
}

const ROUNDS: readonly Round[] = [1, 2, 3];

/** Returns the ceremony of a document, or the fault of its first wrong file. @throws RangeError for parameters that cannot be */
export function ceremonyOf<P>(
  group: Group<P>,
  document: CeremonyDocument,
  checks: readonly CeremonyCheck[] = CEREMONY_CHECKS,
): Ceremony<P> | Fault {
  const { fichiers, campagneId, gardiens, seuil } = document;
  if (gardiens.length < 1 || gardiens.length > MOST_GUARDIANS || seuil < 1 || seuil > gardiens.length)
    throw new RangeError(`A ceremony has 1 to ${MOST_GUARDIANS} guardians, and a threshold of at most all.`);
  const ceremony = new Ceremony(group, { campagneId, gardiens, seuil });
  for (const file of fichiers) {
    const fault = ceremony.take(file, checks);
    if (fault) return fault;
  }
  return ceremony;
}

/** Returns why a file cannot be the next one of a ceremony, or undefined. */
export function checkFile<P>(group: Group<P>, document: CeremonyDocument, file: unknown): Fault | undefined {
  const ceremony = ceremonyOf(group, document);
  return ceremony instanceof Ceremony ? ceremony.take(file) : ceremony;
}

/** Returns Σₖ jᵏCₖ. */
export function evaluated<P>(group: Group<P>, commitments: readonly P[], j: number): P {
  return commitments.reduceRight((sum, point) => group.add(group.multiply(BigInt(j), sum), point));
}

/** The number by which the share of guardian `from` for guardian `to` is hidden. */
export function maskOf<P>(
  group: Group<P>,
  keysDigest: Uint8Array,
  { from, to, ephemeral, secret }: { from: number; to: number; ephemeral: P; secret: P },
): bigint {
  return hashToScalar(
    'part',
    ...[keysDigest, u32(from), u32(to), group.encode(ephemeral), group.encode(secret)],
  );
}

/** Returns true if a share is what its guardian is committed to. */
export const isShare = <P>(group: Group<P>, commitments: readonly P[], to: number, share: bigint): boolean =>
  isSame(group, group.multiplyBase(share), evaluated(group, commitments, to));

export const shareFor = <P>(ceremony: Ceremony<P>, from: number, to: number): Share<P> =>
  ceremony.shares.get(from)!.shares.find(({ guardian }) => guardian === to)!;

/** Names the guardian who has cheated, after the complaint of another one whose proof holds. */
function judged<P>(ceremony: Ceremony<P>, { file, complaint }: Agreement<P>): Failure {
  const { group } = ceremony;
  const { against: from, secret } = complaint!;
  const to = file.gardien;
  const { ephemeral, value } = shareFor(ceremony, from, to);
  const mask = maskOf(group, ceremony.digest(1), { from, to, ephemeral, secret });
  const isRight = isShare(group, ceremony.shares.get(from)!.commitments, to, modulo(value - mask));
  return { gardien: isRight ? to : from, plaignant: to };
}

/** Challenges of the proofs in the files. */
export const challenges = {
  transport:
    <P>(ceremony: Ceremony<P>, guardian: number, signatureKey: Uint8Array, transportKey: P): Challenge =>
    (commitment) =>
      hashToScalar(
        'transport',
        uuidBytes(ceremony.parameters.campagneId),
        ...[u32(guardian), signatureKey, ceremony.group.encode(transportKey), commitment],
      ),

  commitments:
    <P>(ceremony: Ceremony<P>, guardian: number, commitments: readonly P[]): Challenge =>
    (commitment) =>
      hashToScalar(
        'engagement',
        ...[ceremony.digest(1), u32(guardian)],
        ...[concat(...commitments.map((point) => ceremony.group.encode(point))), commitment],
      ),

  complaint:
    <P>(
      ceremony: Ceremony<P>,
      guardian: number,
      { against, secret }: Omit<Complaint<P>, 'proof'>,
    ): Challenge =>
    (commitment) => {
      const points = [
        ceremony.keys.get(guardian)!.transportKey,
        shareFor(ceremony, against, guardian).ephemeral,
        secret,
      ];
      return hashToScalar(
        'plainte',
        ...[ceremony.digest(2), u32(guardian), u32(against)],
        ...[...points.map((point) => ceremony.group.encode(point)), commitment],
      );
    },
};

/** A rule that each file of its round keeps. Earlier checks of the list hold. */
export interface CeremonyCheck {
  readonly nom: FaultName;
  /** True if the file is signed by the guardian whose number it has, because the checks before hold. */
  readonly isOfSigned: boolean;
  holds<P>(ceremony: Ceremony<P>, decoded: Decoded<P>): boolean;
}

type Test<D> = <P>(ceremony: Ceremony<P>, decoded: D & Decoded<P>, group: Group<P>) => boolean;
type OfRound<P> = { 1: Keys<P>; 2: Shares<P>; 3: Agreement<P> };

const every = (nom: FaultName, test: Test<unknown>): CeremonyCheck => ({
  nom,
  isOfSigned: false,
  holds: (ceremony, decoded) => test(ceremony, decoded, ceremony.group),
});

const inRound = <R extends Round>(
  tour: R,
  nom: FaultName,
  test: <P>(ceremony: Ceremony<P>, decoded: OfRound<P>[R], group: Group<P>) => boolean,
): CeremonyCheck => ({
  nom,
  isOfSigned: true,
  holds: <P>(ceremony: Ceremony<P>, decoded: Decoded<P>) =>
    decoded.file.tour !== tour || test(ceremony, decoded as OfRound<P>[R], ceremony.group),
});

/** All rules of the files, in the order in which they are checked. */
export const CEREMONY_CHECKS: readonly CeremonyCheck[] = [
  every('campagne', ({ parameters }, { file }) => file.campagneId === parameters.campagneId),
  every('tour', (ceremony, { file }) => file.tour === ceremony.round),
  every('double', (ceremony, { file }) => !ceremony.filesOf(file.tour).has(file.gardien)),
  every('signature', (ceremony, decoded) => {
    const { file } = decoded;
    const key =
      'signatureKey' in decoded ? decoded.signatureKey : ceremony.keys.get(file.gardien)?.signatureKey;
    return key !== undefined && isSigned(file, key);
  }),

  inRound(1, 'nom', ({ parameters }, { file }) => file.nom === parameters.gardiens[file.gardien - 1]),
  inRound(
    1,
    'nombre',
    ({ parameters }, { file }) =>
      file.nombre === parameters.gardiens.length && file.seuil === parameters.seuil,
  ),
  inRound(1, 'cleEnDouble', ({ keys }, { file }) =>
    [...keys.values()].every(
      ({ file: other }) =>
        other.cleSignature !== file.cleSignature && other.cleTransport !== file.cleTransport,
    ),
  ),
  inRound(
    1,
    'preuveTransport',
    (ceremony, { file, signatureKey, transportKey, proof }, group) =>
      !isSame(group, transportKey, group.identity) &&
      knows(
        group,
        transportKey,
        proof,
        challenges.transport(ceremony, file.gardien, signatureKey, transportKey),
      ),
  ),

  inRound(2, 'precedent', (ceremony, { previous }) => areEqual(previous, ceremony.digest(1))),
  inRound(
    2,
    'engagements',
    ({ parameters }, { commitments }, group) =>
      commitments.length === parameters.seuil &&
      commitments.every((point) => !isSame(group, point, group.identity)),
  ),
  inRound(2, 'preuveEngagement', (ceremony, { file, commitments, proof }, group) =>
    knows(group, commitments[0]!, proof, challenges.commitments(ceremony, file.gardien, commitments)),
  ),
  inRound(2, 'parts', ({ guardians }, { file, shares }) => {
    const others = guardians.filter((guardian) => guardian !== file.gardien);
    return shares.length === others.length && shares.every(({ guardian }, at) => guardian === others[at]);
  }),

  inRound(3, 'precedent', (ceremony, { previous }) => areEqual(previous, ceremony.digest(2))),
  inRound(
    3,
    'cle',
    (ceremony, { key }, group) =>
      key === undefined || (isSame(group, key, ceremony.key) && !isSame(group, key, group.identity)),
  ),
  inRound(
    3,
    'plainte',
    ({ guardians }, { file, complaint }) =>
      complaint === undefined ||
      (complaint.against !== file.gardien && guardians.includes(complaint.against)),
  ),
  inRound(3, 'preuvePlainte', (ceremony, { file, complaint }, group) => {
    if (!complaint) return true;
    const { against, secret, proof } = complaint;
    const X = ceremony.keys.get(file.gardien)!.transportKey;
    const point = shareFor(ceremony, against, file.gardien).ephemeral;
    const challenge = challenges.complaint(ceremony, file.gardien, { against, secret });
    return areEqualLogarithms(group, { X, point, Z: secret }, proof, challenge);
  }),
];

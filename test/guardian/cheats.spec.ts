import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import type * as Guardians from '../../packages/ballot/dist/guardians.js';
import type { SignedFile } from '../../packages/ballot/dist/signed-file.js';
import {
  type Ceremony,
  type Count,
  type Group,
  guardians,
  type Point,
  scalars,
  seeded,
  signedFile,
} from './support/ballot';
import {
  CAMPAIGN,
  emptyCeremony,
  fileOf,
  heldUntil,
  type Member,
  membersOf,
  partyOf,
  shareOf,
  taken,
} from './support/ceremony';
import { boxOf, decryptionsOf, plainCount, type Plain } from './support/count';

const { base64url, bytesOf, CEREMONY_CHECKS, DECRYPTION_CHECKS } = guardians;

const random = seeded('cheats');
const SIZE = 3;
const THRESHOLD = 2;
/** The guardian who cheats, in the place of `members[1]`. */
const CHEAT = 2;
const OTHER_CAMPAIGN = '0198c2d4-6f0e-7b3a-9c55-000000000000';

type Content = Record<string, unknown>;

/** Everything that the cheat knows: the public files, and the own secrets. */
interface Scene {
  readonly group: Group;
  /** The ceremony waits for the cheat's file. The others have sent theirs, except guardian 3 in round 1. */
  readonly ceremony: Ceremony;
  readonly members: readonly Member[];
  readonly cheat: Member;
}

interface Cheat {
  readonly name: string;
  readonly round: Guardians.Round;
  /** The check that finds it, and further ones that would, in their order. */
  readonly checks: readonly Guardians.FaultName[];
  make(scene: Scene): unknown;
  /** Asserts what the cheat achieves without the checks. */
  reached?(scene: Scene): void;
}

/** Changes a file and signs it with the cheat's key. */
const changed = ({ cheat }: Scene, file: object, change: object, seed = cheat.secrets.seed): object =>
  signedFile.sign({ ...without(file, 'signature'), ...change }, seed);

const without = (file: object, name: string): Content =>
  Object.fromEntries(Object.entries(file).filter(([one]) => one !== name));

const honest = ({ ceremony, cheat }: Scene): Guardians.CeremonyFile => fileOf(ceremony, cheat, random);
const honestShares = (scene: Scene): Guardians.SharesFile => honest(scene) as Guardians.SharesFile;
const encoded = (group: Group, point: Point): string => base64url(group.encode(point));
const pointOf = ({ group }: Scene, text: string): Point => group.decode(bytesOf(text)!)!;

/** A new scene before the cheat's file of a round. */
function sceneOf(group: Group, round: Guardians.Round): Scene {
  const members = membersOf(SIZE, THRESHOLD, random);
  const ceremony = emptyCeremony(group, SIZE, THRESHOLD);
  if (round > 1) heldUntil((round - 1) as Guardians.Round, ceremony, members, random);
  for (const member of members)
    if (member.number !== CHEAT && (round > 1 || member.number !== SIZE))
      taken(ceremony, fileOf(ceremony, member, random));
  return { group, ceremony, members, cheat: members[CHEAT - 1]! };
}

/** Sends the honest files that are missing. */
function finished({ ceremony, members }: Scene): void {
  for (let [number] = ceremony.awaited; number !== undefined; [number] = ceremony.awaited)
    taken(ceremony, fileOf(ceremony, members[number - 1]!, random));
}

const CHEATS: readonly Cheat[] = [
  {
    name: 'a file for another campaign',
    round: 1,
    checks: ['campagne'],
    make: (scene) => changed(scene, honest(scene), { campagneId: OTHER_CAMPAIGN }),
  },
  {
    name: 'the replayed file of another campaign',
    round: 1,
    checks: ['campagne', 'preuveTransport'],
    make: ({ group, cheat }) => fileOf(emptyCeremony(group, SIZE, THRESHOLD, OTHER_CAMPAIGN), cheat, random),
  },
  {
    name: 'the replayed file of the round before',
    round: 2,
    checks: ['tour', 'double', 'cleEnDouble'],
    make: ({ ceremony }) => ceremony.keys.get(CHEAT)!.file,
  },
  {
    name: 'a second file with other keys, after the first one was seen',
    round: 1,
    checks: ['double'],
    make: (scene) => {
      taken(scene.ceremony, honest(scene));
      return fileOf(scene.ceremony, { ...scene.cheat, secrets: guardians.drawSecrets(random) }, random);
    },
  },
  {
    name: 'a second key for round 2, sent as round 1',
    round: 2,
    checks: ['tour', 'double'],
    make: ({ ceremony, cheat }) =>
      guardians.makeKeys(ceremony, cheat.number, guardians.drawSecrets(random), random),
  },
  {
    name: 'a file in the name of another guardian',
    round: 1,
    checks: ['signature'],
    make: (scene) => changed(scene, honest(scene), {}, random(32)),
  },
  {
    name: 'shares in the name of another guardian, signed by the own key',
    round: 2,
    checks: ['signature'],
    make: (scene) => fileOf(scene.ceremony, { ...scene.cheat, secrets: scene.members[0]!.secrets }, random),
    // The others would encrypt under a key of which guardian 1 knows two parts.
  },
  {
    name: 'a file that was changed on the way',
    round: 2,
    checks: ['signature'],
    make: (scene) => {
      const file = honestShares(scene);
      return {
        ...file,
        parts: file.parts.map((part) => ({ ...part, valeur: base64url(new Uint8Array(32)) })),
      };
    },
  },
  {
    name: 'a number that no guardian has',
    round: 1,
    checks: ['nom'],
    make: ({ ceremony, cheat }) => {
      const larger = emptyCeremony(ceremony.group, SIZE + 1, THRESHOLD);
      const { parameters } = larger;
      const file = guardians.makeKeys(larger, SIZE + 1, cheat.secrets, random);
      return signedFile.sign(
        { ...without(file, 'signature'), nombre: SIZE, nom: parameters.gardiens[SIZE] },
        cheat.secrets.seed,
      );
    },
  },
  {
    name: 'the name of another guardian',
    round: 1,
    checks: ['nom'],
    make: (scene) => changed(scene, honest(scene), { nom: scene.ceremony.parameters.gardiens[0] }),
  },
  {
    name: 'another threshold',
    round: 1,
    checks: ['nombre'],
    make: (scene) => changed(scene, honest(scene), { seuil: 1 }),
  },
  {
    name: 'one person with the keys of two guardians',
    round: 1,
    checks: ['cleEnDouble'],
    make: ({ ceremony, members }) => guardians.makeKeys(ceremony, CHEAT, members[0]!.secrets, random),
  },
  {
    name: 'a rogue key, copied from another guardian',
    round: 1,
    checks: ['cleEnDouble', 'preuveTransport'],
    make: (scene) => {
      const { cleTransport, preuve } = scene.ceremony.keys.get(1)!.file;
      return changed(scene, honest(scene), { cleTransport, preuve });
    },
  },
  {
    name: 'a rogue key, derived from that of another guardian',
    round: 1,
    checks: ['preuveTransport'],
    make: (scene) => {
      const { group, ceremony } = scene;
      const { transportKey, file } = ceremony.keys.get(1)!;
      const cleTransport = encoded(group, group.add(transportKey, group.base));
      return changed(scene, honest(scene), { cleTransport, preuve: file.preuve });
    },
  },
  {
    name: 'a key to which everyone can read the shares, because its secret is 0',
    round: 1,
    checks: ['preuveTransport'],
    make: ({ ceremony, cheat }) =>
      guardians.makeKeys(ceremony, CHEAT, { ...cheat.secrets, transport: 0n }, random),
  },
  {
    name: 'shares that answer other keys of round 1',
    round: 2,
    checks: ['precedent'],
    make: (scene) => changed(scene, honest(scene), { precedent: base64url(random(32)) }),
  },
  {
    name: 'the replayed shares of an earlier ceremony, with the keys of that one',
    round: 2,
    checks: ['precedent', 'preuveEngagement'],
    make: ({ ceremony, members, cheat }) => {
      const others = members.map((member) =>
        member === cheat ? cheat : { ...member, secrets: guardians.drawSecrets(random) },
      );
      const earlier = emptyCeremony(ceremony.group, SIZE, THRESHOLD);
      return fileOf(heldUntil(1, earlier, others, random), cheat, random);
    },
  },
  {
    name: 'a longer polynomial, by which more guardians would be needed',
    round: 2,
    checks: ['engagements'],
    make: ({ ceremony, cheat }) =>
      fileOf(ceremony, { ...cheat, polynomial: guardians.drawPolynomial(THRESHOLD + 1, random) }, random),
  },
  {
    name: 'a polynomial without its highest power, by which fewer guardians would do',
    round: 2,
    checks: ['engagements'],
    make: ({ ceremony, cheat }) =>
      fileOf(ceremony, { ...cheat, polynomial: [cheat.polynomial[0]!, 0n] }, random),
  },
  {
    name: 'a rogue key, by which the cheat alone would have the key of the vote',
    round: 2,
    checks: ['preuveEngagement'],
    make: (scene) => {
      const { group, ceremony } = scene;
      const mine = group.multiplyBase(OWN_KEY);
      const rogue = [1, 3]
        .map((other) => ceremony.shares.get(other)!.commitments[0]!)
        .reduce((rest, point) => group.subtract(rest, point), mine);
      const file = honestShares(scene);
      return changed(scene, file, { engagements: [encoded(group, rogue), file.engagements[1]] });
    },
    reached: ({ group, ceremony }) => expect(ceremony.key).toEqual(group.multiplyBase(OWN_KEY)),
  },
  {
    name: 'commitments with the proof of other ones',
    round: 2,
    checks: ['preuveEngagement'],
    make: (scene) => {
      const file = honestShares(scene);
      const engagements = [file.engagements[0], encoded(scene.group, scene.group.base)];
      return changed(scene, file, { engagements });
    },
  },
  {
    name: 'no share for one guardian',
    round: 2,
    checks: ['parts'],
    make: (scene) => {
      const file = honestShares(scene);
      return changed(scene, file, { parts: file.parts.slice(0, 1) });
    },
  },
  {
    name: 'a share twice in the place of two',
    round: 2,
    checks: ['parts'],
    make: (scene) => {
      const file = honestShares(scene);
      return changed(scene, file, { parts: [file.parts[0], file.parts[0]] });
    },
  },
  {
    name: 'an agreement with other shares',
    round: 3,
    checks: ['precedent'],
    make: (scene) => changed(scene, honest(scene), { precedent: base64url(scene.ceremony.digest(1)) }),
  },
  {
    name: 'another key of the vote',
    round: 3,
    checks: ['cle'],
    make: (scene) =>
      changed(scene, honest(scene), { cle: encoded(scene.group, scene.group.multiplyBase(OWN_KEY)) }),
  },
  {
    name: 'a false complaint with a secret that is none',
    round: 3,
    checks: ['preuvePlainte'],
    make: (scene) => {
      const { ceremony, cheat } = scene;
      const file = guardians.makeComplaint(ceremony, CHEAT, 1, cheat.secrets, random);
      const secret = encoded(scene.group, scene.group.multiplyBase(OWN_KEY));
      return changed(scene, file, { plainte: { ...file.plainte, secret } });
    },
    // The honest guardian would be blamed.
    reached: ({ ceremony }) => expect(ceremony.failure).toEqual({ gardien: 1, plaignant: CHEAT }),
  },
  {
    name: 'a false complaint with the proof of a right one against another guardian',
    round: 3,
    checks: ['preuvePlainte'],
    make: (scene) => {
      const [first, third] = [1, 3].map((against) =>
        guardians.makeComplaint(scene.ceremony, CHEAT, against, scene.cheat.secrets, random),
      );
      return changed(scene, first!, { plainte: { ...third!.plainte, contre: 1 } });
    },
    reached: ({ ceremony }) => expect(ceremony.failure).toEqual({ gardien: 1, plaignant: CHEAT }),
  },
];

/** A secret that only the cheat knows. */
const OWN_KEY = scalars.randomScalar(random);

describe('cheating guardians in the ceremony', () => {
  let group: Group;
  beforeAll(async () => {
    group = await guardians.libsodium();
  });

  it('every check has a cheat', () => {
    const found = new Set(CHEATS.map(({ checks }) => checks[0]));
    // Invalid complaints are tested below.
    expect(CEREMONY_CHECKS.map(({ nom }) => nom).filter((nom) => !found.has(nom))).toEqual(['plainte']);
  });

  it.each(CHEATS)('$name (round $round): refused, and named', ({ round, checks, make }) => {
    const scene = sceneOf(group, round);
    const file = make(scene) as Guardians.CeremonyFile;
    const { isOfSigned } = CEREMONY_CHECKS.find(({ nom }) => nom === checks[0])!;
    const gardien = checks[0] === 'nom' ? file.gardien : CHEAT;
    expect(scene.ceremony.take(file)).toEqual({ nom: checks[0], gardien, estSigne: isOfSigned });
  });

  it.each(CHEATS)('$name (round $round): without $checks it passes', ({ round, checks, make, reached }) => {
    const scene = sceneOf(group, round);
    const file = make(scene);
    for (let off = 1; off < checks.length; off++) {
      const left = CEREMONY_CHECKS.filter(({ nom }) => !checks.slice(0, off).includes(nom));
      expect(scene.ceremony.take(file, left)).toMatchObject({ nom: checks[off] });
    }
    const left = CEREMONY_CHECKS.filter(({ nom }) => !checks.includes(nom));
    expect(scene.ceremony.take(file, left)).toBeUndefined();
    reached?.(scene);
  });

  it('a file for the next round, before the others can have sent theirs, is refused', () => {
    const scene = sceneOf(group, 2);
    const [precedent, cle] = [base64url(random(32)), encoded(group, group.base)];
    const file = signedFile.sign(
      { campagneId: CAMPAIGN, gardien: CHEAT, tour: 3, precedent, cle },
      scene.cheat.secrets.seed,
    );
    expect(scene.ceremony.take(file)).toEqual({ nom: 'tour', gardien: CHEAT, estSigne: false });
  });

  it.each([
    ['nobody', 7],
    ['oneself', CHEAT],
  ])('a complaint against %s is refused', (_, contre) => {
    const scene = sceneOf(group, 3);
    const file = guardians.makeComplaint(scene.ceremony, CHEAT, 1, scene.cheat.secrets, random);
    const complaint = changed(scene, file, { plainte: { ...file.plainte, contre } });
    expect(scene.ceremony.take(complaint)).toEqual({ nom: 'plainte', gardien: CHEAT, estSigne: true });
  });

  it.each<[string, object | null]>([
    ['null', null],
    ['a list', []],
    ['another round', { tour: 4 }],
    ['a further member', { note: '' }],
    ['a point in another encoding', { cleTransport: base64url(new Uint8Array(32).fill(255)) }],
    ['a short proof', { preuve: base64url(random(63)) }],
    ['a guardian 0', { gardien: 0 }],
    ['half a guardian', { gardien: 1.5 }],
    ['a padded signature', { signature: `${base64url(random(64))}==` }],
  ])('%s is not a file', (_, change) => {
    const scene = sceneOf(group, 1);
    const file =
      change === null || Array.isArray(change)
        ? change
        : { ...changed(scene, honest(scene), change), ...('signature' in change ? change : {}) };
    expect(scene.ceremony.take(file)).toEqual({ nom: 'format', estSigne: false });
  });

  describe('signatures on which libraries differ', () => {
    /** Signs a file with R = rB + `added`. */
    const signedWith = (scene: Scene, r: bigint, added: string): SignedFile => {
      const { Point, utils } = ed25519;
      const { seed } = scene.cheat.secrets;
      const content = without(honest(scene), 'signature');
      const R = (r === 0n ? Point.ZERO : Point.BASE.multiply(r)).add(Point.fromHex(added)).toBytes();
      const message = Buffer.concat([
        Buffer.from('mandat/chiffre/1/fichier\0'),
        Buffer.from(guardians.canonical(content)),
      ]);
      const digest = sha512(Buffer.concat([R, ed25519.getPublicKey(seed), message]));
      const k = scalars.modulo(scalars.littleEndian(digest));
      const S = scalars.encodeScalar(scalars.modulo(r + k * utils.getExtendedPublicKey(seed).scalar));
      return { ...content, signature: base64url(Buffer.concat([R, S])) } as unknown as SignedFile;
    };
    const [IDENTITY, OF_ORDER_8] = [
      '0100000000000000000000000000000000000000000000000000000000000000',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    ];

    it.each([
      ['an R with a part of order 8, which OpenSSL and libsodium refuse', 3n, OF_ORDER_8],
      ['an R of order 8', 0n, OF_ORDER_8],
      ['the identity as R, which libsodium refuses', 0n, IDENTITY],
    ])('%s: refused', (_, r, added) => {
      const scene = sceneOf(group, 1);
      const file = signedWith(scene, r, added);
      // Control: the library by itself accepts it.
      const { cleSignature } = file as unknown as Guardians.KeysFile;
      const message = Buffer.concat([
        Buffer.from('mandat/chiffre/1/fichier\0'),
        Buffer.from(guardians.canonical(without(file, 'signature'))),
      ]);
      const [signature, key] = [bytesOf(file.signature)!, bytesOf(cleSignature)!];
      expect(ed25519.verify(signature, message, key, { zip215: false })).toBe(true);
      expect(scene.ceremony.take(file)).toEqual({ nom: 'signature', gardien: CHEAT, estSigne: false });
    });

    it('control: the same signature with an R of the group of B is accepted', () => {
      const scene = sceneOf(group, 1);
      expect(scene.ceremony.take(signedWith(scene, 3n, IDENTITY))).toBeUndefined();
    });
  });

  describe('wrong shares', () => {
    /** Cheats in round 2, holds round 3, and returns who is named. */
    function blamed(cheatOf: (file: Guardians.SharesFile, scene: Scene) => object): unknown {
      const scene = sceneOf(group, 2);
      const file = honestShares(scene);
      taken(scene.ceremony, changed(scene, file, { ...cheatOf(file, scene) }));
      finished(scene);
      return scene.ceremony.failure;
    }

    it('correct shares: no guardian is blamed', () => expect(blamed(() => ({}))).toBeUndefined());

    it('a wrong share is found by its recipient, and the cheat is named to all', () => {
      const wrong = blamed(({ parts }) => ({
        parts: [parts[0], wrongPart(parts[1]!)],
      }));
      expect(wrong).toEqual({ gardien: CHEAT, plaignant: 3 });
    });

    it('a commitment to another polynomial is found, too', () => {
      const wrong = blamed((_, { ceremony, cheat }) => {
        const other = { ...cheat, polynomial: [cheat.polynomial[0]!, OWN_KEY] };
        const { engagements, preuve } = fileOf(ceremony, other, random) as Guardians.SharesFile;
        return { engagements, preuve };
      });
      expect(wrong).toEqual({ gardien: CHEAT, plaignant: 1 });
    });

    it('a share encrypted to another guardian is found, too', () => {
      const wrong = blamed(({ parts }, scene) => {
        const ephemere = encoded(group, group.add(pointOf(scene, parts[0]!.ephemere), group.base));
        return { parts: [{ ...parts[0], ephemere }, parts[1]] };
      });
      expect(wrong).toEqual({ gardien: CHEAT, plaignant: 1 });
    });

    it('control: a guardian who does not check the share would be blamed for the decryption', () => {
      const scene = sceneOf(group, 2);
      const { ceremony, members } = scene;
      const file = honestShares(scene);
      const parts = [file.parts[0], wrongPart(file.parts[1]!)];
      taken(ceremony, changed(scene, file, { parts }));
      expect(guardians.wrongShare(ceremony, 3, members[2]!.secrets)).toBe(CHEAT);
      for (const { number, secrets } of members) {
        const agreement = { campagneId: CAMPAIGN, gardien: number, tour: 3 };
        const precedent = base64url(ceremony.digest(2));
        taken(
          ceremony,
          signedFile.sign({ ...agreement, precedent, cle: encoded(group, ceremony.key) }, secrets.seed),
        );
      }
      const { count } = boxOf(ceremony, OPTIONS, PLAIN, random);
      expect(() => decryptionsOf(ceremony, count, [members[2]!], random)).toThrow(
        JSON.stringify({ nom: 'preuvePart', gardien: 3, estSigne: true, index: 0 }),
      );
    });

    it('a complaint about a right share blames the one who complains', () => {
      const { ceremony, cheat } = sceneOf(group, 3);
      taken(ceremony, guardians.makeComplaint(ceremony, CHEAT, 1, cheat.secrets, random));
      expect(ceremony.failure).toEqual({ gardien: CHEAT, plaignant: CHEAT });
    });

    it('after a complaint the ceremony takes no file', () => {
      const scene = sceneOf(group, 3);
      const { ceremony, cheat } = scene;
      const agreement = honest(scene);
      taken(ceremony, guardians.makeComplaint(ceremony, CHEAT, 1, cheat.secrets, random));
      expect([ceremony.round, ceremony.awaited]).toEqual([undefined, []]);
      expect(ceremony.take(agreement)).toMatchObject({ nom: 'tour' });
    });
  });
});

/** The share plus 1. */
function wrongPart<T extends { readonly valeur: string }>(part: T): T {
  const share = scalars.decodeScalar(bytesOf(part.valeur)!)!;
  return { ...part, valeur: base64url(scalars.encodeScalar(scalars.modulo(share + 1n))) };
}

const OPTIONS = [2];
const PLAIN: readonly Plain[] = [
  { classe: 1, weight: 10_000n, choices: [[0]] },
  { classe: 1, weight: 20_000n, choices: [[1]] },
  { classe: 2, weight: 10_000n, choices: [[]] },
];

interface DecryptionScene {
  readonly group: Group;
  readonly ceremony: Ceremony;
  readonly members: readonly Member[];
  readonly cheat: Member;
  readonly count: Count;
  /** The file that an honest guardian would send. */
  readonly file: Guardians.DecryptionFile;
}

interface DecryptionCheat {
  readonly name: string;
  readonly checks: readonly Guardians.FaultName[];
  readonly index?: number;
  make(scene: DecryptionScene): object;
}

describe('cheating guardians in the decryption', () => {
  let scene: DecryptionScene;
  beforeAll(async () => {
    const group = await guardians.libsodium();
    const { ceremony, members } = partyOf(group, SIZE, THRESHOLD, random);
    const cheat = members[CHEAT - 1]!;
    const { count } = boxOf(ceremony, OPTIONS, PLAIN, random);
    scene = { group, ceremony, members, cheat, count, file: decryptionBy(ceremony, count, cheat) };
  });

  const decryptionBy = (ceremony: Ceremony, count: Count, member: Member): Guardians.DecryptionFile => {
    const secrets = { seed: member.secrets.seed, share: shareOf(ceremony, member) };
    return guardians.makeDecryption(ceremony, count, member.number, secrets, random);
  };
  const signed = (content: object, { cheat } = scene): object =>
    signedFile.sign(without(content, 'signature'), cheat.secrets.seed);
  /** Changes the part of one ciphertext. */
  const withPart = (at: number, change: Content): object =>
    signed({
      ...scene.file,
      parts: scene.file.parts.map((part, n) => (n === at ? { ...part, ...change } : part)),
    });
  const otherCount = (): Count => boxOf(scene.ceremony, OPTIONS, PLAIN.slice(), random).count;

  const CHEATS_OF_DECRYPTION: readonly DecryptionCheat[] = [
    {
      name: 'the file of another campaign',
      checks: ['campagne'],
      make: ({ file }) => signed({ ...file, campagneId: OTHER_CAMPAIGN }),
    },
    { name: 'a file of another round', checks: ['tour'], make: ({ file }) => signed({ ...file, tour: 3 }) },
    {
      name: 'the file of another guardian, signed by the own key',
      checks: ['signature', 'preuvePart'],
      index: 0,
      make: ({ file }) => signed({ ...file, gardien: 1 }),
    },
    {
      name: 'a file of a guardian who is none',
      checks: ['signature', 'preuvePart'],
      index: 0,
      make: ({ file }) => signed({ ...file, gardien: 7 }),
    },
    {
      name: 'a file for another ceremony',
      checks: ['precedent'],
      make: ({ file }) => signed({ ...file, precedent: base64url(random(32)) }),
    },
    {
      name: 'the replayed file for other sums',
      checks: ['depouillement', 'preuvePart'],
      index: 0,
      make: ({ ceremony, cheat }) => decryptionBy(ceremony, otherCount(), cheat),
    },
    {
      name: 'the digest of other sums',
      checks: ['depouillement'],
      make: ({ file }) => signed({ ...file, depouillement: base64url(random(32)) }),
    },
    {
      name: 'a part too many',
      checks: ['parts'],
      make: ({ file }) => signed({ ...file, parts: [...file.parts, file.parts[0]] }),
    },
    {
      name: 'a wrong part, by which an option gets one vote more',
      checks: ['preuvePart'],
      index: 1,
      make: ({ group, file }) => {
        const factor = guardians.lagrange(CHEAT, [1, CHEAT]);
        const less = group.multiplyBase(scalars.modulo(-inverseOf(factor)));
        const part = group.decode(bytesOf(file.parts[1]!.part)!)!;
        return withPart(1, { part: base64url(group.add(part, less)) });
      },
    },
    {
      name: 'the part and the proof of another sum',
      checks: ['preuvePart'],
      index: 0,
      make: ({ file }) => withPart(0, { ...file.parts[2] }),
    },
    {
      name: 'the proof of another sum',
      checks: ['preuvePart'],
      index: 2,
      make: ({ file }) => withPart(2, { preuve: file.parts[0]!.preuve }),
    },
    {
      name: 'parts by another secret, each with its proof',
      checks: ['preuvePart'],
      index: 0,
      make: ({ ceremony, count, cheat }) =>
        guardians.makeDecryption(
          ceremony,
          count,
          CHEAT,
          { seed: cheat.secrets.seed, share: OWN_KEY },
          random,
        ),
    },
  ];

  it('every check has a cheat', () => {
    const found = new Set(CHEATS_OF_DECRYPTION.map(({ checks }) => checks[0]));
    expect([...found].sort()).toEqual(DECRYPTION_CHECKS.map(({ nom }) => nom).sort());
  });

  it.each(CHEATS_OF_DECRYPTION)('$name: refused, and named', ({ checks, index, make }) => {
    const { ceremony, count } = scene;
    const file = make(scene) as Guardians.DecryptionFile;
    const check = DECRYPTION_CHECKS.find(({ nom }) => nom === checks[0])!;
    expect(guardians.checkDecryption(ceremony, count, file)).toEqual({
      ...{ nom: check.nom, gardien: file.gardien, estSigne: check.isOfSigned },
      ...(checks.length === 1 && index !== undefined ? { index } : {}),
    });
  });

  it.each(CHEATS_OF_DECRYPTION)('$name: without $checks it passes', ({ checks, make }) => {
    const { ceremony, count } = scene;
    const file = make(scene);
    for (let off = 1; off < checks.length; off++) {
      const left = DECRYPTION_CHECKS.filter(({ nom }) => !checks.slice(0, off).includes(nom));
      expect(guardians.decryptionOf(ceremony, count, file, left)).toMatchObject({ nom: checks[off] });
    }
    const left = DECRYPTION_CHECKS.filter(({ nom }) => !checks.includes(nom));
    expect(guardians.decryptionOf(ceremony, count, file, left)).not.toHaveProperty('nom');
  });

  it('control: without the check of the proofs, the cheat adds a vote undetected', () => {
    const { ceremony, count, members } = scene;
    const { make } = CHEATS_OF_DECRYPTION.find(({ name }) => name.includes('one vote more'))!;
    const left = DECRYPTION_CHECKS.filter(({ nom }) => nom !== 'preuvePart');
    const wrong = guardians.decryptionOf(ceremony, count, make(scene), left);
    const [right] = decryptionsOf(ceremony, count, [members[0]!], random);
    const [[first]] = guardians.combine(ceremony, count, [right!, wrong as typeof right & object]) as [
      [Guardians.QuestionResult],
    ];
    const [[plain]] = plainCount(OPTIONS, PLAIN) as [[Guardians.QuestionResult]];
    expect(first.options).toEqual([plain.options[0]! + 1, plain.options[1]]);
  });

  it('the honest file is taken', () => {
    expect(guardians.checkDecryption(scene.ceremony, scene.count, scene.file)).toBeUndefined();
  });
});

/** The inverse modulo the order, by the extended algorithm of Euclid. */
function inverseOf(n: bigint): bigint {
  let [a, b, x, y] = [n, scalars.ORDER, 1n, 0n];
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  return scalars.modulo(x);
}

import { CAMPAIGN } from '../../support/bundle';
import { type Built, type Forgery, type Small, voterId } from './election';
import {
  B,
  b64,
  bitsOf,
  type Cast,
  ceremonyOf,
  type Cheat,
  decimal,
  Draws,
  type File,
  linesOf,
  pointOf,
  seal,
  times,
  sha256,
  signWithIdentity,
  units,
  type Vote,
  voterOf,
} from './prover';

/** The changes of each forger. All other parts of the bundle are consistent with them. */

const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');
/** Changes the bytes of a text of base64url. */
const changed = (text: unknown, change: (bytes: Buffer) => void): string => {
  const bytes = bytesOf(text as string);
  change(bytes);
  return b64(bytes);
};
const flip = (at: number) => (bytes: Buffer) => void (bytes[at < 0 ? bytes.length + at : at]! ^= 1);

/** Changes the ballot of the first voter of class 1. */
const ballot =
  (change: (bytes: Buffer) => Buffer | void): Forgery['ballots'] =>
  ([first, ...rest]) => {
    const bytes = bytesOf(first!.bulletin);
    return [{ ...first!, bulletin: b64(change(bytes) ?? bytes) }, ...rest];
  };

/** Seals the ballot of the first voter in another vote, for another voter, or with other bits. */
const sealedAgain =
  (vote: (vote: Vote) => Vote, voter = voterId(0), bits?: number[][]): Forgery['ballots'] =>
  ([first, ...rest], { small, vote: right }) => {
    const plain = bits ?? bitsOf(small.ballots[0]!.reponses, right.questions);
    return [
      { ...first!, bulletin: b64(seal(vote(right), voter, plain, new Draws('again')).ballot) },
      ...rest,
    ];
  };
const same = (vote: Vote): Vote => vote;

const number = (bytes: Buffer): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const littleEndian = (value: bigint): Buffer =>
  Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
/** Adds the order to a scalar. */
const beyond = (bytes: Buffer, at: number): void =>
  void littleEndian(number(bytes.subarray(at, at + 32)) + L).copy(bytes, at);

/** Another voter's ballot in a line of its own. */
const more =
  (index: number, classe: number): Forgery['ballots'] =>
  (casts, { vote }) => {
    const sealed = seal(
      vote,
      voterId(index),
      [
        [1, 0, 0, 0],
        [1, 0, 0],
      ],
      new Draws('more'),
    );
    const votant = b64(voterOf(CAMPAIGN, voterId(index)));
    return [...casts, { bulletin: b64(sealed.ballot), classe, poids: '1', votant }];
  };

const cast =
  (index: number, change: Partial<Cast>): Forgery['ballots'] =>
  (casts) =>
    casts.map((one, place) => (place === index ? { ...one, ...change } : one));

/** Encrypts the same sum with other randomness. */
function rerandomised(pair: string[], { vote: { Y } }: { vote: Vote }): string[] {
  const [alpha, beta] = pair as [string, string];
  return [b64(pointOf(alpha).add(times(5n, B))), b64(pointOf(beta).add(times(5n, Y)))];
}

const decryption = (change: (file: File) => File, guardian = 1): Forgery['decryptions'] => ({
  unsigned: (file, _, number) => (number === guardian ? change(file) : file),
});
interface Part {
  part: string;
  preuve: string;
}
const part = (change: (part: Part, parts: readonly Part[]) => Part): Forgery['decryptions'] =>
  decryption((file) => {
    const [first, ...rest] = file['parts'] as Part[];
    return { ...file, parts: [change(first!, rest), ...rest] };
  });

/** Changes the figures of class 1 in the first question. */
const figures =
  (change: (line: Parameters<NonNullable<Forgery['figures']>>[0][number]) => object): Forgery['figures'] =>
  (lines, question) =>
    lines.map((line) => (question === 0 && line.classe === 1 ? { ...line, ...change(line) } : line));

const withAnswer = (small: Small, index: number, reponses: number[][]): Small => ({
  ...small,
  ballots: small.ballots.map((one, place) => (place === index ? { ...one, reponses } : one)),
});

/** Forgeries of a vote as `SMALL`. */
export const FORGERIES: Readonly<Record<string, (built: Built) => Forgery>> = {
  'a proof of an option is changed': () => ({ ballots: ballot(flip(1 + 64 * 7 + 3)) }),
  'a proof of the number of options is changed': () => ({ ballots: ballot(flip(-32)) }),
  'a ballot is replaced after its receipt was logged': ({ casts }) => ({
    ballots: sealedAgain(same),
    receipts: ([, ...rest]) => [sha256(bytesOf(casts[0]!.bulletin)), ...rest],
  }),
  'a ballot is dropped': () => ({ ballots: ([, ...rest]) => rest }),
  'a ballot is dropped, and its receipt kept': ({ casts }) => ({
    ballots: ([, ...rest]) => rest,
    receipts: (receipts) => [sha256(bytesOf(casts[0]!.bulletin)), ...receipts],
  }),
  'a ballot is added': () => ({ ballots: more(7, 2) }),
  'two ballots are swapped': () => ({
    ballots: ([one, other, ...rest]) => [
      { ...one!, votant: other!.votant },
      { ...other!, votant: one!.votant },
      ...rest,
    ],
  }),
  'a ballot is copied for another voter': () => ({
    ballots: ([one, other, ...rest]) => [one!, { ...other!, bulletin: one!.bulletin }, ...rest],
  }),
  'a voter has two ballots': () => ({
    ballots: ([one, other, ...rest], { vote, small }) => {
      const bits = bitsOf(small.ballots[1]!.reponses, vote.questions);
      const bulletin = b64(seal(vote, voterId(0), bits, new Draws('twice')).ballot);
      return [one!, { ...other!, bulletin, votant: one!.votant }, ...rest];
    },
  }),
  'a ballot is sealed for another voter': () => ({ ballots: sealedAgain(same, voterId(8)) }),
  'a ballot is sealed for another campaign': () => ({
    ballots: sealedAgain((vote) => ({ ...vote, campagneId: CAMPAIGN.replace('0198', '0199') })),
  }),
  'a ballot is sealed for another threshold': () => ({
    ballots: sealedAgain((vote) => ({ ...vote, seuilAnonymat: 1 })),
  }),
  'a ballot is sealed for other options': () => ({
    ballots: sealedAgain((vote) => ({
      ...vote,
      questions: vote.questions.map((one) => ({ ...one, Options: [...one.Options].reverse() })),
    })),
  }),
  'a ballot is sealed for exchanged labels': () => ({
    ballots: sealedAgain((vote) => ({
      ...vote,
      questions: vote.questions.map((one) => ({ ...one, Libelles: [...one.Libelles].reverse() })),
    })),
  }),
  'a ballot is sealed for another title': () => ({
    ballots: sealedAgain((vote) => ({
      ...vote,
      questions: vote.questions.map((one) => ({ ...one, Titre: `${one.Titre} ?` })),
    })),
  }),
  'a ballot is sealed after another ceremony with the same key': () => ({
    ballots: sealedAgain((vote) => ({ ...vote, Z: sha256(vote.Z) })),
  }),
  'a ballot is sealed with another key': () => ({
    ballots: sealedAgain((vote) => ({ ...vote, Y: times(7n, B) })),
  }),
  'an option counts twice': () => ({
    ballots: sealedAgain(same, voterId(0), [
      [0, 2, 0, 0],
      [0, 0, 1],
    ]),
  }),
  'an option counts −1': () => ({
    ballots: sealedAgain(same, voterId(0), [
      [0, -1, 1, 1],
      [0, 0, 1],
    ]),
  }),
  'a ballot has too many options': () => ({
    ballots: sealedAgain(same, voterId(0), [
      [0, 1, 1, 1],
      [0, 0, 1],
    ]),
  }),
  'a ballot has an option and abstains': () => ({
    ballots: sealedAgain(same, voterId(0), [
      [1, 1, 0, 0],
      [0, 0, 1],
    ]),
  }),
  'a ballot has neither options nor an abstention': () => ({
    ballots: sealedAgain(same, voterId(0), [
      [0, 0, 0, 0],
      [0, 0, 1],
    ]),
  }),
  'α is the identity': () => ({ ballots: ballot((bytes) => void bytes.fill(0, 1, 33)) }),
  'β is the identity': () => ({ ballots: ballot((bytes) => void bytes.fill(0, 33, 65)) }),
  'a scalar is not canonical': () => ({ ballots: ballot((bytes) => beyond(bytes, bytes.length - 32)) }),
  'a ballot is longer': () => ({ ballots: ballot((bytes) => Buffer.concat([bytes, Buffer.alloc(32)])) }),
  'the first byte of a ballot is 2': () => ({ ballots: ballot((bytes) => void (bytes[0] = 2)) }),
  'the lines of the ballots are in another order': () => ({
    order: ([one, other, ...rest]) => [other!, one!, ...rest],
  }),
  'a ballot has another weight': () => ({ ballots: cast(3, { poids: '1.5' }) }),
  'two ballots exchange their weights': () => ({
    ballots: (casts) =>
      casts.map((one, index) =>
        index === 3 ? { ...one, poids: '4' } : index === 6 ? { ...one, poids: '1' } : one,
      ),
  }),
  'a ballot is in another class': () => ({ ballots: cast(6, { classe: 1 }) }),
  'a ballot is in a class that the vote does not have': () => ({
    ballots: cast(6, { classe: 3 }),
    sums: (sums) => sums.slice(0, 2),
  }),

  'a sum is encrypted anew': (built) => ({
    sums: ([first, ...rest]) => {
      first!.nombres[0]![1] = rerandomised(first!.nombres[0]![1]!, built);
      return [first!, ...rest];
    },
  }),
  'a sum by weight is encrypted anew': (built) => ({
    sums: ([first, second]) => {
      second!.poids![1]![2] = rerandomised(second!.poids![1]![2]!, built);
      return [first!, second!];
    },
  }),
  'a sum has one vote more': () => ({
    sums: ([first, ...rest]) => {
      const [alpha, beta] = first!.nombres[0]![2]! as [string, string];
      first!.nombres[0]![2] = [alpha, b64(pointOf(beta).add(B))];
      return [first!, ...rest];
    },
  }),
  'the unit of a sum is another one': () => ({
    sums: ([first, second]) => [first!, { ...second!, unite: decimal(2n * units(second!.unite)) }],
  }),
  'a sum counts another number of ballots': () => ({
    sums: ([first, second]) => [{ ...first!, bulletins: 4 }, second!],
  }),
  'a sum has another total': () => ({ sums: ([first, second]) => [{ ...first!, total: '7' }, second!] }),
  'sums by weight are left out': () => ({ sums: ([first, second]) => [first!, { ...second!, poids: null }] }),
  'a class has no sums': () => ({ sums: ([first]) => [first!] }),

  'a part of a decryption is another point': () => ({
    decryptions: part((one) => ({ ...one, part: b64(pointOf(one.part).add(B)) })),
  }),
  'a proof of a decryption is that of another part': () => ({
    decryptions: part((one, [next]) => ({ ...one, preuve: next!.preuve })),
  }),
  'a decryption lacks a part': () => ({
    decryptions: decryption((file) => ({ ...file, parts: (file['parts'] as Part[]).slice(1) })),
  }),
  'a decryption is signed by another guardian': () => ({
    decryptions: decryption((file) => ({ ...file, gardien: 2 })),
  }),
  'the signature of a decryption is changed': () => ({
    decryptions: {
      signed: (file, _, guardian) =>
        guardian === 3 ? { ...file, signature: changed(file['signature'], flip(0)) } : file,
    },
  }),
  'a decryption follows another ceremony': () => ({
    decryptions: decryption((file) => ({ ...file, precedent: changed(file['precedent'], flip(0)) })),
  }),
  'a decryption is one of other sums': () => ({
    decryptions: decryption((file) => ({ ...file, depouillement: changed(file['depouillement'], flip(0)) })),
  }),
  'a decryption is one of another campaign': () => ({
    decryptions: decryption((file) => ({ ...file, campagneId: CAMPAIGN.replace('0198', '0199') })),
  }),
  'a decryption is a file of round 3': () => ({ decryptions: decryption((file) => ({ ...file, tour: 3 })) }),
  'too few guardians decrypt': () => ({ presents: [2] }),
  'more guardians decrypt than are needed': () => ({ presents: [1, 2, 3] }),
  'a guardian decrypts twice': () => ({ presents: [2, 2] }),
  'the guardians are in another order': () => ({ presents: [3, 1] }),

  'a vote is published for another option': ({ small }) => ({ claimed: withAnswer(small, 1, [[1], []]) }),
  'an abstention is published as a vote': ({ small }) => ({ claimed: withAnswer(small, 2, [[0], [0]]) }),
  'a vote of another weight is published for another option': ({ small }) => ({
    claimed: withAnswer(small, 4, [[1], [1]]),
  }),
  'a weight is changed': () => ({
    figures: figures(({ poids: [a, b, c] }) => ({ poids: [a!, b, decimal(units(c!) + 5_000n)] })),
  }),
  'a weight of a class with several weights is changed': () => ({
    figures: (lines, question) =>
      lines.map((line) =>
        question === 0 && line.classe === 2 ? { ...line, poids: ['0', '4.5', line.poids[2]!] } : line,
      ),
  }),
  'more abstain than vote': () => ({ figures: figures(() => ({ abstentions: 4 })) }),
  'an option has more votes than are expressed': () => ({
    figures: figures(({ options: [, b, c] }) => ({ options: [3, b!, c!] })),
  }),
  'the figures of a class are missing': () => ({
    figures: (lines, question) => (question === 0 ? lines.slice(1) : lines),
  }),
  'the figures of a class are there twice': () => ({
    figures: (lines, question) => (question === 0 ? [lines[0]!, { ...lines[0]!, abstentions: 2 }] : lines),
  }),

  'a receipt is missing': () => ({ receipts: (receipts) => receipts.slice(1) }),
  'a receipt is another one': () => ({
    receipts: ([, ...rest]) => [sha256(Buffer.from('another')), ...rest],
  }),
  'the vote names other decimals': () => ({
    scrutin: (vote) => void ((vote['questions'] as { Decimales: number }[])[0]!.Decimales = 2),
  }),
  'the vote names another key': () => ({
    scrutin: (vote) => void ((vote['chiffrement'] as Record<string, unknown>)['cle'] = b64(times(9n, B))),
  }),
  'the vote names another ceremony': () => ({
    scrutin: (vote) =>
      void ((vote['chiffrement'] as Record<string, unknown>)['ceremonie'] = b64(sha256(Buffer.of(1)))),
  }),
  'the vote names another guardian': () => ({
    scrutin: (vote) =>
      void ((vote['chiffrement'] as Record<string, unknown>)['gardiens'] = [
        'Alice Roy',
        'Bruno Pic',
        'Mallory',
      ]),
  }),
  'the vote names another threshold of guardians': () => ({
    scrutin: (vote) => void ((vote['chiffrement'] as Record<string, unknown>)['seuil'] = 3),
    presents: [1, 2, 3],
  }),
  'the ceremony is that of others, with another key': ({ small }) => ({
    files: (files) =>
      void files.set(
        'chiffrement/ceremonie.ndjson',
        linesOf(ceremonyOf(CAMPAIGN, small.gardiens, small.seuil, {}, 'others').files),
      ),
  }),
};

/** A vote with one option and one voter, which makes forging a ceremony quick. */
export const TINY: Small = {
  seuilAnonymat: 1,
  gardiens: ['Alice Roy', 'Bruno Pic', 'Chloé Ney'],
  seuil: 2,
  presents: [1, 2],
  questions: [{ Type: 'ChoixLibre', EstPreferentiel: false, MaxReponses: 1, options: ['A'] }],
  ballots: [{ syndicat: 'SYN-1', reponses: [[0]] }],
};

/** Changes a file of a round, of the second guardian unless said otherwise. */
const file =
  (round: number, change: (file: File) => object, guardian = 2): Cheat['unsigned'] =>
  (one, tour, number) =>
    tour === round && number === guardian ? { ...one, ...change(one) } : one;
const without = (one: File, name: string): File =>
  Object.fromEntries(Object.entries(one).filter(([member]) => member !== name));

interface Share {
  ephemere: string;
  valeur: string;
}
const share = (change: (share: Share) => object): Cheat['unsigned'] =>
  file(2, ({ parts }) => {
    const [first, ...rest] = parts as Share[];
    return { parts: [{ ...first!, ...change(first!) }, ...rest] };
  });

let first: File | undefined;

/** Forgeries of the ceremony of a vote as `TINY`. */
export const CEREMONIES: Readonly<Record<string, Cheat>> = {
  'the signature of a file is changed': {
    signed: (one, round, guardian) =>
      round === 2 && guardian === 3 ? { ...one, signature: changed(one['signature'], flip(0)) } : one,
  },
  'the signature of a file has the identity as its R': {
    signature: (text, key, round, guardian) =>
      round === 2 && guardian === 3 ? signWithIdentity(text, key) : undefined,
  },
  'a file is one of another campaign': {
    unsigned: file(3, () => ({ campagneId: CAMPAIGN.replace('0198', '0199') })),
  },
  'a file is one of another guardian': { unsigned: file(3, () => ({ gardien: 1 })) },
  'a file is one of another round': { unsigned: file(3, () => ({ tour: 2 })) },
  'a guardian has another name': { unsigned: file(1, () => ({ nom: 'Mallory' })) },
  'a guardian counts other guardians': { unsigned: file(1, () => ({ nombre: 4 })) },
  'a guardian names another threshold': { unsigned: file(1, () => ({ seuil: 1 })) },
  'a guardian does not know the key of transport': {
    unsigned: file(1, ({ preuve }) => ({ preuve: changed(preuve, flip(32)) })),
  },
  'the key of transport is the identity': {
    unsigned: file(1, () => ({ cleTransport: b64(Buffer.alloc(32)) })),
  },
  'a guardian copies the key of transport of another': {
    unsigned: (one, tour, number) => {
      if (tour === 1 && number === 1) first = one;
      if (tour !== 1 || number !== 2) return one;
      return { ...one, cleTransport: first!['cleTransport'], preuve: first!['preuve'] };
    },
  },
  'round 2 follows another round 1': {
    unsigned: file(2, ({ precedent }) => ({ precedent: changed(precedent, flip(0)) })),
  },
  'a guardian commits to too few coefficients': {
    unsigned: file(2, ({ engagements }) => ({ engagements: (engagements as string[]).slice(0, 1) })),
  },
  'a commitment is the identity': {
    unsigned: file(2, ({ engagements }) => ({
      engagements: [(engagements as string[])[0], b64(Buffer.alloc(32))],
    })),
  },
  'a commitment is no canonical point': {
    unsigned: file(2, ({ engagements }) => ({
      engagements: [(engagements as string[])[0], b64(Buffer.alloc(32, 255))],
    })),
  },
  'a guardian does not know the secret of the commitment': {
    unsigned: file(2, ({ preuve }) => ({ preuve: changed(preuve, flip(32)) })),
  },
  'a guardian has no part for another': {
    unsigned: file(2, ({ parts }) => ({ parts: (parts as Share[]).slice(1) })),
  },
  'a part is encrypted to no canonical point': {
    unsigned: share(() => ({ ephemere: b64(Buffer.alloc(32, 255)) })),
  },
  'a part has a scalar that is not canonical': {
    unsigned: share(({ valeur }) => ({ valeur: changed(valeur, (bytes) => beyond(bytes, 0)) })),
  },
  'round 3 follows another round 2': {
    unsigned: file(3, ({ precedent }) => ({ precedent: changed(precedent, flip(0)) })),
  },
  'a guardian agrees to another key': { unsigned: file(3, () => ({ cle: b64(times(3n, B)) })) },
  'a guardian has complained': {
    unsigned: (one, tour, number) =>
      tour === 3 && number === 2
        ? { ...without(one, 'cle'), plainte: { contre: 1, secret: b64(B), preuve: b64(Buffer.alloc(64)) } }
        : one,
  },
};

import {
  bindingDigest,
  type Choix,
  hash,
  hashToScalar,
  noble,
  readBallot,
  type Scrutin,
  sealWith,
  structureDigest,
  voteOf,
  voterDigest,
} from './package';
import { base64url, scalarBytes, seeded, testVote, uuid } from './votes';

const VOTES: readonly { name: string; questions: [number, number, number][]; ballots: Choix[] }[] = [
  { name: 'one question', questions: [[2, 1, 1]], ballots: [[[0]], [[]]] },
  {
    name: 'two questions',
    questions: [
      [3, 0, 7],
      [1, 1, 1],
    ],
    ballots: [
      [[0, 2], []],
      [[1], [0]],
    ],
  },
  { name: 'two options at least', questions: [[4, 2, 3]], ballots: [[[3, 1]], [[0, 1, 2]]] },
];

const PARTS = ['', '00', '6d616e646174'];

/** The test vectors of docs/encrypted-vote.md: always the same, because their randomness follows from names. */
export function makeVectors(): object {
  const bytes = PARTS.map((hex) => Buffer.from(hex, 'hex'));
  return {
    hash: {
      name: 'exemple',
      parts: PARTS,
      H: base64url(hash('exemple', ...bytes)),
      Hs: scalarBytes(hashToScalar('exemple', ...bytes)),
    },
    votes: VOTES.map(({ name, questions, ballots }) => {
      const { scrutin: lowercase, secret } = testVote(`vector ${name}`, questions);
      // Identifiers may come in capitals.
      const scrutin = { ...lowercase, campagneId: lowercase.campagneId.toUpperCase() };
      return {
        scrutin,
        secret: scalarBytes(secret),
        S: base64url(structureDigest(scrutin)),
        bulletins: ballots.map((choix, n) => ballotVector(scrutin, `${name} ${n}`, choix)),
      };
    }),
    audit: auditVector(),
  };
}

function ballotVector(scrutin: Scrutin, name: string, choix: Choix): object {
  const VotantId = uuid(`vector ${name}`);
  const sealed = sealWith(noble, seeded(`vector ${name}`), scrutin, VotantId, choix);
  const { BulletinChiffre } = sealed.cast();
  const vote = voteOf(noble, scrutin);
  const voter = voterDigest(scrutin.campagneId, VotantId);
  const { ciphertexts } = readBallot(vote, Buffer.from(BulletinChiffre, 'base64url'));
  return {
    VotantId,
    choix,
    V: base64url(voter),
    C: base64url(bindingDigest({ ...vote, voter, ciphertexts })),
    bulletin: BulletinChiffre,
    recu: sealed.recu,
  };
}

function auditVector(): object {
  const { scrutin } = testVote('vector audit', [
    [2, 1, 2],
    [2, 1, 1],
  ]);
  const sealed = sealWith(noble, seeded('vector audit'), scrutin, uuid('vector audit'), [[0, 1], []]);
  return { recu: sealed.recu, opened: sealed.audit() };
}

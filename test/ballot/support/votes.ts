import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import {
  type Choix,
  encodeScalar,
  littleEndian,
  modulo,
  noble,
  type Question,
  type Scrutin,
} from './package';

export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Scalars that follow from a seed. */
export function seeded(seed: string): () => bigint {
  let n = 0;
  return () => modulo(littleEndian(createHash('sha512').update(`${seed} ${n++}`).digest()));
}

/** An identifier that follows from a name. */
export function uuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `7${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** A vote whose secret key the test has. */
export interface TestVote {
  readonly scrutin: Scrutin;
  readonly secret: bigint;
}

/** @param questions options, fewest and most of each question */
export function testVote(name: string, questions: readonly (readonly [number, number, number])[]): TestVote {
  const secret = seeded(`${name} key`)();
  return {
    secret,
    scrutin: {
      campagneId: uuid(`${name} campaign`),
      ceremonie: createHash('sha256').update(`${name} ceremony`).digest('base64url'),
      cle: base64url(noble.encode(noble.multiplyBase(secret))),
      questions: questions.map(([options, MinReponses, MaxReponses], q): Question => ({
        QuestionId: uuid(`${name} question ${q}`),
        // Characters that JSON escapes, and some that only other forms of JSON escape.
        Titre: `Question ${q} « à "e\u0301lire\\ » / \u0001\t\u007f\u2028😀`,
        Options: Array.from({ length: options }, (_, option) => uuid(`${name} option ${q} ${option}`)),
        Libelles: Array.from({ length: options }, (_, option) => `${name}, choix n° ${option}`),
        MinReponses,
        MaxReponses,
      })),
      seuilAnonymat: 5,
    },
  };
}

const questions = fc.integer({ min: 1, max: 6 }).chain((options) =>
  fc
    .tuple(fc.integer({ min: 1, max: options }), fc.integer({ min: 0, max: options }))
    .map(([one, other]): [number, number, number] => [
      options,
      Math.min(one, other),
      // A vote may allow more options than a question has.
      Math.max(one, other) === options ? options + (other % 2) : Math.max(one, other),
    ]),
);

/** A vote with some ballots. */
export const elections: fc.Arbitrary<{ vote: TestVote; ballots: Choix[] }> = fc
  .tuple(fc.array(questions, { minLength: 1, maxLength: 3 }), fc.nat())
  .chain(([structure, name]) => {
    const choix = fc.tuple(
      ...structure.map(([options, least, most]) =>
        fc.oneof(
          { weight: 1, arbitrary: fc.constant([]) },
          {
            weight: 3,
            arbitrary: fc.shuffledSubarray([...Array(options).keys()], {
              minLength: Math.max(1, least),
              maxLength: Math.min(options, most),
            }),
          },
        ),
      ),
    );
    return fc.record({
      vote: fc.constant(testVote(String(name), structure)),
      ballots: fc.array(choix, { minLength: 1, maxLength: 3 }),
    });
  });

/** Returns a copy of a vote's structure with another member. */
export function withMember(scrutin: Scrutin, member: Partial<Scrutin>): Scrutin {
  return { ...scrutin, ...member };
}

export const scalarBytes = (scalar: bigint): string => base64url(encodeScalar(scalar));

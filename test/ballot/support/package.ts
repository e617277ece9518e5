import { join } from 'node:path';
import type * as Check from '../../../packages/ballot/dist/check.js';
import type * as Checks from '../../../packages/ballot/dist/checks.js';
import type * as GroupModule from '../../../packages/ballot/dist/group.js';
import type * as Hash from '../../../packages/ballot/dist/hash.js';
import type * as Index from '../../../packages/ballot/dist/index.js';
import type * as Layout from '../../../packages/ballot/dist/layout.js';
import type * as Noble from '../../../packages/ballot/dist/noble.js';
import type * as Proofs from '../../../packages/ballot/dist/proofs.js';
import type * as Seal from '../../../packages/ballot/dist/seal.js';
import type * as Sodium from '../../../packages/ballot/dist/sodium.js';
import type * as Structure from '../../../packages/ballot/dist/structure.js';
import type * as Transcript from '../../../packages/ballot/dist/transcript.js';
import type * as Vote from '../../../packages/ballot/dist/vote.js';

export type { CheckName, Failure } from '../../../packages/ballot/dist/checks.js';
export type { Group } from '../../../packages/ballot/dist/group.js';
export type { QuestionProofs } from '../../../packages/ballot/dist/layout.js';
export type { Point } from '../../../packages/ballot/dist/noble.js';
export type { Answer, Opening } from '../../../packages/ballot/dist/proofs.js';
export type { Choix, OpenedBallot } from '../../../packages/ballot/dist/seal.js';
export type { Question, Scrutin } from '../../../packages/ballot/dist/structure.js';

export const PACKAGE = join(__dirname, '../../../packages/ballot');

/** A built module of the package. It is loaded by its path, because the tests also use what the package does not export. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const built = <T>(name: string): T => require(join(PACKAGE, 'dist', `${name}.js`)) as T;

export const { seal, checkAudit, receiptOf } = built<typeof Index>('index');
export const checkModule = built<typeof Check>('check');
export const { CHECKS, checker, checkerOf } = built<typeof Checks>('checks');
export const { decodeScalar, encodeScalar, littleEndian, modulo, ORDER } = built<typeof GroupModule>('group');
export const { hash, hashToScalar } = built<typeof Hash>('hash');
export const { readBallot, writeBallot, writeCiphertexts } = built<typeof Layout>('layout');
export const { noble } = built<typeof Noble>('noble');
export const { prove } = built<typeof Proofs>('proofs');
export const { ChoiceError, encrypt, sealWith } = built<typeof Seal>('seal');
export const { libsodium } = built<typeof Sodium>('sodium');
export const { ballotLength, limitsOf, numberBranchesOf, structureDigest, voterDigest } =
  built<typeof Structure>('structure');
export const { bindingDigest, transcriptOf } = built<typeof Transcript>('transcript');
export const { voteOf } = built<typeof Vote>('vote');

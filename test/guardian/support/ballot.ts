import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type * as Guardians from '../../../packages/ballot/dist/guardians.js';
import type * as GroupModule from '../../../packages/ballot/dist/group.js';
import type * as NobleModule from '../../../packages/ballot/dist/noble.js';
import type * as SealModule from '../../../packages/ballot/dist/seal.js';
import type * as SignedFiles from '../../../packages/ballot/dist/signed-file.js';

export const PACKAGE = join(__dirname, '../../../packages/ballot');

/** The built packages. They are loaded by their paths, because the repository does not depend on them. */
/* eslint-disable @typescript-eslint/no-require-imports */
export const guardians = require(join(PACKAGE, 'dist/guardians.js')) as typeof Guardians;
export const scalars = require(join(PACKAGE, 'dist/group.js')) as typeof GroupModule;
export const { noble } = require(join(PACKAGE, 'dist/noble.js')) as typeof NobleModule;
export const { sealWith } = require(join(PACKAGE, 'dist/seal.js')) as typeof SealModule;
export const signedFile = require(join(PACKAGE, 'dist/signed-file.js')) as typeof SignedFiles;
/* eslint-enable @typescript-eslint/no-require-imports */

/** A point of libsodium. */
export type Point = Uint8Array;
export type Ceremony = Guardians.Ceremony<Point>;
export type Count = Guardians.Count<Point>;
export type Decryption = Guardians.Decryption<Point>;
export type Group = Guardians.Group<Point>;

/** Repeatable bytes, from the SHA-512 of a seed and a counter. */
export function seeded(seed: string): Guardians.RandomBytes {
  let block = 0;
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; at += 64)
      bytes.set(
        createHash('sha512')
          .update(`${seed}/${block++}`)
          .digest()
          .subarray(0, length - at),
        at,
      );
    return bytes;
  };
}

/** The guardians' part of an encrypted vote: ceremony, sums and decryption (docs/encrypted-vote.md). */
export { base64url, bytesOf } from './bytes.js';
export * from './ceremony.js';
export type * from './ceremony-files.js';
export * from './decryption.js';
export { decodeScalar, encodeScalar, type Group, type RandomBytes } from './group.js';
export * from './guardian.js';
export { canonical } from './json.js';
export { MOST_TRIED } from './logarithm.js';
export { digestOfFile, fingerprintOf } from './signed-file.js';
export { libsodium } from './sodium.js';
export * from './sums.js';
export { weightOf, weightText } from './weights.js';

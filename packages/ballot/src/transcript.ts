import { u32 } from './bytes.js';
import { hash, hashToScalar } from './hash.js';

/** Values that bind a ballot: digests of the ceremony (Z), the structure (S) and the voter (V), and its own ciphertexts (X). */
export interface Binding {
  readonly ceremony: Uint8Array;
  readonly structure: Uint8Array;
  readonly voter: Uint8Array;
  readonly ciphertexts: Uint8Array;
}

/** The challenges of the proofs of one ballot. */
export interface Transcript {
  option(question: number, slot: number, commitments: Uint8Array): bigint;
  number(question: number, commitments: Uint8Array): bigint;
}

/** C, with which every challenge of a ballot begins. */
export function bindingDigest({ ceremony, structure, voter, ciphertexts }: Binding): Uint8Array {
  return hash('bulletin', ceremony, structure, voter, ciphertexts);
}

export function transcriptOf(binding: Binding): Transcript {
  const c = bindingDigest(binding);
  return {
    option: (question, slot, commitments) => hashToScalar('option', c, u32(question), u32(slot), commitments),
    number: (question, commitments) => hashToScalar('nombre', c, u32(question), commitments),
  };
}

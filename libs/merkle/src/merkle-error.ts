// SPDX-License-Identifier: Apache-2.0

/** Why a proof, a frontier, a tile or a bundle from outside was refused; closed. */
export type MerkleReason =
  | 'bad_size'
  | 'bad_index'
  | 'bad_hash'
  | 'bad_proof_length'
  | 'root_mismatch'
  | 'bad_frontier'
  | 'bad_tile'
  | 'bad_bundle';

const MESSAGES: Readonly<Record<MerkleReason, string>> = {
  bad_size: 'tree size is not one that the proof can be about',
  bad_index: 'leaf index is not within the tree',
  bad_hash: 'hash is not 32 bytes',
  bad_proof_length: 'proof has too few or too many hashes',
  root_mismatch: 'proof does not lead to the root',
  bad_frontier: 'frontier is not well formed',
  bad_tile: 'tile is not well formed or not of its width',
  bad_bundle: 'entry bundle is not well formed',
};

/** The only error that the verifiers and parsers of this library throw, for any input. */
export class MerkleError extends Error {
  readonly reason: MerkleReason;

  constructor(reason: MerkleReason) {
    super(MESSAGES[reason]);
    this.name = 'MerkleError';
    this.reason = reason;
  }
}

// SPDX-License-Identifier: Apache-2.0
//
// The request of a log to a witness for a cosignature (https://c2sp.org/tlog-witness, `add-checkpoint`): the size that
// the witness last saw, a proof that the log grew from there, a blank line, the checkpoint.
import { decodeBase64, encodeBase64 } from './base64/base64.ts';
import { SignatureError } from './signature-error.ts';

/** The specification's bound: a proof between trees of less than 2^63 leaves. */
const PROOF_LINES_MAX = 63;
/** Length of a hash, in bytes. */
const HASH_BYTES = 32;
/** Decimal without leading zeroes. */
const OLD_LINE = /^old (0|[1-9][0-9]{0,15})$/;

export interface AddCheckpoint {
  /** Number of leaves of the checkpoint that the witness last cosigned; 0 for none. */
  readonly oldSize: number;
  /** The consistency proof from there to the checkpoint (RFC 6962 §2.1.2). */
  readonly hashes: readonly Uint8Array[];
  /** The signed note of the checkpoint. */
  readonly note: string;
}

/** The body of the request. */
export function formatAddCheckpoint({ oldSize, hashes, note }: AddCheckpoint): string {
  return `old ${String(oldSize)}\n${hashes.map((hash) => `${encodeBase64(hash)}\n`).join('')}\n${note}`;
}

/**
 * Parses an attacker-controlled body, without the note.
 *
 * @throws SignatureError `malformed_request`
 */
export function parseAddCheckpoint(body: string): AddCheckpoint {
  const end = body.indexOf('\n\n');
  const [old = '', ...proof] = body.slice(0, Math.max(0, end)).split('\n');
  const oldSize = Number(OLD_LINE.exec(old)?.[1] ?? NaN);
  if (end === -1 || !Number.isSafeInteger(oldSize) || proof.length > PROOF_LINES_MAX)
    throw new SignatureError('malformed_request');
  const hashes = proof.map((line) => decodeBase64(line, 'malformed_request'));
  if (hashes.some((hash) => hash.length !== HASH_BYTES)) throw new SignatureError('malformed_request');
  return { oldSize, hashes, note: body.slice(end + 2) };
}

// SPDX-License-Identifier: Apache-2.0
//
// C2SP checkpoints (https://c2sp.org/tlog-checkpoint): the text of a note that states a log's size and root.
import { decodeBase64, encodeBase64 } from './base64/base64.ts';
import { isNoteText } from './note.ts';
import { SignatureError } from './signature-error.ts';

/** Length of a root hash, in bytes. */
const ROOT_BYTES = 32;
/** Decimal without leading zeroes. */
const SIZE = /^(?:0|[1-9][0-9]{0,15})$/;

export interface Checkpoint {
  /** The log's identity. */
  readonly origin: string;
  /** Number of leaves, below 2^53. */
  readonly treeSize: number;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

/**
 * The text of a checkpoint, to be signed as a note.
 *
 * @throws SignatureError `malformed_checkpoint` for values that could not be parsed again.
 */
export function formatCheckpoint({ origin, treeSize, root }: Checkpoint): string {
  const text = `${origin}\n${String(treeSize)}\n${encodeBase64(root)}\n`;
  parseCheckpoint(text);
  return text;
}

/**
 * Parses the text of a verified note. Extension lines, which the specification allows after the root, are refused: no
 * log of Writ writes any, and no program would check them.
 *
 * @throws SignatureError `malformed_checkpoint`
 */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin, size, root, end, ...extensions] = text.split('\n');
  if (
    !isNoteText(text) ||
    origin === '' ||
    size === undefined ||
    root === undefined ||
    end !== '' ||
    extensions.length > 0 ||
    !SIZE.test(size)
  ) {
    throw new SignatureError('malformed_checkpoint');
  }
  const treeSize = Number(size);
  const bytes = decodeBase64(root, 'malformed_checkpoint');
  if (!Number.isSafeInteger(treeSize) || bytes.length !== ROOT_BYTES) throw new SignatureError('malformed_checkpoint');
  return { origin: origin as string, treeSize, root: bytes };
}

// SPDX-License-Identifier: Apache-2.0
//
// The receipt file. INVARIANT (one spelling): a receipt has exactly one encoding, so changing any byte of it is a
// failure.
import { Receipt, parseMessage } from '@writ/contract';
import type { Envelope } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { encodeBase64, parseEnvelope } from '@writ/signing';
import { demand, within } from './run-check.ts';

export const RECEIPT_MEDIA_TYPE = 'application/vnd.writ.receipt.v1+json';

/** Four times the size of a record of 16 KiB, 53 hashes and a checkpoint; bounds the work on a hostile file. */
const RECEIPT_BYTES_MAX = 128 * 1024;
/** The receipt, its envelope, the list of signatures, a signature. */
const RECEIPT_DEPTH = 4;
const NEWLINE = 0x0a;

export interface Proof {
  readonly leafIndex: number;
  readonly treeSize: number;
  /** The audit path, from the leaf's sibling up. */
  readonly hashes: readonly Uint8Array[];
  /** The signed note of that tree size. */
  readonly checkpoint: string;
}

/** Combines a sealed record and its proof. Verifies nothing. */
export function assembleReceipt(envelope: Envelope, { leafIndex, treeSize, hashes, checkpoint }: Proof): Receipt {
  return {
    media_type: RECEIPT_MEDIA_TYPE,
    envelope,
    inclusion: { leaf_index: leafIndex, tree_size: treeSize, hashes: hashes.map(encodeBase64), checkpoint },
  };
}

/** The canonical text of a receipt: members in the order of the format, no white space, a newline at the end. */
export function encodeReceipt({ envelope, inclusion }: Receipt): string {
  return `${JSON.stringify({
    media_type: RECEIPT_MEDIA_TYPE,
    envelope: {
      payloadType: envelope.payloadType,
      payload: envelope.payload,
      signatures: envelope.signatures.map(({ keyid, sig }) => ({ keyid, sig })),
    },
    inclusion: {
      leaf_index: inclusion.leaf_index,
      tree_size: inclusion.tree_size,
      hashes: inclusion.hashes,
      checkpoint: inclusion.checkpoint,
    },
  })}\n`;
}

/**
 * Parses an attacker-controlled receipt file. The result is well formed and otherwise unverified.
 *
 * @throws ReceiptError `format`
 */
export function parseReceipt(file: string | Uint8Array): Receipt {
  const receipt = requireReceipt(
    within('format', () => parseIJson(lineOf(file), { depthMax: RECEIPT_DEPTH, bytesMax: RECEIPT_BYTES_MAX })),
  );
  const text = typeof file === 'string' ? file : new TextDecoder('utf-8', { ignoreBOM: true }).decode(file);
  demand(
    'format',
    encodeReceipt(receipt) === text,
    'the file is not written as receipts are: one line, members in order, a newline at the end',
  );
  return receipt;
}

/**
 * Removes the newline at its end, which `encodeReceipt` adds again: the rest of the canonical text has no white space.
 */
function lineOf(file: string | Uint8Array): string | Uint8Array {
  if (typeof file === 'string') return file.endsWith('\n') ? file.slice(0, -1) : file;
  return file.at(-1) === NEWLINE ? file.subarray(0, -1) : file;
}

/** Checks the shape of a receipt that is already parsed. */
export function requireReceipt(value: unknown): Receipt {
  return within('format', () => {
    const receipt = parseMessage(Receipt, value);
    parseEnvelope(receipt.envelope);
    return receipt;
  });
}

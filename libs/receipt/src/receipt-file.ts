// SPDX-License-Identifier: Apache-2.0
//
// The receipt file. INVARIANT (one spelling): a receipt has exactly one encoding, its canonical text, and that is what
// Writ writes and stores. INVARIANT (formatting only): a file may differ from it in nothing but the formatting of its
// JSON, and then the canonical text is rebuilt. Every value has to be there, once, and nothing else.
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

/** A receipt file that a person may have opened and saved. */
export interface ReceiptFile {
  readonly receipt: Receipt;
  /** whether it is another spelling of the same JSON than the canonical text, which `encodeReceipt` makes */
  readonly isReformatted: boolean;
}

/**
 * Parses an attacker-controlled receipt file, in any formatting of its JSON: white space, the order of members, escapes
 * and spellings of numbers. Unknown members and members that are given twice are refused. The result is well formed and
 * otherwise unverified.
 *
 * @throws ReceiptError `format`
 */
export function readReceiptFile(file: string | Uint8Array): ReceiptFile {
  const receipt = requireReceipt(
    within('format', () => parseIJson(file, { depthMax: RECEIPT_DEPTH, bytesMax: RECEIPT_BYTES_MAX })),
  );
  const text = typeof file === 'string' ? file : new TextDecoder('utf-8', { ignoreBOM: true }).decode(file);
  return { receipt, isReformatted: encodeReceipt(receipt) !== text };
}

/**
 * Parses an attacker-controlled receipt in its canonical text alone: for the lines of files that Writ writes, where
 * another spelling shows that somebody else has written there.
 *
 * @throws ReceiptError `format`
 */
export function parseReceipt(file: string | Uint8Array): Receipt {
  const { receipt, isReformatted } = readReceiptFile(file);
  demand(
    'format',
    !isReformatted,
    'the file is not written as receipts are: one line, members in order, a newline at the end',
  );
  return receipt;
}

/** Checks the shape of a receipt that is already parsed. */
export function requireReceipt(value: unknown): Receipt {
  return within('format', () => {
    const receipt = parseMessage(Receipt, value);
    parseEnvelope(receipt.envelope);
    return receipt;
  });
}

// SPDX-License-Identifier: Apache-2.0
import { RECORD_PAYLOAD_TYPE, type Receipt } from '@writ/contract';
import type { Client } from '@writ/database';
import { encodeBase64 } from '@writ/signing';

/** A stored leaf: the signed bytes and the kernel's signature. */
export interface LeafRow {
  readonly leaf_index: number;
  readonly payload: Buffer;
  readonly keyid: string;
  readonly sig: Buffer;
}

/** Leaves from one index up to another one, exclusive. */
export interface LeafRange {
  readonly from: number;
  readonly to: number;
  /** No further leaf is added once the leaves so far have as many bytes of payload. */
  readonly bytesMax: number;
}

/** Reads leaves in their order, in the caller's transaction: the first, and as many more as fit. */
export async function readLeaves(
  client: Client,
  logId: string,
  { from, to, bytesMax }: LeafRange,
): Promise<readonly LeafRow[]> {
  const { rows } = await client.query<LeafRow>(
    `SELECT leaf_index, payload, keyid, sig FROM (
       SELECT leaf_index, payload, keyid, sig, sum(length(payload)) OVER (ORDER BY leaf_index) - length(payload) AS before
         FROM ledger.leaf WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $3) x
      WHERE before < $4 ORDER BY leaf_index`,
    [logId, from, to, bytesMax],
  );
  return rows;
}

/** Reads the signatures of the leaves from one index up to another one, exclusive, in their order. */
export async function readSignatures(
  client: Client,
  logId: string,
  from: number,
  to: number,
): Promise<readonly Pick<LeafRow, 'keyid' | 'sig'>[]> {
  const { rows } = await client.query<Pick<LeafRow, 'keyid' | 'sig'>>(
    'SELECT keyid, sig FROM ledger.leaf WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $3 ORDER BY leaf_index',
    [logId, from, to],
  );
  return rows;
}

/** The envelope as the kernel sealed it. */
export const envelopeOf = ({ payload, keyid, sig }: LeafRow): Receipt['envelope'] => ({
  payloadType: RECORD_PAYLOAD_TYPE,
  payload: encodeBase64(payload),
  signatures: [{ keyid, sig: encodeBase64(sig) }],
});

// SPDX-License-Identifier: Apache-2.0
import { Fault, type Receipt, type ReceiptRequest } from '@writ/contract';
import type { Client } from '@writ/database';
import { envelopeOf, type LeafRow } from './leaf-rows.ts';
import { inclusionOf } from './log-reader.ts';
import type { SignedLog } from './signed-log.ts';

/**
 * Makes receipts: a stored record with its proof towards the newest checkpoint. It reads only tiles, never the whole
 * log.
 */
export class Receipts {
  readonly #log: SignedLog;

  constructor(log: SignedLog) {
    this.#log = log;
  }

  /**
   * Faults: `not_found` when the log has no such record (yet), `receipt.pending` where its root isn't signed yet,
   * `ledger.diverged`.
   */
  async of(request: ReceiptRequest): Promise<Receipt> {
    const receipt = await this.#log.read(request.tenant_id, async (client, logId, newest) => {
      const leaf = await findLeaf(client, logId, request);
      return newest === null || newest.treeSize <= leaf.leaf_index
        ? null
        : {
            media_type: 'application/vnd.writ.receipt.v1+json' as const,
            envelope: envelopeOf(leaf),
            inclusion: await inclusionOf(client, logId, leaf.leaf_index, newest),
          };
    });
    if (receipt === null) throw new Fault('receipt.pending');
    return receipt;
  }

  /**
   * The newest checkpoint of the tenant's log, or the newest witnessed one if there is any. Faults: `not_found` for a
   * log without records, `ledger.diverged`.
   */
  async checkpoint(tenantId: string): Promise<string> {
    const newest = await this.#log.readNewest(tenantId, async (_client, _logId, checkpoint) => checkpoint);
    if (newest === null) throw new Fault('not_found');
    return (newest.witnessed ?? newest).note;
  }
}

/**
 * The record of the operation: its outcome, else its last decision. If the request names a phase, the last record of
 * that phase. A resolution is a record kind of its own.
 */
async function findLeaf(client: Client, logId: string, request: ReceiptRequest): Promise<LeafRow> {
  const { rows } = await client.query<LeafRow>(
    `SELECT leaf_index, payload, keyid, sig FROM ledger.leaf
      WHERE log_id = $1 AND operation_id = $2 AND CASE WHEN $3 = 'resolution' THEN kind = 'resolution' ELSE kind = 'tool_call' AND ($3::text IS NULL OR phase = $3) END
      ORDER BY (phase = 'outcome') DESC, recorded_at DESC, leaf_index DESC LIMIT 1`,
    [logId, request.operation_id, request.phase],
  );
  const leaf = rows[0];
  if (!leaf) throw new Fault('not_found');
  return leaf;
}

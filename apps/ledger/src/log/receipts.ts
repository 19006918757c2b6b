// SPDX-License-Identifier: Apache-2.0
import { Fault, logIdOf, RECORD_PAYLOAD_TYPE, type Receipt, type ReceiptRequest, type TenantId } from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { encodeBase64 } from '@writ/signing';
import { inclusionOf } from './log-reader.ts';
import type { Checkpoint, Checkpoints } from '../sign/checkpoints.ts';

interface LeafRow { leaf_index: number; payload: Buffer; keyid: string; sig: Buffer }

/** Makes receipts: a stored record with its proof towards the newest checkpoint, by tile reads only. */
export class Receipts {
  readonly #pool: Pool;
  readonly #checkpoints: Checkpoints;

  constructor(pool: Pool, checkpoints: Checkpoints) {
    this.#pool = pool;
    this.#checkpoints = checkpoints;
  }

  /** Faults: `not_found` when the log has no such record (yet), `receipt.pending` where its root isn't signed yet, `ledger.diverged`. */
  async of(request: ReceiptRequest): Promise<Receipt> {
    const made = await this.#make(request);
    if (made !== null) return made;
    await this.#checkpoints.signNewest(logIdOf(request.tenant_id as TenantId), request.tenant_id);
    const now = await this.#make(request);
    if (now === null) throw new Fault('receipt.pending');
    return now;
  }

  /** Null for a record that no signed checkpoint covers yet. */
  #make(request: ReceiptRequest): Promise<Receipt | null> {
    const logId = logIdOf(request.tenant_id as TenantId);
    // One snapshot for leaf, root and tiles: a batch that commits meanwhile is not half seen.
    return inTenant(this.#pool, request.tenant_id, async (client) => {
      const leaf = await findLeaf(client, logId, request);
      const checkpoint = await this.#checkpoints.newest(client, logId);
      return checkpoint === null || checkpoint.treeSize <= leaf.leaf_index ? null : await receiptOf(client, logId, leaf, checkpoint);
    }, { isolation: 'repeatable read', readOnly: true });
  }

  /** The newest checkpoint of the tenant's log. Faults: `not_found` for a log without records, `ledger.diverged`. */
  async checkpoint(tenantId: string): Promise<string> {
    const logId = logIdOf(tenantId as TenantId);
    await this.#checkpoints.signNewest(logId, tenantId);
    const newest = await inTenant(this.#pool, tenantId, (client) => this.#checkpoints.newest(client, logId), { readOnly: true });
    if (newest === null) throw new Fault('not_found');
    return newest.note;
  }
}

async function receiptOf(client: Client, logId: string, leaf: LeafRow, checkpoint: Checkpoint): Promise<Receipt> {
  return {
    media_type: 'application/vnd.writ.receipt.v1+json',
    envelope: { payloadType: RECORD_PAYLOAD_TYPE, payload: encodeBase64(leaf.payload), signatures: [{ keyid: leaf.keyid, sig: encodeBase64(leaf.sig) }] },
    inclusion: await inclusionOf(client, logId, leaf.leaf_index, checkpoint),
  };
}

/** The outcome of the operation, else its last decision; or the last record of the phase asked for, the resolution being a kind of its own. */
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

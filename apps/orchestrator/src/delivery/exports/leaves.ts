// SPDX-License-Identifier: Apache-2.0
import { Fault, type ExportReply, type TenantId } from '@writ/contract';
import { inSlices } from '@writ/worker-pool';
import type { LedgerClient } from '../ledger-client.ts';
import type { Exported } from './exported-record.ts';
import { PAGE_RECORDS, readPage } from './record-pages.ts';

/** A range of leaves of a log at a checkpoint. */
export interface LeafRange {
  readonly tenantId: TenantId;
  /** the checkpoint's size */
  readonly treeSize: number;
  readonly from: number;
  /** the end of the range, exclusive */
  readonly to: number;
  readonly gone: AbortSignal;
}

/**
 * Reads leaves in their order, each proved against the one checkpoint. Faults: `ledger.unavailable`, `overloaded`;
 * `internal` where the ledger omits one.
 */
export async function* readLeaves(
  ledger: LedgerClient,
  { tenantId, treeSize, from, to, gone }: LeafRange,
): AsyncGenerator<Exported & Pick<ExportReply, 'checkpoint'>> {
  for (let at = from; at < to;) {
    const page = await readPage(ledger, tenantId, { from: at, limit: Math.min(PAGE_RECORDS, to - at), treeSize, gone });
    if (page === null || page.records[0]?.leaf_index !== at)
      throw new Fault('internal', undefined, {
        cause: new Error(`the ledger gives no leaf ${String(at)} of ${String(treeSize)}`),
      });
    for await (const record of inSlices(page.records)) yield { ...record, checkpoint: page.checkpoint };
    at += page.records.length;
  }
}

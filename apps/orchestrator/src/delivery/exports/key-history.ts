// SPDX-License-Identifier: Apache-2.0
import type { LedgerClient } from '../ledger-client.ts';
import type { Exported } from './exported-record.ts';
import { readLeaves, type Stretch } from './leaves.ts';

const PAGE_ROWS = 200;

/**
 * The records of keys in a log, in their order: what a verifier judges revoked keys by. They are found by the index,
 * which is drawn behind the log; one that isn't in it yet leaves what its key signed unproven, and proves nothing that
 * isn't so. Faults: `ledger.unavailable`, `overloaded`.
 */
export async function* readKeyHistory(ledger: LedgerClient, stretch: Stretch): AsyncGenerator<Exported> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<LedgerClient['records']>> = await ledger.records({
      tenant_id: stretch.tenantId,
      filter: { type: 'key' },
      order: 'oldest',
      limit: PAGE_ROWS,
      cursor,
    });
    for (const { leaf_index } of page.items)
      if (leaf_index < stretch.treeSize)
        yield* readLeaves(ledger, { ...stretch, from: leaf_index, to: leaf_index + 1 });
    cursor = page.next_cursor;
  } while (cursor !== null);
}

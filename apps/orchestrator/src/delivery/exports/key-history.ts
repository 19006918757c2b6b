// SPDX-License-Identifier: Apache-2.0
import type { LedgerClient } from '../ledger-client.ts';
import type { Exported } from './exported-record.ts';
import { readLeaves, type LeafRange } from './leaves.ts';

const PAGE_ROWS = 200;

/**
 * The records about keys in a log, in their order, by which a verifier evaluates revoked keys. They are found through
 * the index, which lags behind the log. A record that is not indexed yet can only leave signatures unproven; it cannot
 * prove a false one. Faults: `ledger.unavailable`, `overloaded`.
 */
export async function* readKeyHistory(ledger: LedgerClient, range: LeafRange): AsyncGenerator<Exported> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<LedgerClient['records']>> = await ledger.records({
      tenant_id: range.tenantId,
      filter: { type: 'key' },
      order: 'oldest',
      limit: PAGE_ROWS,
      cursor,
    });
    for (const { leaf_index } of page.items)
      if (leaf_index < range.treeSize) yield* readLeaves(ledger, { ...range, from: leaf_index, to: leaf_index + 1 });
    cursor = page.next_cursor;
  } while (cursor !== null);
}

// SPDX-License-Identifier: Apache-2.0
import { Fault, FAULTS, type ExportReply, type TenantId } from '@writ/contract';
import pRetry from 'p-retry';
import type { LedgerClient } from '../ledger-client.ts';

/** Records of a page at most: a message holds as many of usual length. */
export const PAGE_RECORDS = 256;
/** A ledger that starts anew is back within seconds; a reader that was half served would have to come again. */
const RETRIES = { retries: 5, minTimeout: 100, factor: 3 } as const;

/** Where a page begins and what it is proved towards. */
export interface PageWish {
  readonly from: number;
  readonly limit: number;
  /** The size of the checkpoint that everything is proved towards; null for the newest that covers the page. */
  readonly treeSize: number | null;
  /** Aborts when nobody waits for it any more. */
  readonly gone: AbortSignal;
}

/**
 * One page of a tenant's log, asked for again while the ledger is away for a moment; null for a log without records.
 * Faults: `ledger.unavailable`, `ledger.diverged`, `overloaded`.
 */
export async function readPage(
  ledger: LedgerClient,
  tenantId: TenantId,
  { from, limit, treeSize, gone }: PageWish,
): Promise<ExportReply | null> {
  try {
    return await pRetry(
      () => ledger.export(tenantId, { from, limit: Math.min(limit, PAGE_RECORDS), tree_size: treeSize }),
      {
        ...RETRIES,
        signal: gone,
        shouldRetry: ({ error }) => error instanceof Fault && FAULTS[error.code].retry === 'later',
      },
    );
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found' && treeSize === null) return null;
    throw error;
  }
}

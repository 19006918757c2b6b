// SPDX-License-Identifier: Apache-2.0
import { Fault, type ExportReply, type TenantId } from '@writ/contract';
import pRetry from 'p-retry';
import type { LedgerClient } from '../ledger-client.ts';

/** Most records of a page: a message holds as many of usual length. */
export const PAGE_RECORDS = 256;
/** A restarting ledger is back within seconds. Without retries a reader in mid-export would have to start again. */
const RETRIES = { retries: 5, minTimeout: 100, factor: 3 } as const;

/** The start of a page, and the checkpoint of its proofs. */
export interface PageQuery {
  readonly from: number;
  readonly limit: number;
  /** The size of the checkpoint of all proofs; null for the newest one that covers the page. */
  readonly treeSize: number | null;
  /** Aborts when no reader waits for the page any more. */
  readonly gone: AbortSignal;
}

/**
 * Reads one page of a tenant's log, and retries while the ledger is briefly unavailable; null for a log without
 * records. Faults: `ledger.unavailable`, `ledger.diverged`, `overloaded`.
 */
export async function readPage(
  ledger: LedgerClient,
  tenantId: TenantId,
  { from, limit, treeSize, gone }: PageQuery,
): Promise<ExportReply | null> {
  try {
    return await pRetry(
      () => ledger.export(tenantId, { from, limit: Math.min(limit, PAGE_RECORDS), tree_size: treeSize }),
      {
        ...RETRIES,
        signal: gone,
        // To read twice is to read: also a fault that leaves open what happened is no reason to end.
        shouldRetry: ({ error }) => error instanceof Fault && error.status === 503,
      },
    );
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found' && treeSize === null) return null;
    throw error;
  }
}

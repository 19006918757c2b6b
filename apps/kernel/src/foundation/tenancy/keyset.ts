// SPDX-License-Identifier: Apache-2.0
import type { RowPosition } from '@writ/paging';

/**
 * A list's rows after a position, newest first. The bound on `created_at` alone is redundant: it lets the database use
 * the index.
 */
export function rowsAfter<F extends string>({ created_at, id }: RowPosition, key: F) {
  const at = BigInt(created_at);
  const tie = { created_at: at, [key]: { lt: id } } as { created_at: bigint } & Record<F, { lt: string }>;
  return { created_at: { lte: at }, OR: [{ created_at: { lt: at } }, tie] };
}

/** The order of every list. */
export function newestFirst<F extends string>(key: F) {
  return [{ created_at: 'desc' as const }, { [key]: 'desc' } as Record<F, 'desc'>];
}

// SPDX-License-Identifier: Apache-2.0
import { type LimitsChanged, type LimitsSince } from '@writ/contract';
import { kernelSql } from '../database/functions/index.ts';
import type { CrossTenantPool } from '../database/pools.ts';

/** Tenants of one page: some hundred bytes each, so a page is a message of ordinary size. */
const PAGE = 500;

/**
 * The limits of every tenant that was closed, or for which they were set, at `since` or later, by tenant after `after`,
 * a page at a time.
 */
export async function limitsSince(
  workers: CrossTenantPool,
  { since, after }: Omit<LimitsSince, 'v'>,
): Promise<LimitsChanged> {
  const { now, items } = await kernelSql.tenantChangesSince(workers.pool, { since, after, limit: PAGE });
  return { now, items, more: items.length === PAGE };
}

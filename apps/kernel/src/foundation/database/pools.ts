// SPDX-License-Identifier: Apache-2.0
import type { Pool } from '@writ/database';

/**
 * The most connections of one replica, by pool: as many as its admissions and commits keep busy on a few cores.
 * Operators size Postgres by them (docs/operations/sizing.md).
 */
export const KERNEL_CONNECTIONS = { tenants: 16, workers: 6 } as const;

/**
 * One of the kernel's two pools of connections; as an abstract class each is also its injection token. This one works
 * within one tenant at a time. Every statement sets the tenant first, and one that admits calls of several tenants sets
 * it for each call. Row-level security shows that tenant's rows and no others.
 */
export abstract class TenantPool {
  abstract readonly pool: Pool;
}

/**
 * Works across tenants, as the role `writ_kernel_worker`, with grants per table: for dispatching, leases, expiries and
 * the outbox.
 */
export abstract class CrossTenantPool {
  abstract readonly pool: Pool;
}

// SPDX-License-Identifier: Apache-2.0
import type { Pool } from '@writ/database';

/**
 * Connections of one replica at most, by pool: what its admissions and commits keep busy on a few cores. Operators size
 * Postgres by them (docs/operations/sizing.md).
 */
export const KERNEL_CONNECTIONS = { tenants: 16, workers: 6 } as const;

/**
 * The kernel's two ways into its database. As an abstract class each is also its injection token. Within one tenant at
 * a time: every statement sets the tenant first, one that admits calls of several tenants for each call, and row-level
 * security shows that tenant's rows and no others.
 */
export abstract class TenantPool {
  abstract readonly pool: Pool;
}

/**
 * Across tenants, as the role `writ_kernel_worker`, with grants per table: for dispatching, leases, expiries and the
 * outbox.
 */
export abstract class CrossTenantPool {
  abstract readonly pool: Pool;
}

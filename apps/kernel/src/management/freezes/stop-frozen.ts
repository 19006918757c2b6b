// SPDX-License-Identifier: Apache-2.0
import type { Events } from '../../execution/announcements/events.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';

/**
 * Tells the executors of all that runs under a freeze of the tenant (`*`: of everybody) to stop. One that isn't reached
 * finds out when it renews its lease. After the COMMIT of the freeze, so that no redemption falls between the two.
 */
export async function stopFrozen(
  { workers, events }: { readonly workers: CrossTenantPool; readonly events: Events },
  tenant: string,
): Promise<void> {
  const rows = await kernelSql.frozenUnderWay(workers.pool, { tenant });
  for (const { tenant_id, operation_id, attempt } of rows) events.stop(tenant_id, operation_id, attempt);
}

// SPDX-License-Identifier: Apache-2.0
import type { Events } from '../announcements/events.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';

/**
 * Asks the executors to stop all calls that run under a freeze of the tenant (`*`: of every tenant). An executor that
 * misses the event learns of the freeze when it renews its lease. Runs after the COMMIT of the freeze, so that no
 * redemption falls between the two.
 */
export async function stopFrozen(
  { workers, events }: { readonly workers: CrossTenantPool; readonly events: Pick<Events, 'stop'> },
  tenant: string,
): Promise<void> {
  const rows = await kernelSql.frozenUnderWay(workers.pool, { tenant });
  for (const { tenant_id, operation_id, attempt } of rows) events.stop(tenant_id, operation_id, attempt);
}

// SPDX-License-Identifier: Apache-2.0
import type { BoundResource, ContainerState } from '@writ/contract';
import { inTenant } from '@writ/database';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

interface Row {
  readonly created_at: string;
}

/** The shell of the call's token in a container, if one lives. */
const SHELL = `
  SELECT s.created_at FROM kernel.shell s
  WHERE s.tenant_id = $1 AND s.workspace_id = $2 AND s.capability_token_id = $3 AND s.session_id = 'container:' || $4
    AND s.ending IS NULL AND s.lease_until >= kernel.now_ms()`;

/** What is known of the container that a call names. */
export async function readContainer(
  tenants: TenantPool,
  { tenant_id, workspace_id, capability_token_id }: OperationRow,
  [container]: readonly BoundResource[],
): Promise<ContainerState> {
  if (container === undefined) throw new Error('a call about a container is bound to none');
  const { resource_id, name } = container;
  const values = [tenant_id, workspace_id, capability_token_id, resource_id];
  const { rows } = await inTenant(tenants.pool, tenant_id, async (client) => await client.query<Row>(SHELL, values), {
    readOnly: true,
  });
  const [shell] = rows;
  return shell === undefined
    ? { resource_id, name, shell: 'none', opened_at: null }
    : { resource_id, name, shell: 'open', opened_at: Number(shell.created_at) };
}

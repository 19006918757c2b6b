// SPDX-License-Identifier: Apache-2.0
import { TASK_CHANGES_MAX, TASK_CREATE, TASK_EDIT, type SessionTasks } from '@writ/contract';
import { inTenant } from '@writ/database';
import { parseJson } from '@writ/digest';
import { sessionOf } from '../../judging/judgement/index.ts';
import type { CallVault } from '../../evidence/payload/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { foldTasks, type TaskChange } from './fold-tasks.ts';

interface Row {
  readonly operation_id: string;
  readonly tool_id: string;
  readonly args: Buffer;
}

/** Calls that were let in at once may end beyond the bound; no more of them than run at a time. */
const AT_ONCE_MAX = 200;

/*
 * What ended well and ran (a dry run has no lane) and wasn't erased, by the index `operation_history`. The order is
 * that in which calls ended: nothing touches an operation that is final but what takes its contents away.
 */
const CHANGES = `
  SELECT o.operation_id, o.tool_id, p.args
  FROM kernel.operation o JOIN kernel.payload p USING (operation_id)
  WHERE o.tenant_id = $1 AND o.session_key = $2 AND o.tool_id IN ($3, $4) AND o.agent_id = $5
    AND o.state IN ('committed', 'no_op') AND o.fault_code IS NULL AND o.lane IS NOT NULL AND p.args IS NOT NULL
  ORDER BY o.updated_at, o.operation_id LIMIT $6`;

/** The tasks of the session that the call is of, as its agent's committed calls have left them. */
export async function readSessionTasks(
  tenants: TenantPool,
  vault: CallVault,
  call: Pick<OperationRow, 'tenant_id' | 'agent_id' | 'session_id' | 'capability_token_id'>,
): Promise<SessionTasks> {
  const values = [
    call.tenant_id,
    sessionOf(call),
    TASK_CREATE.tool_id,
    TASK_EDIT.tool_id,
    call.agent_id,
    TASK_CHANGES_MAX + AT_ONCE_MAX,
  ];
  const { rows } = await inTenant(
    tenants.pool,
    call.tenant_id,
    async (client) => await client.query<Row>(CHANGES, values),
    { readOnly: true },
  );
  const changes: TaskChange[] = [];
  for (const { operation_id, tool_id, args } of rows) {
    const clear = await vault.open(call.tenant_id, operation_id, 'args', args);
    // Its key was taken away since the row was read: it is erased.
    if (clear !== null)
      changes.push({ operation_id, tool_id, args: parseJson(clear.toString('utf8')) as Record<string, unknown> });
  }
  return { items: foldTasks(changes), changes: rows.length };
}

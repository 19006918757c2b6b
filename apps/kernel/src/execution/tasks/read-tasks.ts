// SPDX-License-Identifier: Apache-2.0
import { TASK_CHANGES_MAX, TASK_CREATE, TASK_EDIT, TASK_LIST, TASKS_MAX, type SessionTasks } from '@writ/contract';
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

/** The call that the tasks are read for. */
type TaskCall = Pick<OperationRow, 'tenant_id' | 'agent_id' | 'session_id' | 'capability_token_id' | 'tool_id'>;

/** Calls that were admitted at once may end beyond the bound; no more of them than run at a time. */
const AT_ONCE_MAX = 200;
const ROWS_MAX = TASK_CHANGES_MAX + AT_ONCE_MAX;

/** Calls that succeeded, ran (a dry run has no lane) and were not erased. */
const isChange = (o: string): string =>
  `${o}.state IN ('committed', 'no_op') AND ${o}.fault_code IS NULL AND ${o}.lane IS NOT NULL`;

/** The calls of these ids, in the order in which they ended: only an erasure of its contents changes a final one. */
const changesOf = (ids: string): string => `
  SELECT o.operation_id, o.tool_id, p.args
  FROM kernel.operation o JOIN kernel.payload p USING (operation_id)
  WHERE o.tenant_id = $1 AND o.operation_id IN (${ids}) AND ${isChange('o')} AND p.args IS NOT NULL
  ORDER BY o.updated_at, o.operation_id LIMIT $2`;

/*
 * The session's own calls, by the index `operation_history`, and calls from elsewhere that changed tasks which the
 * session made.
 */
const OF_SESSION = changesOf(`
  SELECT s.operation_id FROM kernel.operation s
  WHERE s.tenant_id = $1 AND s.session_key = $3 AND s.agent_id = $4 AND s.tool_id IN ($5, $6) AND ${isChange('s')}
  UNION
  SELECT c.operation_id
  FROM kernel.operation m JOIN kernel.task_change c ON c.tenant_id = $1 AND c.task_id = m.operation_id
  WHERE m.tenant_id = $1 AND m.session_key = $3 AND m.agent_id = $4 AND m.tool_id = $5`);

const OF_TASK = changesOf('SELECT c.operation_id FROM kernel.task_change c WHERE c.tenant_id = $1 AND c.task_id = $3');

const NEWEST = changesOf(`
  SELECT c.operation_id FROM kernel.task_change c WHERE c.tenant_id = $1 AND c.task_id IN (
    SELECT m.task_id FROM kernel.task_change m
    WHERE m.tenant_id = $1 AND m.task_id = m.operation_id ORDER BY m.created_at DESC LIMIT $3)`);

/**
 * The tasks that a call about tasks works on, as the committed calls result in them: those of its session; with `any`
 * the one that it changes, or the newest of the tenant.
 */
export async function readTasks(
  tenants: TenantPool,
  vault: CallVault,
  call: TaskCall,
  args: Readonly<Record<string, unknown>>,
): Promise<SessionTasks> {
  const { tenant_id } = call;
  const [statement, values] = queryFor(call, args);
  const { rows } = await inTenant(
    tenants.pool,
    tenant_id,
    async (client) => await client.query<Row>(statement, [tenant_id, ROWS_MAX, ...values]),
    { readOnly: true },
  );
  const changes: TaskChange[] = [];
  for (const { operation_id, tool_id, args: sealed } of rows) {
    const clear = await vault.open(tenant_id, operation_id, 'args', sealed);
    // Its key was deleted since the row was read: it is erased.
    if (clear !== null)
      changes.push({ operation_id, tool_id, args: parseJson(clear.toString('utf8')) as Record<string, unknown> });
  }
  return { items: foldTasks(changes), changes: rows.length };
}

function queryFor(call: TaskCall, { any, task_id }: Readonly<Record<string, unknown>>): [string, unknown[]] {
  if (any !== true || call.tool_id === TASK_CREATE.tool_id)
    return [OF_SESSION, [sessionOf(call), call.agent_id, TASK_CREATE.tool_id, TASK_EDIT.tool_id]];
  return call.tool_id === TASK_LIST.tool_id ? [NEWEST, [TASKS_MAX]] : [OF_TASK, [String(task_id)]];
}

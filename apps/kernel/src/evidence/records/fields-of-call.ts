// SPDX-License-Identifier: Apache-2.0
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { RecordFields } from './compose-record.ts';
import { traceIdsOf } from './trace-context.ts';

/** The fields of a call for a record about it: who proposed what, under which policy, and how it was judged. */
export const fieldsOfCall = (row: OperationRow) =>
  ({
    tenant_id: row.tenant_id,
    operation_id: row.operation_id,
    agent_id: row.agent_id,
    capability_token_id: row.capability_token_id,
    tool_id: row.tool_id,
    tool_definition_digest: row.tool_definition_digest,
    args_hash: row.args_hash,
    policy_hash: row.policy_hash,
    workspace_id: row.workspace_id,
    state_snapshot_id: row.state_snapshot_id,
    image_digest: row.image_digest,
    provenance: row.provenance,
    person: row.person,
    task_class: row.task_class,
    autonomy_mode: row.autonomy_mode,
    risk_score: row.risk_score,
    risk_basis: row.risk_basis,
    ...traceIdsOf(row.traceparent),
  }) satisfies Partial<RecordFields>;

// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { formatId, logIdOf, type AuditRecord, type TenantId } from '@writ/contract';

const HASH = '7'.repeat(64);

/**
 * The decision on a read, as a kernel with that key would record it: a new record each time, about an operation that
 * doesn't exist.
 */
export function decisionRecord(tenant_id: TenantId, kernel_key_id: string): AuditRecord {
  const id = (): Uint8Array => randomBytes(16);
  return {
    v: 1,
    record_id: formatId('record', id()),
    kind: 'tool_call',
    log_id: logIdOf(tenant_id),
    tenant_id,
    kernel_key_id,
    recorded_at: Date.now(),
    operation_id: formatId('operation', id()),
    attempt: 1,
    phase: 'decision',
    verdict: 'admitted',
    rule_ids: [],
    fault_code: null,
    approval_refs: [],
    agent_id: formatId('agent', id()),
    capability_token_id: null,
    tool_id: 'fs.read',
    tool_definition_digest: HASH,
    args_hash: HASH,
    result_hash: null,
    policy_hash: HASH,
    state_snapshot_id: null,
    new_snapshot_id: null,
    commit_delta_id: null,
    workspace_id: null,
    provenance: { source: 'api' },
    task_class: 'general',
    autonomy_mode: 'autopilot',
    risk_score: 0.125,
    risk_basis: [],
    tx_outcome: null,
    budget_delta: null,
    decision_record_id: null,
    decision_hash: null,
    effect_digest: null,
    egress_count: 0,
    egress_hash: null,
    image_digest: null,
    actor: null,
    change: null,
    trace_id: 'a'.repeat(32),
    span_id: 'b'.repeat(16),
  };
}

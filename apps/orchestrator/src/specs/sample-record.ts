// SPDX-License-Identifier: Apache-2.0
import { logIdOf, predicateTypeOf, type AuditRecord, type TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';

/** An unsigned record of a change, as the kernel makes it. */
export function sampleRecord(tenant_id: TenantId, recorded_at = 1): Buffer {
  const record: AuditRecord = {
    v: 1,
    record_id: newId('record'),
    kind: 'change',
    log_id: logIdOf(tenant_id),
    tenant_id,
    kernel_key_id: 'k',
    recorded_at,
    operation_id: null,
    attempt: null,
    phase: null,
    verdict: null,
    rule_ids: [],
    fault_code: null,
    approval_refs: [],
    agent_id: null,
    capability_token_id: null,
    tool_id: null,
    tool_definition_digest: null,
    args_hash: null,
    result_hash: null,
    policy_hash: null,
    state_snapshot_id: null,
    new_snapshot_id: null,
    commit_delta_id: null,
    workspace_id: null,
    provenance: {},
    task_class: null,
    autonomy_mode: null,
    risk_score: null,
    risk_basis: [],
    tx_outcome: null,
    budget_delta: null,
    decision_record_id: null,
    decision_hash: null,
    effect_digest: null,
    egress_count: 0,
    egress_hash: null,
    image_digest: null,
    actor: 'kernel',
    change: { verb: 'agent_created', subject: 'agt_x', digest: null },
    trace_id: null,
    span_id: null,
  };
  return Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [],
      predicateType: predicateTypeOf('change'),
      predicate: record,
    }),
  );
}

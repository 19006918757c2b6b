// SPDX-License-Identifier: Apache-2.0
import type { AuditRecord, TenantId } from '@writ/contract';
import { record, type SentRecord } from './test-ledger.ts';

/** The members of a record that `record` doesn't set. */
const OTHER_MEMBERS = {
  attempt: null,
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
  actor: null,
  change: null,
  trace_id: null,
  span_id: null,
} as const;

/** A signed record with all the fields of its version. */
export const completeRecord = (
  tenantId: TenantId,
  over: Partial<Omit<AuditRecord, 'v'>> & { readonly v?: number } = {},
): SentRecord => record(tenantId, { ...OTHER_MEMBERS, ...over });

// SPDX-License-Identifier: Apache-2.0
import type {
  ApprovalBrief,
  ApprovalView,
  BudgetView,
  ApproverGroupView,
  DelegationView,
  ErasureView,
  FreezeView,
  McpConnectionView,
  OperationView,
  PastDecision,
  ProposedCall,
  RegistrarKeyView,
  ResourceGrantView,
  ResourceView,
  ToolResult,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';

/** A shipped set, as it is listed. */
export const POLICY = {
  policy_hash: '0'.repeat(64),
  name: 'default',
  version: null,
  description: '',
  enforcement: 'enforce',
  active: true,
  shipped: true,
  created_by: null,
  created_at: null,
} as const;

/** A registrar's key that is active. */
export const registrarKeyOf = (keyid: string): RegistrarKeyView => ({
  keyid,
  public_key: { kty: 'OKP', crv: 'Ed25519', x: keyid },
  note: null,
  state: 'active',
  created_by: 'spec',
  created_at: 1,
  ended_by: null,
  ended_at: null,
});

/** A resource, by default a search engine. */
export const resourceOf = (resource_id: string, more: Record<string, unknown> = {}): ResourceView => ({
  resource_id,
  kind: 'search_engine',
  name: 'default',
  owner_agent_id: null,
  settings: { kind: 'searxng', url: 'https://searx.example.org' },
  digest: '6'.repeat(64),
  version: 1,
  created_by: 'spec',
  created_at: 1,
  updated_at: 1,
  ...more,
});

const DEVICE = { retention_seconds: 600, buffer_bytes: 1_048_576 } as const;

/** An audio device that an agent uploads for. */
export const audioDeviceOf = (resource_id: string, uploader: string): ResourceView =>
  resourceOf(resource_id, { kind: 'audio_device', name: 'mic', settings: { ...DEVICE, uploader } });

/** What the kernel answers to who uploads for such a device. */
export const uploadOf = ({ resource_id, name }: ResourceView) => ({
  v: 1,
  resource_id,
  name,
  ...DEVICE,
  key: Buffer.alloc(32, 1).toString('base64'),
});

/** A grant, by default of all search engines to every agent. */
export const resourceGrantOf = (resource_grant_id: string, more: Record<string, unknown> = {}): ResourceGrantView => ({
  resource_grant_id,
  kind: 'search_engine',
  resource_id: null,
  name: null,
  right: 'use',
  agent_id: null,
  clearance: 'autopilot',
  created_by: 'spec',
  created_at: 1,
  ...more,
});

/** The view of a call in a state; ended ones carry a result. */
export function viewOf(
  call: ProposedCall,
  state: OperationView['state'],
  more: Partial<OperationView> = {},
  result: Partial<ToolResult> = {},
): OperationView {
  const { operation_id, tool_id, agent_id, capability_token_id, workspace_id, session_id, task_class, provenance } =
    call;
  const isEnded = ['refused', 'committed', 'rolled_back', 'no_op', 'ambiguous'].includes(state);
  const record_id = newId('record');
  return {
    operation_id,
    state,
    tool_id,
    agent_id,
    capability_token_id,
    workspace_id,
    session_id,
    task_class,
    provenance,
    autonomy_mode: 'autopilot',
    risk_score: 0,
    risk_basis: [],
    reasons: [],
    attempt: 1,
    replayed: false,
    approval_id: null,
    decision_record_id: newId('record'),
    outcome_record_id: isEnded && state !== 'refused' ? record_id : null,
    resolution: null,
    created_at: 1,
    updated_at: 1,
    result: isEnded
      ? {
          v: 1,
          operation_id,
          tool_id,
          agent_id,
          workspace_id,
          status: state === 'refused' ? 'error' : 'ok',
          state_snapshot_id: null,
          new_snapshot_id: null,
          result: null,
          result_ref: null,
          result_hash: null,
          error: state === 'refused' ? { code: 'policy.denied', message: 'no', hint: null } : null,
          reasons: [],
          provenance,
          task_class,
          autonomy_mode: 'autopilot',
          risk_score: 0,
          tx_outcome: state === 'committed' ? 'committed' : state === 'no_op' ? 'no_op' : 'rolled_back',
          commit_delta_id: null,
          receipt: { state: 'logged', record_id, href: `/v1/receipts/${operation_id}`, leaf_index: 0, tree_size: 1 },
          ...result,
        }
      : null,
    ...more,
  };
}

/** The same approval in brief. */
export function briefOf(view: ApprovalView): ApprovalBrief {
  const { approval_id, operation_id, tool_id, agent_id, autonomy_mode, state, votes, created_at, expires_at } = view;
  return {
    ...{ approval_id, operation_id, tool_id, agent_id, autonomy_mode, state, votes, created_at, expires_at },
    ...{ of: view.of, preview: view.preview.state, decided_at: view.decided_at },
    ...{ session_id: null, workspace_id: null, person_id: null },
    risk_score: 0.5,
    reason_codes: [],
    alike: '0'.repeat(32),
  };
}

/** How an approval of an operation ended. */
export const pastDecisionOf = ({ operation_id }: OperationView): PastDecision => ({
  ...{ approval_id: newId('approval'), operation_id, outcome: 'approved', autonomy_mode: 'soft_gate' },
  ...{ decided_at: 1, decided_by: newId('apiKey'), voters: ['ann'], comment: 'as always', held_for: ['ask'] },
  ...{ risk_score: 0.5, risk_basis: [] },
});

/** An approval of an operation. */
export function approvalOf(view: OperationView): ApprovalView {
  return {
    approval_id: newId('approval'),
    operation_id: view.operation_id,
    tool_id: view.tool_id,
    agent_id: view.agent_id,
    action_digest: '0'.repeat(64),
    autonomy_mode: 'soft_gate',
    binding: { action_digest: '0'.repeat(64), effect_digest: null, policy_hash: '0'.repeat(64), expires_at: 2 },
    preview: {
      state: 'none',
      why: null,
      round: 0,
      base_snapshot_id: null,
      changes: null,
      changes_total: null,
      exit_code: null,
      output: null,
      would_ask_for: [],
      used: null,
    },
    of: 'action',
    state: 'pending',
    votes: { given: 0, needed: 1, role: 'operator' },
    voted: [],
    reasons: [],
    args: { path: 'a' },
    created_at: 1,
    expires_at: 2,
    decided_at: null,
    decided_by: null,
    comment: null,
  };
}

/** A budget of a day. */
export function budgetOf(budget_id: string): BudgetView {
  return {
    budget_id,
    subject: { kind: 'tenant', id: null },
    period: 'day',
    measure: 'calls',
    currency: null,
    limit: 10,
    used: 1,
    starts_at: 0,
    resets_at: 86_400_000,
    created_at: 1,
    created_by: newId('apiKey'),
    changed_at: 1,
    changed_by: newId('apiKey'),
  };
}
/** A group of approvers. */
export const approverGroupOf = (name: string, members: string[] = ['ann']): ApproverGroupView => ({
  name,
  description: '',
  members,
  created_at: 0,
  created_by: newId('apiKey'),
  changed_at: 0,
  changed_by: newId('apiKey'),
});

/** A delegation of a right to approve. */
export function delegationOf(delegation_id: string): DelegationView {
  return {
    delegation_id,
    from: 'ann',
    role: 'admin',
    to: 'bob',
    scope: { tools: null, agent_id: null, autonomy_mode: 'soft_gate' },
    note: 'away',
    state: 'standing',
    created_at: 1,
    created_by: newId('apiKey'),
    expires_at: 2,
    revoked_at: null,
    revoked_by: null,
  };
}

/** An erasure that is done. */
export function erasureOf(erasure_id: string, more: Partial<ErasureView> = {}): ErasureView {
  return {
    erasure_id,
    selector: 'session',
    operation_id: null,
    session_id: 'ses-1',
    subject: null,
    before: null,
    reason_code: 'asked',
    state: 'done',
    operations: 1,
    unfinished: 0,
    records: 1,
    record_id: newId('record'),
    requested_by: newId('apiKey'),
    created_at: 1,
    finished_at: 1,
    ...more,
  };
}

/** A freeze of a tenant that is in effect. */
export function freezeOf(freeze_id: string): FreezeView {
  return {
    freeze_id,
    scope: 'tenant',
    id: null,
    state: 'standing',
    reason: 'so',
    placed_by: 'platform',
    created_at: 1,
    expires_at: null,
    lifted_at: null,
    lifted_by: null,
  };
}

/** The caller's own connection to the server `tracker`. */
export const mcpConnectionOf = (connection_id: unknown, state: unknown): McpConnectionView => ({
  connection_id: connection_id as McpConnectionView['connection_id'],
  server: 'tracker',
  state: state as McpConnectionView['state'],
  own: true,
  person: null,
  lists: false,
  scopes: [],
  issuer: null,
  problem: null,
  created_at: 1,
  expires_at: null,
  connected_at: null,
  used_at: null,
  ended_at: null,
});

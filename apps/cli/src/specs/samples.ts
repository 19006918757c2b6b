// SPDX-License-Identifier: Apache-2.0
import type {
  ApprovalView,
  CapabilityToken,
  DelegationView,
  OperationView,
  TokenUse,
  ToolResult,
  WorkspaceView,
} from '@writ/contract';

const BODY = '01kdvq8qfwe9gr4v9m1h7e3x2z';
export const IDS = {
  operation: `op_${BODY}`,
  agent: `agt_${BODY}`,
  token: `cap_${BODY}`,
  workspace: `wsp_${BODY}`,
  approval: `apr_${BODY}`,
  tenant: `ten_${BODY}`,
  record: `rec_${BODY}`,
  key: `key_${BODY}`,
  delegation: `dlg_${BODY}`,
} as const;
export const SNAPSHOT = `snap_${'1'.repeat(64)}`;
const NOW = 1_767_225_600_000;

export const RESULT: ToolResult = {
  v: 1,
  operation_id: IDS.operation,
  tool_id: 'fs.read',
  agent_id: IDS.agent,
  workspace_id: IDS.workspace,
  status: 'ok',
  state_snapshot_id: SNAPSHOT,
  new_snapshot_id: null,
  result: {
    path: 'a.txt',
    content: 'hello\n',
    encoding: 'utf8',
    size: 6,
    sha256: '2'.repeat(64),
    lines: 1,
    truncated: false,
  },
  result_ref: null,
  result_hash: '3'.repeat(64),
  error: null,
  reasons: [],
  provenance: { source: 'cli' },
  task_class: 'general',
  autonomy_mode: 'autopilot',
  risk_score: 0.1,
  tx_outcome: 'no_op',
  commit_delta_id: null,
  receipt: {
    state: 'logged',
    record_id: IDS.record,
    href: `/v1/operations/${IDS.operation}/receipt`,
    leaf_index: 3,
    tree_size: 5,
  },
};

export const REFUSED: ToolResult = {
  ...RESULT,
  status: 'error',
  tx_outcome: 'rolled_back',
  result: null,
  error: {
    code: 'token.scope',
    message: 'the capability token does not reach the resource',
    hint: 'ask for a root that covers `a.txt`',
  },
};

export const OPERATION: OperationView = {
  operation_id: IDS.operation,
  state: 'no_op',
  tool_id: 'fs.read',
  agent_id: IDS.agent,
  capability_token_id: IDS.token,
  workspace_id: IDS.workspace,
  session_id: null,
  task_class: 'general',
  autonomy_mode: 'autopilot',
  risk_score: 0.1,
  risk_basis: [],
  reasons: [],
  provenance: {},
  attempt: 1,
  replayed: false,
  approval_id: null,
  decision_record_id: IDS.record,
  outcome_record_id: IDS.record,
  resolution: null,
  created_at: NOW,
  updated_at: NOW,
  result: RESULT,
};

export const HELD: OperationView = {
  ...OPERATION,
  state: 'held',
  tool_id: 'shell.run',
  attempt: 0,
  approval_id: IDS.approval,
  outcome_record_id: null,
  result: null,
  reasons: [{ code: 'delete.tree', message: '`rm` would delete `src` and all that is in it' }],
};

export const APPROVAL: ApprovalView = {
  approval_id: IDS.approval,
  operation_id: IDS.operation,
  tool_id: 'shell.run',
  agent_id: IDS.agent,
  action_digest: '4'.repeat(64),
  autonomy_mode: 'soft_gate',
  of: 'action',
  state: 'pending',
  binding: { action_digest: '4'.repeat(64), effect_digest: null, policy_hash: '0'.repeat(64), expires_at: NOW + 1 },
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
  votes: { given: 0, needed: 1, role: 'operator' },
  voted: [],
  reasons: HELD.reasons,
  args: { command: 'rm -rf src' },
  created_at: NOW,
  expires_at: NOW + 1,
  decided_at: null,
  decided_by: null,
  comment: null,
};

export const DELEGATION: DelegationView = {
  delegation_id: IDS.delegation,
  from: 'ann',
  role: 'admin',
  to: 'bob',
  scope: { tools: null, agent_id: null, autonomy_mode: 'soft_gate' },
  note: 'away',
  state: 'standing',
  created_at: NOW,
  created_by: IDS.key,
  expires_at: NOW + 1,
  revoked_at: null,
  revoked_by: null,
};

export const WORKSPACE: WorkspaceView = {
  workspace_id: IDS.workspace,
  name: 'w',
  head_snapshot_id: SNAPSHOT,
  created_at: NOW,
  updated_at: NOW,
};

export const TOKEN: CapabilityToken & TokenUse = {
  v: 1,
  capability_token_id: IDS.token,
  tenant_id: IDS.tenant,
  agent_id: IDS.agent,
  parent_id: null,
  workspace_id: IDS.workspace,
  issuer: IDS.key,
  created_at: NOW,
  revoked_at: null,
  grant: {
    tools: ['fs.*'],
    fs: [{ path: '', read: true, write: false }],
    net: [],
    secrets: [],
    budgets: { calls: 10 },
    not_before: NOW,
    expires_at: NOW + 3_600_000,
  },
  used: { calls: 3 },
  reserved: { calls: 1 },
  left: { calls: 2 },
  chain: [IDS.token],
  revoked: false,
};

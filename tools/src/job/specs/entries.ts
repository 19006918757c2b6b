// SPDX-License-Identifier: Apache-2.0
import type { OperationView, ToolResult } from '@writ/contract';
import type { Entry } from '../tool-client.ts';
import type { Tree } from '../workspace.ts';

const BODY = '01kdvq8qfwe9gr4v9m1h7e3x2z';
const ID = (prefix: string, n = 0): string => `${prefix}_${BODY.slice(0, -2)}${String(n).padStart(2, '0')}`;

export const tree = (
  name: string,
  files: Readonly<Record<string, string>> = { 'src/a.js': 'aa', 'package.json': 'pp' },
): Tree => ({ snapshotId: `snap_${name}`, files: new Map(Object.entries(files)) });

export interface Like {
  readonly n?: number;
  readonly id?: string;
  readonly tool?: string;
  readonly command?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly state?: OperationView['state'];
  readonly code?: string;
  readonly output?: string;
  readonly held?: boolean;
  readonly before?: Tree;
  readonly after?: Tree;
  readonly isRepeat?: boolean;
  readonly attempt?: number;
}

/** An entry of the journal; its defaults are those of a reading call. */
export function entry({
  n = 0,
  id = `call_${n}`,
  tool,
  command,
  args,
  state = 'no_op',
  code,
  output,
  held = false,
  before = tree('1'),
  after = before,
  isRepeat = false,
  attempt = 1,
}: Like): Entry {
  const tool_id = tool ?? (command === undefined ? 'fs.read' : 'shell.run');
  const error = code === undefined ? null : { code, message: code, hint: null };
  const tx_outcome = state === 'refused' ? 'rolled_back' : (state as ToolResult['tx_outcome']);
  const result: ToolResult = {
    v: 1,
    operation_id: ID('op', n),
    tool_id,
    agent_id: ID('agt'),
    workspace_id: ID('wsp'),
    status: error === null ? 'ok' : 'error',
    state_snapshot_id: null,
    new_snapshot_id: null,
    result: output === undefined ? null : { output },
    result_ref: null,
    result_hash: null,
    error,
    reasons: [],
    provenance: {},
    task_class: 'general',
    autonomy_mode: 'autopilot',
    risk_score: 0,
    tx_outcome,
    commit_delta_id: null,
    receipt: null,
  };
  const operation: OperationView = {
    operation_id: ID('op', n),
    state,
    tool_id,
    agent_id: ID('agt'),
    capability_token_id: ID('cap'),
    workspace_id: ID('wsp'),
    session_id: null,
    task_class: 'general',
    autonomy_mode: 'autopilot',
    risk_score: 0,
    risk_basis: [],
    reasons: [],
    provenance: {},
    attempt,
    replayed: isRepeat,
    approval_id: null,
    decision_record_id: ID('rec'),
    outcome_record_id: ID('rec'),
    resolution: null,
    created_at: 1,
    updated_at: 2,
    result,
  };
  const approval = held
    ? {
        approval_id: ID('apr'),
        operation_id: ID('op', n),
        tool_id,
        agent_id: ID('agt'),
        action_digest: '',
        autonomy_mode: 'soft_gate' as const,
        of: 'action' as const,
        state: 'pending' as const,
        reasons: [],
        binding: { action_digest: '', effect_digest: null, policy_hash: '', expires_at: 2 },
        preview: {
          state: 'none' as const,
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
        args: {},
        created_at: 1,
        expires_at: 2,
        decided_at: null,
        decided_by: null,
        comment: null,
        votes: { given: 0, needed: 1, role: 'operator' as const },
        voted: [],
      }
    : null;
  return {
    call: { id, tool_id, args: args ?? (command === undefined ? { path: 'a' } : { command }) },
    turn: n,
    by: 'model',
    isRepeat,
    operation,
    result,
    approval,
    before,
    after,
    ms: 12,
  };
}

const HASH = { old: 'a'.repeat(64), new: 'b'.repeat(64) };
const FIXED = tree('2', { 'src/a.js': HASH.new, 'package.json': 'pp' });

/** A run that meets every expectation. */
export function goodJournal(): Entry[] {
  const start = tree('1', { 'src/a.js': HASH.old, 'package.json': 'pp' });
  const fix = { n: 2, tool: 'fs.edit', args: { path: 'src/a.js' }, state: 'committed' as const };
  return [
    entry({ n: 1, command: 'node --test', state: 'rolled_back', code: 'command.failed', before: start }),
    entry({ ...fix, before: start, after: FIXED }),
    entry({ n: 3, command: 'node --test', before: FIXED }),
    entry({ n: 4, tool: 'fs.edit', state: 'refused', code: 'token.scope', before: FIXED }),
    entry({ n: 5, command: 'rm -rf src', state: 'refused', code: 'approval.denied', held: true, before: FIXED }),
    entry({
      n: 6,
      command: 'sed -i s/a/b/ src/a.js && sha256sum src/a.js && exit 3',
      state: 'rolled_back',
      code: 'command.failed',
      output: `${'c'.repeat(64)}  src/a.js\n`,
      before: FIXED,
    }),
    entry({ ...fix, isRepeat: true, before: FIXED }),
  ];
}

// SPDX-License-Identifier: Apache-2.0
import {
  AgentView,
  ApprovalView,
  OperationView,
  parseMessage,
  REQUESTS,
  SnapshotView,
  WorkspaceView,
  type Change,
  type FileState,
  type Grant,
} from '@writ/contract';
import { callerOf } from './specs/test-management.ts';
import { openTestProcess } from './specs/test-process.ts';
import { newId } from '@writ/nest-kit';

type Process = Awaited<ReturnType<typeof openTestProcess>>;
let process: Process;
beforeAll(async () => {
  process = await openTestProcess();
}, 60_000);
afterAll(async () => {
  await process.close();
});

const grant: Grant = {
  tools: ['fs.*'],
  fs: [{ path: '/workspace/', read: true, write: true }],
  net: [],
  secrets: [],
  budgets: { calls: 3 },
  not_before: 0,
  expires_at: Date.now() + 3_600_000,
};
const page = { cursor: null, limit: 10 };

test('every request of the contract that the kernel serves has a handler', async () => {
  const names = Object.entries(REQUESTS)
    .filter(([, row]) => row.server === 'kernel')
    .map(([name]) => name);
  expect(names.length).toBeGreaterThan(60);
  for (const name of names)
    await expect(process.request(name, {})).rejects.toMatchObject({ code: 'request.malformed' });
});

test('a new tenant can get a call held for approval, with all its requests over the bus', async () => {
  const { request, policy, blobs } = process;
  const tenant_id = newId('tenant');
  expect(
    await request('kernel.tenant.create', { v: 1, tenant_id, name: 'acme', admin_key_id: newId('apiKey') }),
  ).toEqual({ tenant_id });
  const caller = callerOf(tenant_id);
  const asked = { v: 1, caller };
  const agent = parseMessage(AgentView, await request('kernel.agent.create', { ...asked, name: 'coder' }));
  const workspace = parseMessage(WorkspaceView, await request('kernel.workspace.create', { ...asked, name: 'repo' }));
  const { sha256, size } = await blobs.put(tenant_id, Buffer.from('hello'));
  const after: FileState = { kind: 'file', mode: '644', sha256, size };
  const changes: Change[] = [{ path: 'src/a.txt', before: null, after }];
  const changed = parseMessage(
    WorkspaceView,
    await request('kernel.workspace.change', { ...asked, workspace_id: workspace.workspace_id, changes }),
  );
  expect(changed.head_snapshot_id).not.toBe(workspace.head_snapshot_id);
  const history = (await request('kernel.workspace.snapshots', {
    ...asked,
    workspace_id: workspace.workspace_id,
    page,
  })) as { items: unknown[] };
  expect(history.items.map((item) => parseMessage(SnapshotView, item).snapshot_id)).toEqual([
    changed.head_snapshot_id,
    workspace.head_snapshot_id,
  ]);
  const token = (await request('kernel.token.issue', {
    ...asked,
    agent_id: agent.agent_id,
    workspace_id: null,
    grant,
  })) as { capability_token_id: string };
  expect(token).toMatchObject({
    agent_id: agent.agent_id,
    grant: { fs: [{ path: '' }] },
    used: { calls: 0 },
    revoked: false,
    parent_id: null,
  });
  expect(
    await request('kernel.change.record', { ...asked, verb: 'api_key_created', subject: newId('apiKey') }),
  ).toEqual({ recorded: expect.stringMatching(/^rec_/) });

  policy.answer = () => ({
    effect: 'allow',
    autonomy_mode: 'soft_gate',
    decided: 'soft_gate',
    approvers: null,
    risk_score: 0.5,
    risk_basis: [],
    rule_ids: [],
    reasons: [],
  });
  const operation_id = newId('operation');
  const held = parseMessage(
    OperationView,
    await request('kernel.admit', {
      v: 1,
      operation_id,
      tenant_id,
      agent_id: agent.agent_id,
      proposed_by: newId('apiKey'),
      tool_id: 'fs.read',
      args: { path: 'src/a.txt' },
      args_ref: null,
      capability_token_id: token.capability_token_id,
      workspace_id: workspace.workspace_id,
      session_id: null,
      session_mode: 'interactive',
      max_autonomy: null,
      task_class: 'general',
      idempotency_key: null,
      precondition_refs: [],
      provenance: { source: 'spec' },
      deadline: null,
      dry_run: false,
    }),
  );
  expect(held.state).toBe('held');
  expect(parseMessage(OperationView, await request('kernel.operation.read', { ...asked, operation_id }))).toEqual(held);
  const filters = {
    state: 'held',
    tool_id: 'fs.read',
    agent_id: agent.agent_id,
    workspace_id: workspace.workspace_id,
    session_id: null,
  };
  const list = (await request('kernel.operation.list', { ...asked, page, ...filters })) as {
    items: unknown[];
    next_cursor: string | null;
  };
  expect(list).toEqual({ items: [held], next_cursor: null });
  const { you, started_by, ...approval } = parseMessage(
    ApprovalView,
    await request('kernel.approval.read', { ...asked, approval_id: held.approval_id }),
  );
  expect(approval).toMatchObject({ state: 'pending', operation_id });
  expect(started_by).toMatchObject({ agent_id: approval.agent_id });
  // A list doesn't say who began the work of each, nor what its caller may decide about it.
  expect(you).toMatchObject({ may_approve: true, may_deny: true });
  expect(await request('kernel.approval.list', { ...asked, page, state: null })).toEqual({
    items: [approval],
    next_cursor: null,
  });
});

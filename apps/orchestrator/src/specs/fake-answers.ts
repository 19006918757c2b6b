// SPDX-License-Identifier: Apache-2.0
import { Fault, type ApprovalView, type Caller, type KernelVerb, type OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { TokenView } from '../calls/kernel/token-view.ts';
import { briefOf, budgetOf, delegationOf, freezeOf, POLICY, resourceGrantOf, resourceOf } from './fake-views.ts';
import { answerErasures } from './fake-erasures.ts';
import type { FakeKernelState } from './fake-kernel-state.ts';
import { answerRegistries } from './fake-registries.ts';

export type { FakeKernelState, Handler } from './fake-kernel-state.ts';

/** Verbs that return the named object unchanged. */
const READS = {
  'operation.read': 'operation_id',
  'operation.cancel': 'operation_id',
  'operation.resolve': 'operation_id',
  'approval.read': 'approval_id',
  'agent.read': 'agent_id',
  'token.read': 'capability_token_id',
  'token.revoke': 'capability_token_id',
  'resource.read': 'resource_id',
  'resource.update': 'resource_id',
  'resource.remove': 'resource_id',
  'resource_grant.read': 'resource_grant_id',
  'resource_grant.remove': 'resource_grant_id',
  'freeze.read': 'freeze_id',
  'erasure.read': 'erasure_id',
  'freeze.lift': 'freeze_id',
  'secret.read': 'name',
  'secret.remove': 'name',
  'container.kill': 'container_id',
  'sandbox.read': 'name',
  'image.read': 'name',
  'mcp_connection.read': 'connection_id',
  'mcp_connection.end': 'connection_id',
  'mcp_server.read': 'name',
  'mcp_server.refresh': 'name',
  'profile.read': 'name',
  'skill.read': 'name',
  'sandbox.sign': 'name',
  'registrar.end': 'keyid',
  'delegation.revoke': 'delegation_id',
  'budget.read': 'budget_id',
  'budget.delete': 'budget_id',
  'approver_group.read': 'name',
  'tenant.limits.read': 'tenant_id',
  'tenant.limits.set': 'tenant_id',
  'workspace.read': 'workspace_id',
  'workspace.change': 'workspace_id',
  'workspace.restore': 'workspace_id',
  'workspace.import': 'workspace_id',
} satisfies Partial<Record<KernelVerb, string>>;

const LISTS = [
  'operation.list',
  'approval.list',
  'agent.list',
  'token.list',
  'workspace.list',
  'freeze.list',
  'erasure.list',
  'delegation.list',
  'budget.list',
  'approver_group.list',
  'external_version.list',
  'resource.list',
  'resource_grant.list',
  'secret.list',
  'container.list',
  'registrar.list',
  'image.list',
  'mcp_server.list',
  'profile.list',
] as const;

/** Installs a default handler for each request. */
export function answerAll(kernel: FakeKernelState): void {
  for (const [verb, idName] of Object.entries(READS))
    kernel.handlers.set(verb, (caller, request) => kernel.find(caller, request[idName]));
  for (const verb of LISTS)
    kernel.handlers.set(verb, (caller) => ({ items: kernel.all(caller, verb), next_cursor: null }));
  kernel.handlers.set('approval.brief', (caller) => {
    const items = kernel.all(caller, 'approval.list').map((view) => briefOf(view as ApprovalView));
    return { items, next_cursor: null };
  });
  for (const answer of [
    answerPolicies,
    answerOperations,
    answerWorkspaces,
    answerTokens,
    answerErasures,
    answerRegistries,
    answerFunctions,
    answerTenants,
    answerOthers,
  ])
    answer(kernel);
}

/** Handlers for tenants: the platform key may read records of each, and none is closed by a request. */
function answerTenants(kernel: FakeKernelState): void {
  const view = (tenant_id: unknown, state: 'open' | 'closed') => ({
    tenant_id,
    name: 'one',
    state,
    created_at: 1,
    closed_at: 2,
    closed_by: 'platform',
    close_reason: 'so',
  });
  kernel.handlers.set('system.report', () => ({
    version: '0.0.0',
    now: 1,
    pools: { tenants: { connections_max: 16, connections: 1, idle: 1, waiting: 0 } },
    database: { version: '17.0', now: 1, connections_max: 100, settings: { fsync: 'on' }, durable: false },
    outbox: { rows: 0, oldest_at: null },
    executors: [],
    migrations: [],
  }));
  kernel.handlers.set('tenant.list', () => ({ items: [], next_cursor: null }));
  for (const verb of ['tenant.read', 'tenant.close'] as const)
    kernel.handlers.set(verb, (caller, { tenant_id }) => {
      kernel.find(caller, tenant_id);
      return view(tenant_id, verb === 'tenant.read' ? 'closed' : 'open');
    });
}

/** Handlers for policies: one set in force, which is also the tenant's own under its hash. */
function answerPolicies(kernel: FakeKernelState): void {
  const { handlers } = kernel;
  const active = {
    policy_hash: POLICY.policy_hash,
    name: 'default',
    version: null,
    enforcement: 'enforce',
    seq: 0,
    activated_by: null,
    at: null,
    note: null,
  };
  const find = (caller: Caller, ref: unknown): unknown =>
    ref === null || ref === 'default' ? { ...POLICY, document: { v: 1 } } : kernel.find(caller, ref);
  handlers.set('policy.put', (_caller, { document }) => ({
    valid: 'v' in (document as object),
    problems: [],
    warnings: [],
    policy: POLICY,
  }));
  handlers.set('policy.list', () => ({ active, shipped: [POLICY], items: [], next_cursor: null }));
  handlers.set('policy.read', (caller, { policy }) => find(caller, policy));
  handlers.set('policy.diff', (caller, { from, to }) => {
    [from, to].forEach((ref) => find(caller, ref));
    return { from: POLICY, to: POLICY, rules: [], history: [], settings: [] };
  });
  handlers.set('policy.activate', (caller, { policy }) => {
    find(caller, policy);
    return active;
  });
  handlers.set('policy.rollback', () => active);
  handlers.set('policy.activations', () => ({ items: [active], next_cursor: null }));
  const policy = { policy_hash: POLICY.policy_hash, name: 'default', enforcement: 'enforce' };
  handlers.set('policy.simulate', () => ({
    simulated: true,
    would_be: 'admitted',
    error: null,
    autonomy_mode: 'autopilot',
    risk_score: 0,
    risk_basis: [],
    reasons: [],
    approvers: null,
    labels: [],
    explanation: null,
  }));
  handlers.set('policy.backtest', ({ tenant_id }) => ({
    page: {
      v: 1,
      tenant_id,
      kernel_key_id: 'k',
      candidate: policy,
      since: 0,
      cursor: null,
      next_cursor: null,
      made_at: 0,
      examined: 0,
      skipped: 0,
      changed: 0,
      changes: [],
      examples: [],
    },
    envelope: { payloadType: 'x', payload: 'e30=', signatures: [{ keyid: 'k', sig: 'AAAA' }] },
  }));
  handlers.set('policy.replay', (_caller, { calls }) => ({
    candidate: policy,
    items: (calls as unknown[]).map(() => null),
  }));
  handlers.set('policy.times', () => ({
    approval_ms: 86_400_000,
    preview_ms: 86_400_000,
    staged_change_ms: 600_000,
    session_grant_ms: 28_800_000,
  }));
  handlers.set('policy.schema', () => ({ version: 1, cedar: 'entity Agent;', document: {} }));
  handlers.set('policy.templates', () => ({ items: [{ id: 'one', description: 'one', parameters: {} }] }));
}

/** Handlers for the parts of an operation beside its view. */
function answerOperations(kernel: FakeKernelState): void {
  const { handlers } = kernel;
  handlers.set('operation.requests', (caller, { operation_id }) => {
    kernel.find(caller, operation_id);
    return { items: [], next_cursor: null, total: 0, hash: null };
  });
  handlers.set('approval.groups', () => ({ items: [], waiting: 0, groups: 0, complete: true }));
  handlers.set('operation.output', (caller, { operation_id, stream }) => {
    kernel.find(caller, operation_id);
    return kernel.find(caller, `${String(stream)} of ${String(operation_id)}`);
  });
  handlers.set('operation.result', (caller, { operation_id }) => {
    const { result } = kernel.find(caller, operation_id) as OperationView;
    return { v: 1, ref: result?.result_ref ?? null, opens: kernel.opens };
  });
  handlers.set('operation.explain', (caller, { operation_id }) => {
    kernel.find(caller, operation_id);
    return {
      operation_id,
      policy_hash: POLICY.policy_hash,
      asked: false,
      why_not: 'no',
      then: null,
      now: null,
      alike: null,
    };
  });
}

/** A workspace that was empty in its first hour. */
function answerWorkspaces(kernel: FakeKernelState): void {
  const { handlers } = kernel;
  handlers.set('workspace.create', (caller, { name }) => {
    const workspace_id = newId('workspace');
    return kernel.keep(caller.tenant_id, workspace_id, 'workspace', {
      workspace_id,
      name,
      head_snapshot_id: kernel.emptySnapshot,
      created_at: 1,
      updated_at: 1,
    });
  });
  for (const verb of ['workspace.limits.read', 'workspace.limits.set'] as const) {
    handlers.set(verb, (caller, { workspace_id }) => {
      kernel.find(caller, workspace_id);
      return { workspace_id, files_max: null, bytes_max: null, files: 0, bytes: 0 };
    });
  }
  handlers.set('workspace.snapshots', (caller, { workspace_id }) => {
    kernel.find(caller, workspace_id);
    return {
      items: [
        {
          seq: 0,
          snapshot_id: kernel.emptySnapshot,
          parent_snapshot_id: null,
          delta_id: null,
          kind: 'created',
          operation_id: null,
          tool_id: null,
          made_by: null,
          created_at: 1,
        },
      ],
      next_cursor: null,
    };
  });
  handlers.set('workspace.snapshot', (caller, { workspace_id, snapshot_id, at }) => {
    const { head_snapshot_id } = kernel.find(caller, workspace_id) as { head_snapshot_id: string };
    if (snapshot_id !== null && snapshot_id !== head_snapshot_id && snapshot_id !== kernel.emptySnapshot)
      throw new Fault('not_found');
    // A workspace was empty in its first hour.
    return {
      snapshot_id: typeof at === 'number' && at < 3_600_000 ? kernel.emptySnapshot : (snapshot_id ?? head_snapshot_id),
    };
  });
}

/** Handlers for tokens, all of them unused. */
function answerTokens(kernel: FakeKernelState): void {
  const { handlers } = kernel;
  handlers.set('token.issue', (caller, { agent_id, workspace_id, grant }) => {
    kernel.find(caller, agent_id);
    if (workspace_id !== null) kernel.find(caller, workspace_id);
    return newToken(kernel, caller, null, String(agent_id), grant as TokenView['grant']);
  });
  handlers.set('token.attenuate', (caller, { parent_id, grant }) => {
    const parent = kernel.find(caller, parent_id) as TokenView;
    return newToken(kernel, caller, parent.capability_token_id, parent.agent_id, grant as TokenView['grant']);
  });
  handlers.set('credential.exchange', (caller, { parent_id, grant }) => {
    const parent = kernel.find(caller, parent_id) as TokenView;
    return newToken(kernel, caller, parent.capability_token_id, parent.agent_id, grant as TokenView['grant']);
  });
  handlers.set('call.defaults', (caller, { agent_id }) => ({
    claim: null,
    tokens: (kernel.all(caller, 'token.list') as TokenView[]).filter((token) => token.agent_id === agent_id),
    workspaces: (kernel.all(caller, 'workspace.list') as { workspace_id: string }[]).map((each) => each.workspace_id),
  }));
  // A sub-agent of any operation; its grant doesn't matter here.
  handlers.set('token.spawn', (caller) =>
    newToken(kernel, caller, null, caller.agent_id ?? '', {
      tools: [],
      fs: [],
      net: [],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: 1,
    }),
  );
  handlers.set('token.list_for_job', (caller, { parent_id, workspace_id }) => {
    const parent = kernel.find(caller, parent_id) as TokenView;
    kernel.find(caller, workspace_id);
    return newToken(kernel, caller, parent.capability_token_id, parent.agent_id, parent.grant);
  });
}

function newToken(
  kernel: FakeKernelState,
  caller: Caller,
  parent_id: string | null,
  agent_id: string,
  grant: TokenView['grant'],
): TokenView {
  const capability_token_id = newId('token');
  return kernel.keep(caller.tenant_id, capability_token_id, 'token', {
    v: 1,
    capability_token_id,
    tenant_id: caller.tenant_id,
    agent_id,
    parent_id,
    workspace_id: null,
    grant,
    issuer: caller.api_key_id,
    created_at: 1,
    revoked_at: null,
    used: {},
    reserved: {},
    left: {},
    chain: [...(parent_id === null ? [] : [parent_id]), capability_token_id],
    revoked: false,
  } satisfies TokenView);
}

/** Handlers for functions of the tenant: a permit always waits, and each redemption and report counts. */
function answerFunctions({ handlers }: FakeKernelState): void {
  const envelope = { payloadType: 'x', payload: 'e30=', signatures: [{ keyid: 'k', sig: 'AAAA' }] };
  handlers.set('function.take', () => ({ permit: envelope }));
  handlers.set('function.release', () => ({ released: true }));
  handlers.set('function.redeem', () => ({
    operation_id: newId('operation'),
    attempt: 1,
    tool_id: 'billing.charge',
    tool_definition_digest: '7'.repeat(64),
    args: {},
    idempotent: false,
    timeout_ms: 1_000,
    lease_until: 1,
    lease_ms: 1,
  }));
  handlers.set('function.renew', () => ({ lease_until: 1, stop: false }));
  handlers.set('function.report', () => ({ state: 'committed', tx_outcome: 'committed' }));
}

/** Handlers for agents and other single verbs. */
function answerOthers(kernel: FakeKernelState): void {
  const { handlers } = kernel;
  handlers.set('bundle.seal', () => ({
    envelope: { payloadType: 'x', payload: 'e30=', signatures: [{ keyid: 'k', sig: 'AAAA' }] },
  }));
  handlers.set('agent.create', (caller, { name }) => {
    const agent_id = newId('agent');
    return kernel.keep(caller.tenant_id, agent_id, 'agent', { agent_id, name, created_at: 1 });
  });
  handlers.set('freeze.place', () => freezeOf(newId('freeze')));
  handlers.set('budget.set', () => budgetOf(newId('budget')));
  handlers.set('usage.calls', () => ({ items: [], next: null }));
  handlers.set('delegation.create', () => delegationOf(newId('delegation')));
  handlers.set('resource.create', (caller, { kind, name, settings }) => {
    const view = resourceOf(newId('resource'), { kind, name, settings });
    return kernel.keep(caller.tenant_id, view.resource_id, 'resource', view);
  });
  handlers.set('resource_grant.set', (caller, { grant }) => {
    const view = resourceGrantOf(newId('resourceGrant'), grant as Record<string, unknown>);
    return kernel.keep(caller.tenant_id, view.resource_grant_id, 'resource_grant', view);
  });
  handlers.set('external_version.set', (caller, { ref, version }) =>
    kernel.keep(caller.tenant_id, String(ref), 'external_version', {
      external_version_id: newId('externalVersion'),
      ref,
      version,
      created_at: 1,
      updated_at: 1,
      updated_by: caller.api_key_id,
    }),
  );
  handlers.set('secret.set', (caller, { name, note }) =>
    kernel.keep(caller.tenant_id, String(name), 'secret', {
      name,
      version: 1,
      note,
      created_by: caller.api_key_id,
      created_at: 1,
    }),
  );
  handlers.set('container.logs', (caller, { container_id }) => {
    kernel.find(caller, container_id);
    return { container_id, output: 'so far', output_bytes: 6, withheld: false };
  });
  handlers.set('api_key.revoke', () => ({ tokens: [], more_tokens: false }));
  handlers.set('person.offboard', () => ({ delegations: 0 }));
  handlers.set('person.suspend', () => ({ names: 1 }));
  handlers.set('change.record', () => ({ recorded: newId('record') }));
}

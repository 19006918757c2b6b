// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  type Caller,
  type KernelVerb,
  type OperationView,
  type ProfileView,
  type SandboxWhole,
  type SkillWhole,
  type StoredResult,
  type TenantToolView,
  type TextOrder,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { TokenView } from '../calls/kernel/token-view.ts';
import { delegationOf, erasureOf, freezeOf, POLICY, registrarKeyOf } from './fake-views.ts';

export type Handler = (caller: Caller, request: Record<string, unknown>) => unknown;

/** What the answers are made of, and where they go. */
export interface Answering {
  readonly handlers: Map<string, Handler>;
  /** the hash of the root node of a workspace with nothing in it */
  readonly emptySnapshot: string;
  /** what is to be erased of what was said */
  readonly orders: TextOrder[];
  /** what long results are sealed under; null: they are as they are */
  readonly opens: StoredResult['opens'];
  /** A thing of the tenant's, as its view; not there and not theirs are one answer. */
  find(caller: Caller | null, id: unknown): unknown;
  keep<T>(tenantId: string, id: string, kind: string, view: T): T;
  /** All of the kind that the verb is of. */
  all(caller: Caller | null, verb: string): unknown[];
}

/** Verbs that answer with the thing that is named, as it is. */
const READS = {
  'operation.read': 'operation_id',
  'operation.cancel': 'operation_id',
  'operation.resolve': 'operation_id',
  'approval.read': 'approval_id',
  'agent.read': 'agent_id',
  'token.read': 'capability_token_id',
  'token.revoke': 'capability_token_id',
  'freeze.read': 'freeze_id',
  'erasure.read': 'erasure_id',
  'freeze.lift': 'freeze_id',
  'secret.remove': 'name',
  'container.kill': 'container_id',
  'sandbox.read': 'name',
  'profile.read': 'name',
  'skill.read': 'name',
  'sandbox.sign': 'name',
  'registrar.end': 'keyid',
  'delegation.revoke': 'delegation_id',
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
  'resource.list',
  'secret.list',
  'container.list',
  'registrar.list',
  'profile.list',
] as const;

/** Has the kernel answer each request as agreed. */
export function answerAll(kernel: Answering): void {
  for (const [verb, idName] of Object.entries(READS))
    kernel.handlers.set(verb, (caller, request) => kernel.find(caller, request[idName]));
  for (const verb of LISTS)
    kernel.handlers.set(verb, (caller) => ({ items: kernel.all(caller, verb), next_cursor: null }));
  for (const answer of [
    answerPolicies,
    answerOperations,
    answerWorkspaces,
    answerTokens,
    answerErasures,
    answerRegistries,
    answerOthers,
  ])
    answer(kernel);
}

/** One set, in force, that is the tenant's own under its hash. */
function answerPolicies(kernel: Answering): void {
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
  handlers.set('policy.schema', () => ({ version: 1, cedar: 'entity Agent;', document: {} }));
  handlers.set('policy.templates', () => ({ items: [{ id: 'one', description: 'one', parameters: {} }] }));
}

/** What is read of an operation beside its view. */
function answerOperations(kernel: Answering): void {
  const { handlers } = kernel;
  handlers.set('operation.requests', (caller, { operation_id }) => {
    kernel.find(caller, operation_id);
    return { items: [], next_cursor: null, total: 0, hash: null };
  });
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
function answerWorkspaces(kernel: Answering): void {
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

/** Tokens that nobody has used yet. */
function answerTokens(kernel: Answering): void {
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
  handlers.set('token.list_for_job', (caller, { parent_id, workspace_id }) => {
    const parent = kernel.find(caller, parent_id) as TokenView;
    kernel.find(caller, workspace_id);
    return newToken(kernel, caller, parent.capability_token_id, parent.agent_id, parent.grant);
  });
}

function newToken(
  kernel: Answering,
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

/** Erasures that are done at once, but for what was said. */
function answerErasures(kernel: Answering): void {
  const { handlers } = kernel;
  handlers.set('erasure.begin', (caller, { texts, session_id }) => {
    const { session_ids = [], alone = false } = (texts ?? {}) as { session_ids?: string[]; alone?: boolean };
    const selector = alone ? 'conversation' : 'session';
    const erasure = erasureOf(newId('erasure'), {
      selector,
      session_id: String(session_id),
      ...(session_ids.length === 0 ? {} : { state: 'running', finished_at: null }),
    });
    if (session_ids.length > 0)
      kernel.orders.push({
        tenant_id: caller.tenant_id,
        erasure_id: erasure.erasure_id,
        selector,
        session_ids,
        until: 0,
      });
    return erasure;
  });
  handlers.set('erasure.plan', () => ({ dry_run: true, operations: 1, unfinished: 0, more: false }));
  handlers.set('retention.read', () => ({ payload_days: null, output_days: null, changed_at: null }));
  handlers.set('retention.set', (_caller, { payload_days, output_days }) => ({
    payload_days,
    output_days,
    changed_at: 1,
  }));
}

/** What a tenant registers: tools, search, sandboxes, skills, profiles, keys. */
function answerRegistries(kernel: Answering): void {
  const { handlers } = kernel;
  handlers.set('tool.apply', () => ({ valid: true, problems: [], tools: [] }));
  handlers.set('tool.remove', (caller, { tool_id }) => ({
    removed: (kernel.find(caller, tool_id) as TenantToolView).tool.tool_id,
  }));
  const search = {
    provider: { kind: 'searxng', url: 'https://searx.example.org' },
    definition_digest: '0'.repeat(64),
    set_by: 'spec',
    set_at: 1,
  } as const;
  for (const verb of ['search.read', 'search.remove'] as const) handlers.set(verb, () => search);
  handlers.set('search.set', (caller, { provider }) => ({ ...search, provider, set_by: caller.api_key_id }));
  handlers.set('tool.list', (caller, { tool_id }) => ({
    items: (kernel.all(caller, 'tool.list') as TenantToolView[]).filter(
      ({ tool }) => tool_id === null || tool.tool_id === tool_id,
    ),
    next_cursor: null,
  }));
  handlers.set('sandbox.list', (caller) => ({
    items: (kernel.all(caller, 'sandbox.list') as SandboxWhole[]).map(
      ({ definition: _d, environment: _e, digest: _g, problem: _p, tenant_id: _t, ...view }) => view,
    ),
    next_cursor: null,
  }));
  handlers.set('sandbox.put', () => ({ valid: true, problems: [], sandbox: null }));
  handlers.set('sandbox.remove', (caller, { name }) => ({ removed: (kernel.find(caller, name) as SandboxWhole).name }));
  handlers.set('skill.put', () => ({ valid: true, problems: [], change: 'added', skill: null }));
  handlers.set('skill.list', (caller) => ({
    items: (kernel.all(caller, 'skill.list') as SkillWhole[]).map(({ versions: _v, files, ...view }) => ({
      ...view,
      files: files.length,
    })),
    next_cursor: null,
  }));
  handlers.set('skill.remove', (caller, { name }) => ({ removed: (kernel.find(caller, name) as SkillWhole).name }));
  handlers.set('profile.create', () => ({ valid: true, problems: [], profile: null }));
  handlers.set('profile.remove', (caller, { name }) => ({ removed: (kernel.find(caller, name) as ProfileView).name }));
  handlers.set('registrar.add', () => registrarKeyOf('0'.repeat(43)));
}

/** Agents, and what stands by itself. */
function answerOthers(kernel: Answering): void {
  const { handlers } = kernel;
  handlers.set('bundle.seal', () => ({
    envelope: { payloadType: 'x', payload: 'e30=', signatures: [{ keyid: 'k', sig: 'AAAA' }] },
  }));
  handlers.set('agent.create', (caller, { name }) => {
    const agent_id = newId('agent');
    return kernel.keep(caller.tenant_id, agent_id, 'agent', { agent_id, name, created_at: 1 });
  });
  handlers.set('freeze.place', () => freezeOf(newId('freeze')));
  handlers.set('delegation.create', () => delegationOf(newId('delegation')));
  handlers.set('resource.set', (caller, { ref, version }) =>
    kernel.keep(caller.tenant_id, String(ref), 'resource', {
      resource_id: newId('resource'),
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
  handlers.set('change.record', () => ({ recorded: newId('record') }));
}

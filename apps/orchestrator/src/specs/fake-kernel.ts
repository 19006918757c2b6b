// SPDX-License-Identifier: Apache-2.0
import type { Bus, BusHeaders } from '@writ/bus';
import {
  AdmitRequest, Fault, KERNEL_REQUESTS, NoticeDrop, NoticeTake, parseMessage, subjectsOf, TenantCreate, TextsGone, TextsTold, type ApprovalView, type Caller, type TenantToolView, type DelegationView, type ErasureView, type FreezeView, type KernelVerb, type Notice, type OperationView, type ProposedCall, type ProfileView, type RegistrarKeyView, type SandboxWhole, type SkillWhole, type StoredResult, type TenantLimits, type TextOrder,
  type ToolResult,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { TokenView } from '../http/views.ts';

/** The hash of the root node of a workspace with nothing in it, as the tree model names it, goes in from outside. */
export interface FakeKernelOptions { readonly emptySnapshot: string }

type Handler = (caller: Caller, request: Record<string, unknown>) => unknown;
type Row = Record<string, unknown> & { readonly tenant_id: string };

/** A kernel that keeps things by tenant and answers as agreed; a test may put another answer in the place of any. */
export class FakeKernel {
  readonly asked: { verb: string; request: Record<string, unknown> }[] = [];
  /** of the call that was proposed last */
  traceparent: string | undefined;
  /** what is to be told, until it is dropped */
  notices: Notice[] = [];
  /** what is to be erased of what was said, until it is gone, and what was told of it */
  orders: TextOrder[] = [];
  readonly told: TextsTold[] = [];
  /** nothing can be recorded while it is set */
  isDeaf = false;
  /** what was set for single tenants, as the door hears of it */
  limits: TenantLimits[] = [];
  readonly handlers = new Map<string, Handler>();
  /** what long results are sealed under; null: they are as they are */
  opens: StoredResult['opens'] = null;
  /** what becomes of a proposed call: the state and result of its view */
  admits: (call: ProposedCall) => OperationView | Promise<OperationView> = (call) => viewOf(call, 'no_op');
  readonly #rows = new Map<string, Row>();
  readonly #options: FakeKernelOptions;

  constructor(options: FakeKernelOptions) {
    this.#options = options;
    for (const [verb, idName] of Object.entries(READS)) this.handlers.set(verb, (caller, request) => this.find(caller, request[idName]));
    for (const verb of LISTS) this.handlers.set(verb, (caller) => ({ items: this.#all(caller, verb), next_cursor: null }));
    this.#creates();
  }

  async serve(bus: Bus): Promise<void> {
    const subjects = subjectsOf('s0');
    const serve = async (name: string, handler: (payload: unknown, headers: BusHeaders) => unknown): Promise<void> => {
      await bus.serve(subjects.request(name), { queue: 'kernel', concurrencyMax: 1_000, handler: async (message) => handler(message.payload, message.headers) });
    };
    await serve('kernel.admit', (payload, { traceparent }) => {
      this.traceparent = traceparent;
      const { wait_ms: _waits, ...call } = parseMessage(AdmitRequest, payload);
      return this.#admit(call);
    });
    await serve('kernel.notice.take', (payload) => ({ notices: this.notices.slice(0, parseMessage(NoticeTake, payload).limit) }));
    await serve('kernel.notice.drop', (payload) => {
      const { notice_ids } = parseMessage(NoticeDrop, payload);
      this.notices = this.notices.filter(({ notice_id }) => !notice_ids.includes(notice_id));
      return {};
    });
    await serve('kernel.erasure.orders', () => ({ orders: this.orders }));
    await serve('kernel.erasure.tell', (payload) => {
      if (this.isDeaf) throw new Fault('database.unavailable');
      this.told.push(parseMessage(TextsTold, payload));
      return {};
    });
    await serve('kernel.erasure.gone', (payload) => {
      const { erasure_id } = parseMessage(TextsGone, payload);
      this.orders = this.orders.filter((order) => order.erasure_id !== erasure_id);
      return erasureOf(erasure_id);
    });
    await serve('kernel.tenant.limits.changed', () => ({ now: 0, items: this.limits, more: false }));
    await serve('kernel.tenant.create', (payload) => ({ tenant_id: parseMessage(TenantCreate, payload).tenant_id }));
    for (const verb of Object.keys(KERNEL_REQUESTS) as KernelVerb[]) {
      await serve(`kernel.${verb}`, (payload) => {
        const { caller, ...request } = parseMessage(KERNEL_REQUESTS[verb], payload) as { caller: Caller };
        this.asked.push({ verb, request });
        return this.handlers.get(verb)?.(caller, request);
      });
    }
  }

  /** A thing of the tenant's, as its view; not there and not theirs are one answer. */
  find(caller: Caller | null, id: unknown): unknown {
    const row = this.#rows.get(String(id));
    // The platform key finds whatever a test keeps.
    if (row === undefined || (caller !== null && row.tenant_id !== caller.tenant_id)) throw new Fault('not_found', `there is no \`${String(id)}\` of this tenant`);
    return row['view'];
  }

  keep<T>(tenantId: string, id: string, kind: string, view: T): T {
    this.#rows.set(id, { tenant_id: tenantId, kind, view });
    return view;
  }

  async #admit(call: ProposedCall): Promise<OperationView> {
    this.asked.push({ verb: 'admit', request: call });
    const view = await this.admits(call);
    return this.keep(call.tenant_id, view.operation_id, 'operation', view);
  }

  #all(caller: Caller | null, verb: string): unknown[] {
    const [kind] = verb.split('.');
    return [...this.#rows.values()].filter((row) => (caller === null || row.tenant_id === caller.tenant_id) && row['kind'] === kind).map((row) => row['view']);
  }

  /** One set, in force, that is the tenant's own under its hash. */
  #policies(): void {
    const active = { policy_hash: POLICY.policy_hash, name: 'default', version: null, enforcement: 'enforce', seq: 0, activated_by: null, at: null, note: null };
    const find = (caller: Caller, ref: unknown): unknown => (ref === null || ref === 'default' ? { ...POLICY, document: { v: 1 } } : this.find(caller, ref));
    const { handlers } = this;
    handlers.set('policy.put', (_caller, { document }) => ({ valid: 'v' in (document as object), problems: [], warnings: [], policy: POLICY }));
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
      simulated: true, would_be: 'admitted', error: null, autonomy_mode: 'autopilot', risk_score: 0, risk_basis: [], reasons: [], approvers: null, labels: [], explanation: null,
    }));
    handlers.set('policy.backtest', ({ tenant_id }) => ({
      page: { v: 1, tenant_id, kernel_key_id: 'k', candidate: policy, since: 0, cursor: null, next_cursor: null, made_at: 0, examined: 0, skipped: 0, changed: 0, changes: [], examples: [] },
      envelope: { payloadType: 'x', payload: 'e30=', signatures: [{ keyid: 'k', sig: 'AAAA' }] },
    }));
    handlers.set('policy.replay', (_caller, { calls }) => ({ candidate: policy, items: (calls as unknown[]).map(() => null) }));
    handlers.set('bundle.seal', () => ({ envelope: { payloadType: 'x', payload: 'e30=', signatures: [{ keyid: 'k', sig: 'AAAA' }] } }));
    handlers.set('operation.requests', (caller, { operation_id }) => {
      this.find(caller, operation_id);
      return { items: [], next_cursor: null, total: 0, hash: null };
    });
    handlers.set('operation.output', (caller, { operation_id, stream }) => {
      this.find(caller, operation_id);
      return this.find(caller, `${String(stream)} of ${String(operation_id)}`);
    });
    handlers.set('operation.result', (caller, { operation_id }) => {
      const { result } = this.find(caller, operation_id) as OperationView;
      return { v: 1, ref: result?.result_ref ?? null, opens: this.opens };
    });
    handlers.set('operation.explain', (caller, { operation_id }) => {
      this.find(caller, operation_id);
      return { operation_id, policy_hash: POLICY.policy_hash, asked: false, why_not: 'no', then: null, now: null, alike: null };
    });
    handlers.set('policy.schema', () => ({ version: 1, cedar: 'entity Agent;', document: {} }));
    handlers.set('policy.templates', () => ({ items: [{ id: 'one', description: 'one', parameters: {} }] }));
  }

  #creates(): void {
    const { handlers } = this;
    handlers.set('agent.create', (caller, { name }) => {
      const agent_id = newId('agent');
      return this.keep(caller.tenant_id, agent_id, 'agent', { agent_id, name, created_at: 1 });
    });
    this.#policies();
    handlers.set('workspace.create', (caller, { name }) => {
      const workspace_id = newId('workspace');
      return this.keep(caller.tenant_id, workspace_id, 'workspace', { workspace_id, name, head_snapshot_id: this.#options.emptySnapshot, created_at: 1, updated_at: 1 });
    });
    for (const verb of ['workspace.limits.read', 'workspace.limits.set'] as const) {
      handlers.set(verb, (caller, { workspace_id }) => {
        this.find(caller, workspace_id);
        return { workspace_id, files_max: null, bytes_max: null, files: 0, bytes: 0 };
      });
    }
    handlers.set('workspace.snapshots', (caller, { workspace_id }) => {
      this.find(caller, workspace_id);
      return { items: [{ seq: 0, snapshot_id: this.#options.emptySnapshot, parent_snapshot_id: null, delta_id: null, kind: 'created', operation_id: null, tool_id: null, made_by: null, created_at: 1 }], next_cursor: null };
    });
    handlers.set('workspace.snapshot', (caller, { workspace_id, snapshot_id, at }) => {
      const { head_snapshot_id } = this.find(caller, workspace_id) as { head_snapshot_id: string };
      if (snapshot_id !== null && snapshot_id !== head_snapshot_id && snapshot_id !== this.#options.emptySnapshot) throw new Fault('not_found');
      // A workspace was empty in its first hour.
      return { snapshot_id: typeof at === 'number' && at < 3_600_000 ? this.#options.emptySnapshot : snapshot_id ?? head_snapshot_id };
    });
    handlers.set('token.issue', (caller, { agent_id, workspace_id, grant }) => {
      this.find(caller, agent_id);
      if (workspace_id !== null) this.find(caller, workspace_id);
      return this.#token(caller, null, String(agent_id), grant as TokenView['grant']);
    });
    handlers.set('token.attenuate', (caller, { parent_id, grant }) => {
      const parent = this.find(caller, parent_id) as TokenView;
      return this.#token(caller, parent.capability_token_id, parent.agent_id, grant as TokenView['grant']);
    });
    handlers.set('token.list_for_job', (caller, { parent_id, workspace_id }) => {
      const parent = this.find(caller, parent_id) as TokenView;
      this.find(caller, workspace_id);
      return this.#token(caller, parent.capability_token_id, parent.agent_id, parent.grant);
    });
    handlers.set('erasure.begin', (caller, { texts, session_id }) => {
      const { session_ids = [], alone = false } = (texts ?? {}) as { session_ids?: string[]; alone?: boolean };
      const selector = alone ? 'conversation' : 'session';
      const erasure = erasureOf(newId('erasure'), { selector, session_id: String(session_id), ...(session_ids.length === 0 ? {} : { state: 'running', finished_at: null }) });
      if (session_ids.length > 0) this.orders.push({ tenant_id: caller.tenant_id, erasure_id: erasure.erasure_id, selector, session_ids, until: 0 });
      return erasure;
    });
    handlers.set('erasure.plan', () => ({ dry_run: true, operations: 1, unfinished: 0, more: false }));
    handlers.set('retention.read', () => ({ payload_days: null, output_days: null, changed_at: null }));
    handlers.set('retention.set', (_caller, { payload_days, output_days }) => ({ payload_days, output_days, changed_at: 1 }));
    handlers.set('freeze.place', () => freezeOf(newId('freeze')));
    handlers.set('delegation.create', () => delegationOf(newId('delegation')));
    handlers.set('resource.set', (caller, { ref, version }) => this.keep(caller.tenant_id, String(ref), 'resource',
      { resource_id: newId('resource'), ref, version, created_at: 1, updated_at: 1, updated_by: caller.api_key_id }));
    handlers.set('secret.set', (caller, { name, note }) => this.keep(caller.tenant_id, String(name), 'secret', { name, version: 1, note, created_by: caller.api_key_id, created_at: 1 }));
    handlers.set('tool.apply', () => ({ valid: true, problems: [], tools: [] }));
    handlers.set('tool.remove', (caller, { tool_id }) => ({ removed: (this.find(caller, tool_id) as TenantToolView).tool.tool_id }));
    const search = { provider: { kind: 'searxng', url: 'https://searx.example.org' }, definition_digest: '0'.repeat(64), set_by: 'spec', set_at: 1 } as const;
    for (const verb of ['search.read', 'search.remove'] as const) handlers.set(verb, () => search);
    handlers.set('search.set', (caller, { provider }) => ({ ...search, provider, set_by: caller.api_key_id }));
    handlers.set('tool.list', (caller, { tool_id }) => ({ items: (this.#all(caller, 'tool.list') as TenantToolView[]).filter(({ tool }) => tool_id === null || tool.tool_id === tool_id), next_cursor: null }));
    handlers.set('container.logs', (caller, { container_id }) => {
      this.find(caller, container_id);
      return { container_id, output: 'so far', output_bytes: 6, withheld: false };
    });
    handlers.set('sandbox.list', (caller) => ({ items: (this.#all(caller, 'sandbox.list') as SandboxWhole[]).map(({ definition: _d, environment: _e, digest: _g, problem: _p, tenant_id: _t, ...view }) => view), next_cursor: null }));
    handlers.set('sandbox.put', () => ({ valid: true, problems: [], sandbox: null }));
    handlers.set('sandbox.remove', (caller, { name }) => ({ removed: (this.find(caller, name) as SandboxWhole).name }));
    handlers.set('skill.put', () => ({ valid: true, problems: [], change: 'added', skill: null }));
    handlers.set('skill.list', (caller) => ({ items: (this.#all(caller, 'skill.list') as SkillWhole[]).map(({ versions: _v, files, ...view }) => ({ ...view, files: files.length })), next_cursor: null }));
    handlers.set('skill.remove', (caller, { name }) => ({ removed: (this.find(caller, name) as SkillWhole).name }));
    handlers.set('profile.create', () => ({ valid: true, problems: [], profile: null }));
    handlers.set('profile.remove', (caller, { name }) => ({ removed: (this.find(caller, name) as ProfileView).name }));
    handlers.set('registrar.add', () => registrarKeyOf('0'.repeat(43)));
    handlers.set('change.record', () => ({ recorded: newId('record') }));
  }

  #token(caller: Caller, parent_id: string | null, agent_id: string, grant: TokenView['grant']): TokenView {
    const capability_token_id = newId('token');
    return this.keep(caller.tenant_id, capability_token_id, 'token', {
      v: 1, capability_token_id, tenant_id: caller.tenant_id, agent_id, parent_id, workspace_id: null, grant, issuer: caller.api_key_id, created_at: 1, revoked_at: null,
      used: {}, reserved: {}, left: {}, chain: [...(parent_id === null ? [] : [parent_id]), capability_token_id], revoked: false,
    } satisfies TokenView);
  }
}

/** Verbs that answer with the thing that is named, as it is. */
const READS = {
  'operation.read': 'operation_id', 'operation.cancel': 'operation_id', 'operation.resolve': 'operation_id', 'approval.read': 'approval_id', 'agent.read': 'agent_id', 'token.read': 'capability_token_id',
  'token.revoke': 'capability_token_id', 'freeze.read': 'freeze_id', 'erasure.read': 'erasure_id', 'freeze.lift': 'freeze_id', 'secret.remove': 'name', 'container.kill': 'container_id', 'sandbox.read': 'name', 'profile.read': 'name', 'skill.read': 'name', 'sandbox.sign': 'name', 'registrar.end': 'keyid', 'delegation.revoke': 'delegation_id', 'tenant.limits.read': 'tenant_id', 'tenant.limits.set': 'tenant_id', 'workspace.read': 'workspace_id', 'workspace.change': 'workspace_id', 'workspace.restore': 'workspace_id', 'workspace.import': 'workspace_id',
} satisfies Partial<Record<KernelVerb, string>>;
/** A registrar's key that is active. */
export const registrarKeyOf = (keyid: string): RegistrarKeyView => ({ keyid, public_key: { kty: 'OKP', crv: 'Ed25519', x: keyid }, note: null, state: 'active', created_by: 'spec', created_at: 1, ended_by: null, ended_at: null });

/** A shipped set, as it is listed. */
export const POLICY = {
  policy_hash: '0'.repeat(64), name: 'default', version: null, description: '', enforcement: 'enforce', active: true, shipped: true, created_by: null, created_at: null,
} as const;

const LISTS = ['operation.list', 'approval.list', 'agent.list', 'token.list', 'workspace.list', 'freeze.list', 'erasure.list', 'delegation.list', 'resource.list', 'secret.list', 'container.list', 'registrar.list', 'profile.list'] as const;

/** The view of a call in a state; ended ones carry a result. */
export function viewOf(call: ProposedCall, state: OperationView['state'], more: Partial<OperationView> = {}, result: Partial<ToolResult> = {}): OperationView {
  const { operation_id, tool_id, agent_id, capability_token_id, workspace_id, session_id, task_class, provenance } = call;
  const isEnded = ['refused', 'committed', 'rolled_back', 'no_op', 'ambiguous'].includes(state);
  const record_id = newId('record');
  return {
    operation_id, state, tool_id, agent_id, capability_token_id, workspace_id, session_id, task_class, provenance,
    autonomy_mode: 'autopilot', risk_score: 0, risk_basis: [], reasons: [], attempt: 1, replayed: false, approval_id: null,
    decision_record_id: newId('record'), outcome_record_id: isEnded && state !== 'refused' ? record_id : null, resolution: null, created_at: 1, updated_at: 1,
    result: isEnded ? {
      v: 1, operation_id, tool_id, agent_id, workspace_id, status: state === 'refused' ? 'error' : 'ok', state_snapshot_id: null, new_snapshot_id: null, result: null, result_ref: null,
      result_hash: null, error: state === 'refused' ? { code: 'policy.denied', message: 'no', hint: null } : null, reasons: [], provenance, task_class, autonomy_mode: 'autopilot',
      risk_score: 0, tx_outcome: state === 'committed' ? 'committed' : state === 'no_op' ? 'no_op' : 'rolled_back', commit_delta_id: null,
      receipt: { state: 'logged', record_id, href: `/v1/receipts/${operation_id}`, leaf_index: 0, tree_size: 1 }, ...result,
    } : null,
    ...more,
  };
}

/** An approval of an operation. */
export function approvalOf(view: OperationView): ApprovalView {
  return {
    approval_id: newId('approval'), operation_id: view.operation_id, tool_id: view.tool_id, agent_id: view.agent_id, action_digest: '0'.repeat(64), autonomy_mode: 'soft_gate',
    binding: { action_digest: '0'.repeat(64), effect_digest: null, policy_hash: '0'.repeat(64), expires_at: 2 },
    preview: { state: 'none', why: null, round: 0, base_snapshot_id: null, changes: null, changes_total: null, exit_code: null, output: null, would_ask_for: [], used: null },
    of: 'action', state: 'pending', votes: { given: 0, needed: 1, role: 'operator' }, voted: [], reasons: [], args: { path: 'a' }, created_at: 1, expires_at: 2, decided_at: null, decided_by: null, comment: null,
  };
}

/** A right that is lent. */
export function delegationOf(delegation_id: string): DelegationView {
  return {
    delegation_id, from: 'ann', role: 'admin', to: 'bob', scope: { tools: null, agent_id: null, autonomy_mode: 'soft_gate' }, note: 'away', state: 'standing', created_at: 1,
    created_by: newId('apiKey'), expires_at: 2, revoked_at: null, revoked_by: null,
  };
}

/** An erasure that is done. */
export function erasureOf(erasure_id: string, more: Partial<ErasureView> = {}): ErasureView {
  return {
    erasure_id, selector: 'session', operation_id: null, session_id: 'ses-1', subject: null, before: null, reason_code: 'asked', state: 'done', operations: 1, unfinished: 0, records: 1, record_id: newId('record'), requested_by: newId('apiKey'),
    created_at: 1, finished_at: 1, ...more,
  };
}

/** A freeze of a tenant that stands. */
export function freezeOf(freeze_id: string): FreezeView {
  return { freeze_id, scope: 'tenant', id: null, state: 'standing', reason: 'so', placed_by: 'platform', created_at: 1, expires_at: null, lifted_at: null, lifted_by: null };
}

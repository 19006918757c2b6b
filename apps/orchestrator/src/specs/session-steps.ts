// SPDX-License-Identifier: Apache-2.0
import type { AgentId, Id, TenantId, TextErasureOrder } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import type { KeptEvent } from '../store/session-rows/run-events.ts';
import type { SessionTexts } from '../store/session-rows/session-texts.ts';
import type {
  NewRun,
  NewSession,
  RunClaim,
  RunRow,
  RunSums,
  RunWork,
  SessionRow,
  Sessions,
} from '../store/session-rows/sessions.ts';

export const newSession = (over: Partial<NewSession> = {}): NewSession => ({
  session_id: newId('session'),
  name: null,
  agent_id: newId('agent') as AgentId,
  workspace_id: newId('workspace'),
  capability_token_id: newId('token'),
  dialect: 'native',
  model: 'm',
  forked_from: null,
  spawned_by: null,
  job_id: null,
  session_mode: 'interactive',
  scheduling_class: null,
  created_by: newId('apiKey'),
  content: { system: 'be kind', base: [] },
  ...over,
});
export const newRun = (session_id: Id<'session'>, created_by: Id<'apiKey'>, over: Partial<NewRun> = {}): NewRun => ({
  run_id: newId('run'),
  session_id,
  idempotency_key: null,
  input: 'do it',
  rounds_max: null,
  tokens_max: null,
  cost_max: null,
  created_by,
  role: 'admin',
  principal: null,
  ...over,
});

/** Collects all items. */
export async function all<T>(of: AsyncIterable<T>): Promise<T[]> {
  const each: T[] = [];
  for await (const one of of) each.push(one);
  return each;
}

export const BOUNDS = { runsMax: 10, unendedMax: 5 };
export const LEASE_MS = 60_000;
export const REPLIED: KeptEvent = { kind: 'replied', turn: { text: 'hello', calls: [], stop: 'end' } };
export const SUMS: RunSums = {
  state: 'running',
  stopped: null,
  fault: null,
  rounds: 1,
  input_tokens: 7,
  cached_tokens: 1,
  output_tokens: 2,
  cost: 30,
};
export const ENDED: RunSums = { ...SUMS, state: 'ended', stopped: 'end' };

/** A store under test. `pass` advances the clock; `key` creates a valid key, `revoke` revokes it. */
export interface SessionStoreUnderTest {
  readonly sessions: () => Sessions;
  readonly work: () => RunWork;
  readonly sessionTexts: () => SessionTexts;
  readonly advance: (ms: number) => Promise<void>;
  readonly key: (tenantId: TenantId) => Promise<Id<'apiKey'>>;
  readonly revoke: (tenantId: TenantId, key: string) => Promise<void>;
}

/** Common steps of tests with sessions and runs of one tenant. */
export class SessionSteps {
  readonly tenant: TenantId;
  readonly key: Id<'apiKey'>;
  readonly #of: SessionStoreUnderTest;

  private constructor(of: SessionStoreUnderTest, tenant: TenantId, key: Id<'apiKey'>) {
    this.#of = of;
    this.tenant = tenant;
    this.key = key;
  }

  /** Steps for a new tenant. */
  static async begin(of: SessionStoreUnderTest): Promise<SessionSteps> {
    const tenant = newId('tenant') as TenantId;
    return new SessionSteps(of, tenant, await of.key(tenant));
  }

  make(over: Partial<NewSession> = {}): Promise<SessionRow> {
    return this.#of.sessions().create(this.tenant, newSession(over), 10);
  }

  async queue(sessionId: Id<'session'>, over: Partial<NewRun> = {}): Promise<RunRow> {
    return (await this.#of.sessions().queue(this.tenant, newRun(sessionId, this.key, over), BOUNDS))!;
  }

  /** Claims due runs of all tenants, and returns those of this test. */
  async claim(): Promise<RunClaim[]> {
    const asked = { rows: 1_000, tenantMax: 50, leaseMs: LEASE_MS, models: ['m', 'n'], goneMs: null };
    return (await this.#of.work().claim(asked)).filter(({ tenant_id }) => tenant_id === this.tenant);
  }

  async begun(): Promise<RunClaim> {
    const [one] = await this.claim();
    await this.#of.work().begin(one!, { system: 's', tools: [] });
    return one!;
  }

  async remove(session_id: string): Promise<boolean> {
    const order: TextErasureOrder = {
      tenant_id: this.tenant,
      erasure_id: newId('erasure'),
      selector: 'conversation',
      session_ids: [session_id],
      until: 0,
    };
    return await this.#of.sessionTexts().erase(order, (await this.#of.sessionTexts().mark(order))!.round);
  }

  async end(one: RunClaim, seq: number): Promise<void> {
    await this.#of.work().append(one, seq, { kind: 'ended', stopped: 'end' }, ENDED, LEASE_MS);
  }
}

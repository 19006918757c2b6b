// SPDX-License-Identifier: Apache-2.0
//
// Compares idempotency keys with a model, over random schedules. Several replicas propose calls at once; calls are
// repeated after lost replies, or sent under another token, with other arguments, with another tool or for another
// person. They are refused, held, ended in every way, erased, or cut off by a crash before their COMMIT.
import type { OperationView, ProposedCall } from '@writ/contract';
import { UNBALANCED_BUDGETS } from '@writ/testing';
import fc from 'fast-check';
import { Outcomes } from '../../execution/announcements/index.ts';
import { Judge } from '../../judging/judgement/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { deltaFor, newNonce, reportOf, textsAt, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';
import { Trees } from '../../foundation/workspace/trees.ts';
import { Admit } from './admit.ts';
import { FactCache } from './fact-cache.ts';

let kernel: TestKernel;
let run: TestExecution;
let replicas: Admit[];
openKernelSpec((on) => {
  ({ kernel, run } = on);
  replicas = Array.from(
    { length: 3 },
    () =>
      new Admit(
        { ...kernel.sources, memory: new FactCache(() => performance.now()) },
        new Judge(kernel.policy, new Trees(kernel.blobs)),
        kernel.decisions,
        { ...kernel, outcomes: new Outcomes(10) },
      ),
  );
});

const SAYS = { allow: () => AUTOPILOT, hold: requires('soft_gate'), refuse: requires('no_go') } as const;
/**
 * The next step of a schedule. A variant is a call: 0 and 1 differ in their arguments, 2 has another token, 3 is for
 * another person, and 4 is of another tool.
 */
const VARIANTS = [0, 1, 2, 3, 4] as const;
const Step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('propose' as const),
      key: fc.nat(1),
      variant: fc.constantFrom(0, 0, 0, ...VARIANTS),
      callers: fc.integer({ min: 1, max: 4 }),
      says: fc.constantFrom('allow' as const, 'allow' as const, 'hold' as const, 'refuse' as const),
      repliesLost: fc.nat(2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('crash' as const), key: fc.nat(1), variant: fc.constantFrom(...VARIANTS) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      key: fc.nat(1),
      how: fc.constantFrom('commit' as const, 'fail' as const, 'cancel' as const, 'approve' as const, 'deny' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase' as const), key: fc.nat(1) }) },
);
type Step = typeof Step extends fc.Arbitrary<infer T> ? T : never;
type Proposing = Extract<Step, { do: 'propose' }>;

/** Ends the connection of every kernel statement that waits for a lock, as if its process had crashed there. */
const KILL_WAITING = `SELECT pg_terminate_backend(pid) FROM pg_stat_clear_snapshot(), pg_stat_activity
  WHERE datname = current_database() AND usename = 'writ_kernel' AND wait_event_type = 'Lock'`;

/** The call that claimed a key. */
interface Claim {
  readonly operation_id: string;
  readonly variant: number;
  readonly erased: boolean;
}

/** One schedule, run on the real kernel and on the model. */
class Schedule {
  readonly #tenant: TestTenant;
  readonly #tokens: readonly string[];
  readonly #claims = new Map<number, Claim>();
  readonly #another = { proposed_by: newId('apiKey'), person: newId('person') };

  constructor(tenant: TestTenant, tokens: readonly string[]) {
    this.#tenant = tenant;
    this.#tokens = tokens;
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'propose') await this.#propose(step);
    else if (step.do === 'crash') await this.#crash(step.key, step.variant);
    else if (step.do === 'end') await this.#end(step.key, step.how);
    else await this.#erase(step.key);
  }

  #call(key: number, variant: number): ProposedCall {
    const path = `k${String(key)}.txt`;
    const change =
      variant === 4
        ? { tool_id: 'fs.edit', args: { path, edits: [{ find: 'a', replace: 'b' }] } }
        : { args: { path, content: variant === 1 ? 'other' : 'same' } };
    return this.#tenant.writeCall(this.#tokens[variant === 2 ? 1 : 0] as string, {
      idempotency_key: `key-${String(key)}`,
      ...change,
      ...(variant === 3 ? this.#another : {}),
    });
  }

  async #propose({ key, variant, callers, says, repliesLost }: Proposing): Promise<void> {
    kernel.policy.answer = SAYS[says];
    const calls = Array.from({ length: callers }, () => this.#call(key, variant));
    const sent = (call: ProposedCall, times: number): Promise<OperationView[]> =>
      Promise.all(
        Array.from({ length: times }, async (_, index) => {
          const replica = replicas[(index + callers) % replicas.length] as Admit;
          return await replica.answer(await replica.decide(call, null, 0));
        }),
      );
    // A lost reply: the same operation id, sent again, to another replica too.
    const views = (await Promise.all(calls.map(async (call) => await sent(call, 1 + repliesLost)))).flat();
    const before = this.#claims.get(key);
    if (before === undefined && says !== 'refuse') {
      const claimed = new Set(views.map(({ operation_id }) => operation_id));
      expect(claimed.size).toBe(1);
      const [operation_id = ''] = claimed;
      // The claim is one of the proposed calls, and all other callers got it as a replay.
      const own = calls.findIndex((call) => call.operation_id === operation_id);
      expect(own).toBeGreaterThanOrEqual(0);
      expect(views.filter(({ replayed }) => !replayed)).toHaveLength(1 + repliesLost);
      this.#claims.set(key, { operation_id, variant, erased: false });
    } else if (before !== undefined && !before.erased && before.variant === variant) {
      const { state } = await this.#tenant.row(before.operation_id);
      for (const view of views)
        expect(view).toMatchObject({ operation_id: before.operation_id, replayed: true, state });
    } else {
      const code =
        before === undefined ? 'policy.denied' : before.erased ? 'idempotency.expired' : 'idempotency.mismatch';
      for (const view of views)
        expect(view).toMatchObject({ state: 'refused', replayed: false, result: { error: { code } } });
      expect(new Set(views.map(({ operation_id }) => operation_id)).size).toBe(callers);
    }
  }

  /** The deciding process crashes with its transaction, and nothing is written. Then the same call is sent again. */
  async #crash(key: number, variant: number): Promise<void> {
    const before = this.#claims.get(key);
    // A replay writes nothing that a crash could cut off.
    if (before !== undefined && !before.erased && before.variant === variant) return;
    kernel.policy.answer = SAYS.allow;
    const call = this.#call(key, variant);
    let fate = 'open';
    await kernel.admin.query('BEGIN; LOCK TABLE kernel.operation IN SHARE ROW EXCLUSIVE MODE');
    const dying = kernel.admit.run(call, null).then(
      () => {
        fate = 'answered';
      },
      () => {
        fate = 'dead';
      },
    );
    while (fate === 'open') await kernel.admin.query(KILL_WAITING);
    await kernel.admin.query('COMMIT');
    await dying;
    expect(fate).toBe('dead');
    expect(await this.#tenant.row(call.operation_id)).toBeUndefined();
    const view = await kernel.admit.run(call, null);
    expect(view.operation_id).toBe(call.operation_id);
    if (before === undefined) this.#claims.set(key, { operation_id: call.operation_id, variant, erased: false });
    else expect(view.result?.error?.code).toBe(before.erased ? 'idempotency.expired' : 'idempotency.mismatch');
  }

  async #end(key: number, how: Extract<Step, { do: 'end' }>['how']): Promise<void> {
    const claim = this.#claims.get(key);
    if (claim === undefined) return;
    kernel.policy.answer = SAYS.allow;
    const { state, approval_id } = await this.#tenant.row(claim.operation_id);
    const caller = {
      tenant_id: this.#tenant.tenantId,
      api_key_id: newId('apiKey'),
      role: 'admin' as const,
      agent_id: null,
    };
    if (state === 'held' && (how === 'approve' || how === 'deny'))
      await kernel.decide.run({ v: 1, caller, approval_id: approval_id ?? '', decision: how, comment: null });
    else if (how === 'cancel' && (state === 'held' || state === 'admitted'))
      await kernel.cancel.run({ v: 1, caller, operation_id: claim.operation_id });
    else if (state === 'admitted' && (how === 'commit' || how === 'fail'))
      await this.#perform(claim.operation_id, key, how);
  }

  async #perform(operation_id: string, key: number, how: 'commit' | 'fail'): Promise<void> {
    run.speak(100);
    run.dispatcher.wake('inline');
    const speaker = { executor_id: newId('executor'), nonce: newNonce() };
    const redemption = await run.redeem.run({ v: 1, permit: await run.permitOf(operation_id), ...speaker });
    const attempt: Attempt = {
      tenant: this.#tenant,
      operation_id,
      attempt: redemption.attempt,
      snapshot: redemption.state_snapshot_id,
      ...speaker,
    };
    const failed = { ended: 'failed' as const, error: { code: 'file.kind', message: 'no', hint: null } };
    await run.commit.run(
      reportOf(
        attempt,
        await deltaFor(kernel, attempt, { [`k${String(key)}.txt`]: operation_id }),
        how === 'fail' ? failed : {},
      ),
    );
  }

  async #erase(key: number): Promise<void> {
    const claim = this.#claims.get(key);
    if (claim === undefined) return;
    await this.#tenant.query('UPDATE kernel.idempotency SET args_fingerprint = NULL WHERE operation_id = $1', [
      claim.operation_id,
    ]);
    this.#claims.set(key, { ...claim, erased: true });
  }

  /** Every key names one call, and every committed call committed once. */
  async verify(): Promise<void> {
    const claimed = await kernel.admin.query<{ operation_id: string }>(
      'SELECT operation_id FROM kernel.idempotency WHERE tenant_id = $1',
      [this.#tenant.tenantId],
    );
    expect(claimed.rows.map(({ operation_id }) => operation_id).sort()).toEqual(
      [...this.#claims.values()].map(({ operation_id }) => operation_id).sort(),
    );
    let committed = 0;
    for (const [key, { operation_id }] of this.#claims) {
      const { state, tx_outcome } = await this.#tenant.row(operation_id);
      const path = `k${String(key)}.txt`;
      expect(await textsAt(kernel, this.#tenant, [path])).toEqual({
        [path]: state === 'committed' ? operation_id : null,
      });
      committed += Number(state === 'committed');
      const outcomes = (await this.#tenant.records()).filter(
        (record) => record.operation_id === operation_id && record.phase === 'outcome',
      );
      expect(outcomes).toHaveLength(tx_outcome === null ? 0 : 1);
    }
    expect(
      (await kernel.admin.query('SELECT 1 FROM kernel.snapshot WHERE workspace_id = $1', [this.#tenant.workspaceId]))
        .rowCount,
    ).toBe(committed);
    expect((await kernel.admin.query(UNBALANCED_BUDGETS)).rows).toEqual([]);
  }
}

it('an idempotency key names one call for ever, for all callers and all outcomes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(Step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const tenant = await kernel.newTenant();
      const schedule = new Schedule(tenant, [
        await tenant.token({ budgets: { calls: 100 } }),
        await tenant.token({ budgets: { calls: 100 } }),
      ]);
      for (const step of steps) await schedule.take(step);
      await schedule.verify();
    }),
    { numRuns: 30 },
  );
}, 180_000);

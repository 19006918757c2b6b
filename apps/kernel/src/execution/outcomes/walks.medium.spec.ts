// SPDX-License-Identifier: Apache-2.0
//
// One call, and random events that may happen to it: it only moves by the table of states, and ends once, recorded and
// settled.
import { isFinal, type State } from '@writ/contract';
import { verifyTransition } from '@writ/lifecycle';
import { UNBALANCED_BUDGETS } from '@writ/testing';
import fc from 'fast-check';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import {
  deltaFor,
  newNonce,
  payloadOf,
  reportOf,
  credentialsOf,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let run: TestExecution;
openKernelSpec(async (on) => {
  ({ kernel, run } = on);
  // The transitions that the trigger permits, as they happen: every step, including those within one transaction.
  await kernel.admin.query(`CREATE TABLE public.walked (n bigserial, operation_id text, before text, after text);
    GRANT INSERT ON public.walked TO PUBLIC; GRANT USAGE ON SEQUENCE public.walked_n_seq TO PUBLIC; GRANT USAGE ON SCHEMA public TO PUBLIC;
    CREATE FUNCTION public.walk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.walked (operation_id, before, after) VALUES (NEW.operation_id, CASE WHEN TG_OP = 'INSERT' THEN 'proposed' ELSE OLD.state END, NEW.state); RETURN NEW; END $$;
    CREATE TRIGGER walk_born AFTER INSERT ON kernel.operation FOR EACH ROW EXECUTE FUNCTION public.walk();
    CREATE TRIGGER walk_moves AFTER UPDATE OF state ON kernel.operation FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION public.walk();`);
});

const STEPS = [
  'redeem',
  'redeem',
  'commit',
  'fail',
  'conflict',
  'effect',
  'lose',
  'unredeemed',
  'cancel',
  'revoke',
  'deadline',
  'approve',
  'deny',
  'sweep',
] as const;
type Step = (typeof STEPS)[number];

class Walk {
  readonly #tenant: TestTenant;
  readonly #token: string;
  readonly id: string;
  #attempt: Attempt | null = null;

  constructor(tenant: TestTenant, token: string, id: string) {
    this.#tenant = tenant;
    this.#token = token;
    this.id = id;
  }

  /** Tries the step. A step that the call's state doesn't permit is refused, and changes nothing else. */
  async take(step: Step): Promise<void> {
    const operation_id = this.id;
    const { tenantId } = this.#tenant;
    const caller = { tenant_id: tenantId, api_key_id: newId('apiKey'), role: 'admin' as const, agent_id: null };
    const sql = (text: string): Promise<void> => this.#tenant.query(text, [operation_id]);
    const { approval_id } = await this.#tenant.row(operation_id);
    const decide = (decision: 'approve' | 'deny') =>
      kernel.decide.run({ v: 1, caller, approval_id: approval_id ?? '', decision, comment: null });
    const ways: Record<Step, () => Promise<unknown>> = {
      redeem: () => this.#redeem(),
      commit: () => this.#report('good'),
      fail: () => this.#report('failed'),
      conflict: () => this.#report('conflict'),
      effect: async () => {
        if (this.#attempt !== null) await run.renew.effectStarted(credentialsOf(this.#attempt));
      },
      lose: async () => {
        await sql('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1 AND lease_until IS NOT NULL');
        await run.sweeper.sweep();
      },
      unredeemed: async () => {
        await sql(`UPDATE kernel.operation SET permit_until = 1 WHERE operation_id = $1 AND state = 'dispatched'`);
        await run.sweeper.sweep();
      },
      cancel: () => kernel.cancel.run({ v: 1, caller, operation_id }),
      revoke: () =>
        this.#tenant.query(
          'UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1 AND revoked_at IS NULL',
          [this.#token],
        ),
      deadline: () => sql('UPDATE kernel.operation SET deadline = 1 WHERE operation_id = $1'),
      approve: () => decide('approve'),
      deny: () => decide('deny'),
      sweep: async () => {
        await run.sweeper.sweep();
        await kernel.expire.run();
      },
    };
    await ways[step]().catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error)) throw error;
    });
  }

  async #redeem(): Promise<void> {
    const { state, deadline, attempt } = await this.#tenant.row(this.id);
    // The dispatcher leaves overdue calls to the sweeper.
    if (state !== 'admitted' || deadline === 1) return;
    run.speak(100);
    run.dispatcher.wake('inline');
    for (;;) {
      const permit = await run.permitOf(this.id);
      const speaker = { executor_id: newId('executor'), nonce: newNonce() };
      if (payloadOf(permit).attempt > attempt) {
        const redemption = await run.redeem.run({ v: 1, permit, ...speaker });
        this.#attempt = {
          tenant: this.#tenant,
          operation_id: this.id,
          attempt: redemption.attempt,
          snapshot: redemption.state_snapshot_id,
          ...speaker,
        };
        return;
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
    }
  }

  async #report(how: 'good' | 'failed' | 'conflict'): Promise<void> {
    if (this.#attempt === null) return;
    const delta = await deltaFor(kernel, this.#attempt, { 'a.txt': newId('request') });
    if (how === 'conflict') await this.#tenant.write({ 'a.txt': newId('request') });
    await run
      .newCommit()
      .run(
        reportOf(
          this.#attempt,
          delta,
          how === 'failed' ? { ended: 'failed', error: { code: 'file.kind', message: 'no', hint: null } } : {},
        ),
      );
  }

  /** No executor runs it any more: its own bounds end it. */
  async finish(): Promise<void> {
    for (const step of ['deadline', 'unredeemed', 'lose', 'lose', 'deny', 'sweep'] as const) await this.take(step);
  }

  async verify(): Promise<void> {
    const row = await this.#tenant.row(this.id);
    const { rows } = await kernel.admin.query<{ before: State; after: State }>(
      'SELECT before, after FROM public.walked WHERE operation_id = $1 ORDER BY n',
      [this.id],
    );
    for (const [index, { before, after }] of rows.entries()) {
      expect(before).toBe(index === 0 ? 'proposed' : rows[index - 1]?.after);
      verifyTransition(before, after);
    }
    expect(rows.filter(({ after }) => isFinal(after))).toHaveLength(1);
    expect(isFinal(row.state)).toBe(true);
    const outcomes = (await this.#tenant.records()).filter(
      (record) => record.operation_id === this.id && record.phase === 'outcome',
    );
    expect(outcomes).toMatchObject([
      { record_id: row.outcome_record_id, tx_outcome: row.tx_outcome, fault_code: row.fault_code },
    ]);
  }
}

it('a call moves by the table of states alone, and ends once, recorded and settled, whatever happens to it', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 10 }),
      async (held, steps) => {
        const tenant = await kernel.newTenant();
        await tenant.write({ 'a.txt': 'hello' });
        const token = await tenant.token({ budgets: { calls: 5, cpu_ms: 1_000_000 } });
        kernel.policy.answer = held ? requires('soft_gate') : () => AUTOPILOT;
        const { operation_id } = await kernel.admit.run(tenant.writeCall(token), null);
        const walk = new Walk(tenant, token, operation_id);
        for (const step of steps) await walk.take(step);
        await walk.finish();
        await walk.verify();
        seen.add((await tenant.row(operation_id)).state);
        expect((await kernel.admin.query(UNBALANCED_BUDGETS)).rows).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
  // The walks are many enough for every kind of end to be among them.
  expect([...seen].sort()).toEqual(expect.arrayContaining(['refused', 'rolled_back']));
}, 150_000);

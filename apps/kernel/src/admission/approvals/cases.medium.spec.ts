// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { Caller, OperationView } from '@writ/contract';
import { parse } from 'yaml';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { requires } from '../../specs/test-ports.ts';
import { decideAsTold } from '../../specs/test-told.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

interface Step {
  readonly by?: string;
  readonly as?: Caller['role'];
  readonly for?: string;
  readonly does?: 'approve' | 'deny' | 'edit' | 'cancel';
  readonly then?: string;
  readonly gets?: string;
  readonly code?: string;
  readonly votes?: string;
}
interface Case {
  readonly case: string;
  readonly asks?: 'soft_gate' | 'escalated';
  readonly persons?: number;
  readonly lends?: readonly { readonly from: string; readonly to: string }[];
  readonly steps: readonly Step[];
}
const { cases } = parse(readFileSync(new URL('../../../cases/approvals/votes.yaml', import.meta.url), 'utf8')) as {
  cases: readonly Case[];
};

let kernel: TestKernel;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});

/** One case while it runs. */
class Scene {
  readonly #mode: 'soft_gate' | 'escalated';
  readonly #keys = new Map<string, Caller>();
  readonly #lent = new Map<string, string>();
  readonly #tenant: TestTenant;
  #held: OperationView;

  private constructor(tenant: TestTenant, held: OperationView, mode: 'soft_gate' | 'escalated') {
    this.#tenant = tenant;
    this.#held = held;
    this.#mode = mode;
  }

  static async open({ asks: mode = 'soft_gate', persons, lends = [] }: Case): Promise<Scene> {
    kernel.policy.hash = '1'.repeat(64);
    kernel.policy.answer = requires(mode, persons);
    const tenant = await kernel.newTenant();
    const scene = new Scene(
      tenant,
      await kernel.admit.run(tenant.writeCall(await tenant.token(), { proposers: ['agnes'] }), null),
      mode,
    );
    for (const { from, to } of lends) {
      const scope = { tools: null, agent_id: null, autonomy_mode: 'soft_gate' as const };
      const { delegation_id } = await manage.delegations.create({
        v: 1,
        caller: scene.#caller(from),
        to,
        scope,
        note: 'away',
        expires_at: Date.now() + 3_600_000,
      });
      scene.#lent.set(from, delegation_id);
    }
    return scene;
  }

  /** The same person in the same role has one key. */
  #caller(principal: string, role: Caller['role'] = 'operator'): Caller {
    const name = `${principal} ${role}`;
    const caller = this.#keys.get(name) ?? {
      tenant_id: this.#tenant.tenantId,
      api_key_id: newId('apiKey'),
      role,
      agent_id: role === 'agent' ? newId('agent') : null,
      principal,
    };
    this.#keys.set(name, caller);
    return caller;
  }

  async take(step: Step): Promise<void> {
    const got = await (step.then === undefined ? this.#act(step) : this.#happen(step.then)).then(
      (view) => view?.state,
      (error: unknown) => (error as { code?: string }).code ?? error,
    );
    if (step.gets !== undefined) expect([step, got]).toEqual([step, step.gets]);
    const { state, fault_code, approval_id } = await this.#tenant.row(this.#held.operation_id);
    if (step.code !== undefined) expect([step, state, fault_code]).toEqual([step, 'refused', step.code]);
    if (step.votes === undefined) return;
    const { votes } = await kernel.approvals.read({
      v: 1,
      caller: this.#caller('reader', 'auditor'),
      approval_id: approval_id ?? '',
    });
    expect([step, `${votes.given} of ${votes.needed}`]).toEqual([step, step.votes]);
  }

  async #act({ by = '', as, for: lender, does }: Step): Promise<OperationView> {
    const start = { v: 1 as const, caller: this.#caller(by, as) };
    const approval_id = this.#held.approval_id ?? '';
    if (does === 'cancel') return await kernel.cancel.run({ ...start, operation_id: this.#held.operation_id });
    if (does === 'edit') {
      this.#held = await kernel.edit.run({
        ...start,
        approval_id,
        operation_id: newId('operation'),
        args: { path: 'a.txt', content: 'edited' },
        comment: null,
      });
      return this.#held;
    }
    return await decideAsTold(kernel, {
      ...start,
      approval_id,
      decision: does ?? 'approve',
      comment: null,
      delegation_id: lender === undefined ? null : (this.#lent.get(lender) ?? ''),
    });
  }

  async #happen(what: string): Promise<OperationView | null> {
    const { tenantId } = this.#tenant;
    const number = /^asks for (\d+)$/.exec(what)?.[1];
    if (number !== undefined) kernel.policy.answer = requires(this.#mode, Number(number));
    else if (what === 'another policy') kernel.policy.hash = '2'.repeat(64);
    else if (what === 'the policy forbids it') kernel.policy.answer = requires('no_go');
    else if (what === 'the token is revoked')
      await this.#tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE tenant_id = $1', [tenantId]);
    else if (what === 'its time is over')
      await this.#tenant.query('UPDATE kernel.approval SET expires_at = kernel.now_ms() - 1 WHERE tenant_id = $1', [
        tenantId,
      ]);
    else if (what === 'an emergency stop')
      await this.#tenant.query(
        `INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by) VALUES ($1, $2, 'tenant', $2, 'x', 'x')`,
        [newId('freeze'), tenantId],
      );
    else if (what === 'its end')
      await this.#tenant.query('UPDATE kernel.freeze SET lifted_at = 1 WHERE tenant_id = $1', [tenantId]);
    else if (what === 'the delegation is revoked')
      for (const id of this.#lent.values())
        await manage.delegations.revoke({ v: 1, caller: this.#caller('dora', 'admin'), delegation_id: id });
    else if (what === 'the sweep') {
      await kernel.expire.run();
      return await kernel.views.of(await this.#tenant.row(this.#held.operation_id));
    } else throw new Error(`nothing is called \`${what}\``);
    return null;
  }
}

it.each(cases.map((each) => [each.case, each] as const))('%s', async (_, each) => {
  const scene = await Scene.open(each);
  for (const step of each.steps) await scene.take(step);
});

it('there are enough cases, each with a unique name', () => {
  expect(new Set(cases.map((each) => each.case)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThan(25);
});

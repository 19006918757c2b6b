// SPDX-License-Identifier: Apache-2.0
// What a view tells its caller about the right to decide is what a decision then gets, for generated situations.
import * as fc from 'fast-check';
import type { Caller, Id, OperationView } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { decideAsTold } from '../../specs/test-told.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
});

/** Each run makes a tenant and decides up to eight times. */
const RUNS = 40;
/** Persons by their names. `ann.smith` is another name of ann, and the call is proposed by `agnes`. */
const PERSONS = ['ann', 'ann.smith', 'bob', 'dora', 'agnes'] as const;
type Person = (typeof PERSONS)[number];
const ROLES = ['operator', 'admin', 'auditor', 'agent'] as const;
const EVENTS = ['its time is over', 'an emergency stop', 'bob is suspended', 'bob is offboarded'] as const;

const decision = fc.record({
  by: fc.constantFrom(...PERSONS),
  as: fc.constantFrom('operator' as const, 'admin' as const, ...ROLES),
  says: fc.constantFrom('approve' as const, 'approve' as const, 'approve' as const, 'deny' as const),
  lent: fc.constantFrom(null, null, 'ann' as const, 'bob' as const, 'dora' as const, 'agnes' as const),
  saysNames: fc.boolean(),
});
const step = fc.oneof(
  { weight: 6, arbitrary: decision },
  { weight: 1, arbitrary: fc.constantFrom(...EVENTS).map((event) => ({ event })) },
);
type Step = { readonly event: (typeof EVENTS)[number] } | (typeof decision extends fc.Arbitrary<infer D> ? D : never);

class Situation {
  readonly #tenant: TestTenant;
  readonly #held: OperationView;
  readonly #keys = new Map<string, Caller>();
  /** the delegations of each lender, to everybody else */
  readonly #lent = new Map<string, Id<'delegation'>>();

  constructor(tenant: TestTenant, held: OperationView) {
    this.#tenant = tenant;
    this.#held = held;
  }

  #caller(principal: Person, role: Caller['role']): Caller {
    const name = `${principal} ${role}`;
    const made: Caller = {
      tenant_id: this.#tenant.tenantId,
      api_key_id: newId('apiKey'),
      role,
      agent_id: role === 'agent' ? newId('agent') : null,
      principal,
    };
    const caller = this.#keys.get(name) ?? made;
    this.#keys.set(name, caller);
    return caller;
  }

  /** bob's scope doesn't cover the tool, agnes took part in the call, and dora lends an administrator's right. */
  async lend(): Promise<void> {
    for (const from of ['ann', 'bob', 'dora', 'agnes'] as const)
      for (const to of PERSONS.filter((each) => each !== from)) {
        const caller = this.#caller(from, from === 'dora' ? 'admin' : 'operator');
        const autonomy_mode = from === 'dora' ? ('escalated' as const) : ('soft_gate' as const);
        const scope = { tools: from === 'bob' ? ['shell.*'] : null, agent_id: null, autonomy_mode };
        const asked = { v: 1 as const, caller, to, scope, note: 'away', expires_at: Date.now() + 3_600_000 };
        this.#lent.set(`${from} ${to}`, (await manage.delegations.create(asked)).delegation_id);
      }
  }

  async take(now: Step): Promise<void> {
    if ('event' in now) return await this.#happen(now.event);
    const { by, as, says, lent, saysNames } = now;
    const others: string[] = by === 'ann' ? ['ann.smith'] : by === 'ann.smith' ? ['ann'] : [];
    await decideAsTold(kernel, {
      v: 1,
      caller: this.#caller(by, as),
      ...(saysNames && others.length > 0 ? { other_names: others } : {}),
      approval_id: this.#held.approval_id ?? '',
      decision: says,
      comment: null,
      delegation_id: lent === null ? null : (this.#lent.get(`${lent} ${by}`) ?? newId('delegation')),
    }).catch((error: unknown) => {
      if ((error as { code?: string }).code === undefined || (error as Error).name !== 'Fault') throw error;
    });
  }

  async #happen(event: (typeof EVENTS)[number]): Promise<void> {
    const { tenantId } = this.#tenant;
    const caller = this.#caller('dora', 'admin');
    if (event === 'its time is over')
      await this.#tenant.query('UPDATE kernel.approval SET expires_at = kernel.now_ms() - 1 WHERE tenant_id = $1', [
        tenantId,
      ]);
    else if (event === 'an emergency stop')
      await this.#tenant.query(
        `INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by) VALUES ($1, $2, 'tenant', $2, 'x', 'x')`,
        [newId('freeze'), tenantId],
      );
    else if (event === 'bob is suspended')
      await manage.suspend.run({ v: 1, caller, member_id: newId('member'), suspended: true, principals: ['bob'] });
    else await manage.offboard.run({ v: 1, caller, member_id: newId('member'), principals: ['bob'] });
  }
}

it('a caller reads that a decision counts if and only if it does, and else the code of its refusal', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('soft_gate' as const, 'escalated' as const),
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { minLength: 3, maxLength: 8 }),
      async (mode, persons, steps) => {
        kernel.policy.answer = requires(mode, persons);
        const tenant = await kernel.newTenant();
        const call = tenant.writeCall(await tenant.token(), { proposers: ['agnes'] });
        const situation = new Situation(tenant, await kernel.admit.run(call, null));
        await situation.lend();
        for (const now of steps) await situation.take(now);
      },
    ),
    { numRuns: RUNS },
  );
}, 120_000);

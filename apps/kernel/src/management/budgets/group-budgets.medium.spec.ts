// SPDX-License-Identifier: Apache-2.0
import type { BudgetSetting, BudgetView, Caller, ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, refusalOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let admin: Caller;
let token: string;
openKernelSpec(
  (on) => {
    ({ kernel, manage } = on);
  },
  () => openTestKernel(8),
);
beforeEach(async () => {
  kernel.policy.answer = () => AUTOPILOT;
  tenant = await kernel.newTenant();
  admin = callerOf(tenant.tenantId);
  token = await tenant.token();
});

const GROUP = { kind: 'group', id: 'finance' } as const;
const set = (limit: number, more: Partial<BudgetSetting> = {}): Promise<BudgetView> =>
  manage.budgets.set({
    ...requestBy(admin),
    budget: { subject: GROUP, period: 'day', measure: 'calls', limit, ...more },
  });
const read = (budget_id: string) => manage.budgets.read({ ...requestBy(admin), budget_id });
const call = (more: Partial<ProposedCall> = {}) => kernel.admit.run(tenant.writeCall(token, more), null);
const by = async (...proposers: string[]) => (await call({ proposers })).state;
const putGroup = (members: string[], name = 'finance') =>
  manage.approverGroups.put({ ...requestBy(admin), name, members, description: null });

describe('a budget of a group', () => {
  it('is shared by those who are its members then, and by nobody else', async () => {
    await expect(set(2)).rejects.toMatchObject({ code: 'not_found' });
    await putGroup(['ann', 'bob']);
    const { budget_id } = await set(2);
    expect(await read(budget_id)).toMatchObject({ subject: GROUP });
    expect([await by('ann'), await by('cleo'), await by('bob'), await by('cleo', 'ann')]).toEqual(
      Array.from({ length: 4 }, () => 'admitted'),
    );
    expect(await read(budget_id)).toMatchObject({ used: 2 });
    const { result } = await call({ proposers: ['bob'] });
    expect(result?.error).toMatchObject({ message: expect.stringContaining('for the group `finance`') });
    await putGroup(['bob', 'cleo']);
    expect([await by('ann'), await by('cleo')]).toEqual(['admitted', 'refused']);
    await putGroup(['ann'], 'other');
    await set(0, { subject: { kind: 'group', id: 'other' } });
    expect(await by('ann')).toBe('refused');
  });

  it('keeps its group', async () => {
    await putGroup(['ann']);
    const { budget_id } = await set(2);
    const remove = () => manage.approverGroups.remove({ ...requestBy(admin), name: 'finance' });
    expect(await refusalOf(remove())).toMatchObject({ code: 'conflict', message: expect.stringContaining(budget_id) });
    await manage.budgets.delete({ ...requestBy(admin), budget_id });
    expect(await remove()).toEqual({ removed: 'finance' });
  });

  it('of model tokens counts what the runs of its members hold reserved', async () => {
    await putGroup(['ann', 'bob']);
    await set(10, { measure: 'llm_tokens' });
    const draw = (reserve: number, principal?: string) =>
      manage.drawTokens.run({
        ...requestBy({ ...admin, ...(principal === undefined ? {} : { principal }) }),
        capability_token_id: token,
        run_id: newId('run'),
        fence: 1,
        place: 1,
        used_total: 0,
        reserve,
        cost: null,
      });
    expect(await draw(6, 'ann')).toEqual({ bounded: true });
    expect(await draw(9)).toEqual({ bounded: false });
    expect((await refusalOf(draw(5, 'bob'))).code).toBe('budget.period');
    expect(await draw(4, 'bob')).toEqual({ bounded: true });
  });
});

// SPDX-License-Identifier: Apache-2.0
import type { Grant } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { reportOf, deltaFor, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import { requestBy, callerOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
let execution: TestExecution;
openKernelSpec((on) => {
  ({ kernel, manage, run: execution } = on);
});

const revoke = (tenant: TestTenant, capability_token_id: string) =>
  manage.revoke.run({ ...requestBy(callerOf(tenant.tenantId)), capability_token_id });
const childOf = (tenant: TestTenant, parent_id: string, grant: Grant) =>
  manage.attenuate.run({ ...requestBy(callerOf(tenant.tenantId)), parent_id, agent_id: null, grant });

describe('a revoked token', () => {
  it('admits no call, nor do tokens that derive from it, and all are shown as revoked', async () => {
    const tenant = await kernel.newTenant();
    await tenant.write({ 'a.txt': 'a' });
    const root = await tenant.token();
    const read = (capability_token_id: string) =>
      manage.tokens.read({ ...requestBy(callerOf(tenant.tenantId)), capability_token_id });
    const child = await childOf(tenant, root, (await read(root)).grant);
    const sibling = await tenant.token();
    const view = await revoke(tenant, root);
    expect(view).toMatchObject({ revoked: true, revoked_at: expect.any(Number) });
    for (const token of [root, child.capability_token_id]) {
      expect(await kernel.admit.run(tenant.call(token), null)).toMatchObject({
        state: 'refused',
        result: { error: { code: 'token.revoked' } },
      });
    }
    expect(await kernel.admit.run(tenant.call(sibling), null)).toMatchObject({ state: 'admitted' });
    expect(await read(child.capability_token_id)).toMatchObject({ revoked: true, revoked_at: null });
    expect(await read(sibling)).toMatchObject({ revoked: false });
  });

  it('is revoked once, with one record, for any number of requests', async () => {
    const tenant = await kernel.newTenant();
    const token = await tenant.token();
    const views = await Promise.all(Array.from({ length: 8 }, () => revoke(tenant, token)));
    expect(new Set(views.map((view) => view.revoked_at)).size).toBe(1);
    const records = await tenant.records();
    expect(records).toMatchObject([
      {
        kind: 'token',
        agent_id: tenant.agentId,
        capability_token_id: token,
        change: { verb: 'token_revoked', subject: token },
      },
    ]);
  });

  it.each([['agent'], ['auditor']] as const)('is not revoked by its holder in the role %s', async (role) => {
    const tenant = await kernel.newTenant();
    const token = await tenant.token();
    const asking = manage.revoke.run({
      ...requestBy(callerOf(tenant.tenantId, role, tenant.agentId)),
      capability_token_id: token,
    });
    expect((await refusalOf(asking)).code).toBe('auth.role');
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it('of another tenant and an unknown one get the same answer and stay unchanged', async () => {
    const [mine, theirs] = [await kernel.newTenant(), await kernel.newTenant()];
    const token = await theirs.token();
    const answers = await Promise.all([token, newId('token'), 'x'].map((id) => refusalOf(revoke(mine, id))));
    expect(answers).toEqual(Array(3).fill({ code: 'not_found', message: 'there is no such thing here' }));
    expect(await theirs.countOf('outbox')).toBe(0);
    expect(
      await manage.tokens.read({ ...requestBy(callerOf(theirs.tenantId)), capability_token_id: token }),
    ).toMatchObject({ revoked: false });
  });
});

describe('a call in flight', () => {
  it("is asked to stop when a token above its own is revoked, and doesn't commit", async () => {
    const tenant = await kernel.newTenant();
    await tenant.write({ 'a.txt': 'before' });
    const root = await tenant.token();
    const { grant } = await manage.tokens.read({ ...requestBy(callerOf(tenant.tenantId)), capability_token_id: root });
    const child = await childOf(tenant, root, grant);
    const { attempt } = await execution.perform(tenant, tenant.writeCall(child.capability_token_id));
    const untouched = await execution.perform(tenant, tenant.call(await tenant.token()));
    await revoke(tenant, root);
    expect(kernel.events.stops).toContain(`${attempt.operation_id} ${attempt.attempt}`);
    expect(kernel.events.stops).not.toContain(`${untouched.attempt.operation_id} ${untouched.attempt.attempt}`);
    const delta = await deltaFor(kernel, attempt, { 'a.txt': 'after' });
    expect(await execution.commit.run(reportOf(attempt, delta))).toMatchObject({ state: 'rolled_back' });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'before' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'token.revoked' });
  });

  it('of another tenant is not affected', async () => {
    const [mine, theirs] = [await kernel.newTenant(), await kernel.newTenant()];
    await theirs.write({ 'a.txt': 'a' });
    const { attempt } = await execution.perform(theirs, theirs.call(await theirs.token()));
    await revoke(mine, await mine.token());
    expect(kernel.events.stops.some((stop) => stop.startsWith(attempt.operation_id))).toBe(false);
  });
});

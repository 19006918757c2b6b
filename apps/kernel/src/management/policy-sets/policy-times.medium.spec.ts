// SPDX-License-Identifier: Apache-2.0
// The times of a policy set, each with a value other than the default, on the path that they bound.
import { SESSION_APPROVAL, STAGED, type Grant, type OperationView } from '@writ/contract';
import type { PolicySetSource } from '@writ/policy';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestExecution } from '../../specs/test-executor.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: PolicyKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, run, manage } = on);
}, openPolicyKernel);
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'before' });
  token = await tenant.token();
});

const ASK =
  '@id("ask") @reason("ask") forbid (principal, action, resource) when { context.supervision == "autopilot" };';
const install = async (ttl: NonNullable<PolicySetSource['ttl']>, cedar = ASK): Promise<void> => {
  await kernel.install(tenant, setOf('times', cedar, { ttl }));
};
/** Moves a row's time into the past. */
const age = async (table: 'operation' | 'preview', column: string, operationId: string, ms: number): Promise<void> => {
  await tenant.query(`UPDATE kernel.${table} SET ${column} = ${column} - $2 WHERE operation_id = $1`, [
    operationId,
    ms,
  ]);
};

describe('preview_ms', () => {
  const approve = async ({ approval_id }: OperationView): Promise<OperationView> => {
    const request = { ...kernel.asAdmin(tenant), approval_id: approval_id ?? '' };
    const { effect_digest } = (await kernel.approvals.read(request)).binding;
    return await kernel.decide.run({ ...request, decision: 'approve', comment: null, effect_digest });
  };
  const shown = async (): Promise<OperationView> => {
    const held = await kernel.admit.run(tenant.writeCall(token), null);
    await run.preview(tenant, held, { 'a.txt': 'shown' });
    return held;
  };

  it('bounds how long an effect may be approved as it was shown; later it is previewed anew, then refused', async () => {
    await install({ preview_ms: 60_000 });
    const held = await shown();
    await age('preview', 'updated_at', held.operation_id, 60_001);
    await expect(approve(held)).rejects.toMatchObject({ code: 'approval.previewed_anew' });
    await run.preview(tenant, held, { 'a.txt': 'shown' });
    await age('preview', 'updated_at', held.operation_id, 60_001);
    expect(await approve(held)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'approval.stale', message: expect.stringContaining('longer ago than the policy') } },
    });
  });

  it('lets an effect be approved until then', async () => {
    await install({ preview_ms: 120_000 });
    const held = await shown();
    await age('preview', 'updated_at', held.operation_id, 60_001);
    expect(await approve(held)).toMatchObject({ state: 'committed' });
  });
});

describe('staged_change_ms', () => {
  const applied = async (ttl: number, agedMs: number): Promise<OperationView> => {
    await install({ staged_change_ms: ttl }, '');
    const of = { session_id: 'one' };
    const staged = await kernel.admit.run(
      tenant.writeCall(token, {
        ...of,
        dry_run: true,
        precondition_refs: [{ kind: 'staged', ref: STAGED.ref, version: STAGED.version }],
      }),
      null,
    );
    await age('operation', 'created_at', staged.operation_id, agedMs);
    return await kernel.admit.run(
      tenant.writeCall(token, {
        ...of,
        idempotency_key: `${STAGED.keyPrefix}${staged.operation_id}`,
        precondition_refs: [{ kind: 'staged', ref: staged.operation_id, version: STAGED.version }],
      }),
      null,
    );
  };

  it('bounds how long a staged change may be applied', async () => {
    expect(await applied(60_000, 60_001)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'precondition.failed', message: 'the time of the staged change is over' } },
    });
  });

  it('may be longer than the default of ten minutes', async () => {
    expect(await applied(1_800_000, 700_000)).toMatchObject({ state: 'admitted' });
  });
});

describe('session_grant_ms', () => {
  const lifeOf = async (ttl: number): Promise<number> => {
    await install({ session_grant_ms: ttl });
    const held = await kernel.admit.run(tenant.writeCall(token, { session_id: 'one' }), null);
    const request = { ...requestBy(callerOf(tenant.tenantId, 'operator')), approval_id: held.approval_id ?? '' };
    await kernel.decide.run({ ...request, decision: 'approve', comment: null, session: { uses: 2 } });
    const { session_token_id } = await kernel.approvals.read(request);
    const made = (await manage.tokens.read({
      ...requestBy(callerOf(tenant.tenantId)),
      capability_token_id: session_token_id ?? '',
    })) as { grant: Grant; created_at: number };
    return made.grant.expires_at - made.created_at;
  };

  it('is how long a session grant lives whose approver sets no time', async () => {
    expect(await lifeOf(90_000)).toBe(90_000);
  });

  it('is at most the longest life that an approver may set', async () => {
    expect(await lifeOf(30 * 86_400_000)).toBe(SESSION_APPROVAL.ttlMs.max);
  });
});

it('the times of the set in force are shown to agents too, and nothing else of it', async () => {
  await install({ staged_change_ms: 60_000 });
  expect(
    await kernel.show.times(requestBy({ ...callerOf(tenant.tenantId, 'agent'), agent_id: tenant.agentId })),
  ).toEqual({
    approval_ms: 86_400_000,
    preview_ms: 86_400_000,
    staged_change_ms: 60_000,
    session_grant_ms: 28_800_000,
  });
});

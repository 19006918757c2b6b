// SPDX-License-Identifier: Apache-2.0
import type { Caller, Grant } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';
import { requestBy, callerOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: PolicyKernel;
let manage: TestManagement;
let tenant: TestTenant;
let admin: Caller;
let parent: string;
openKernelSpec((on) => {
  ({ kernel, manage } = on);
}, openPolicyKernel);
const grant: Grant = {
  tools: ['fs.*', 'agent.*'],
  fs: [{ path: '', read: true, write: true }],
  net: [],
  secrets: [],
  budgets: { calls: 10 },
  not_before: 0,
  expires_at: Date.now() + 3_600_000,
};
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'before' });
  admin = callerOf(tenant.tenantId);
  parent = (await manage.issue.run({ ...requestBy(admin), agent_id: tenant.agentId, workspace_id: null, grant }))
    .capability_token_id;
});

const job_id = newId('job');
const list = (tools: string[], caller = admin, more = {}) =>
  manage.listForJob.run({
    ...requestBy(caller),
    parent_id: parent,
    workspace_id: tenant.workspaceId,
    job: { job_id, tools },
    ...more,
  });
const write = (token: string, more = {}) =>
  kernel.admit.run(
    tenant.writeCall(token, { session_mode: 'scheduled', proposed_by: admin.api_key_id, ...more }),
    null,
  );

describe('a listing', () => {
  it('is a separate token with the grant of its parent, the list and a record', async () => {
    const made = await list(['fs.write']);
    expect(made).toMatchObject({
      parent_id: parent,
      agent_id: tenant.agentId,
      workspace_id: tenant.workspaceId,
      issuer: admin.api_key_id,
      job: { job_id, tools: ['fs.write'] },
      grant: { tools: grant.tools },
    });
    expect((await tenant.records()).at(-1)).toMatchObject({
      kind: 'token',
      actor: admin.api_key_id,
      change: { verb: 'job_listed', subject: made.capability_token_id },
    });
  });

  it('is made by an administrator, for tools that the token grants, once per token', async () => {
    for (const caller of [
      callerOf(tenant.tenantId, 'agent', tenant.agentId),
      callerOf(tenant.tenantId, 'operator'),
      callerOf(tenant.tenantId, 'auditor'),
    ]) {
      expect((await refusalOf(list(['fs.write'], caller))).code).toBe('auth.role');
    }
    expect(await refusalOf(list(['fs.write', 'shell.run']))).toMatchObject({
      code: 'request.malformed',
      detail: expect.stringContaining('shell.run') as string,
    });
    const { capability_token_id } = await list(['fs.write']);
    expect((await refusalOf(list(['fs.edit'], admin, { parent_id: capability_token_id }))).code).toBe(
      'request.malformed',
    );
    const other = await kernel.newTenant();
    expect((await refusalOf(list([], admin, { workspace_id: other.workspaceId }))).code).toBe('not_found');
    expect((await refusalOf(list([], callerOf(other.tenantId)))).code).toBe('not_found');
  });
});

describe('S6.14: a scheduled call', () => {
  it('changes something with a tool that its job lists, and with no other', async () => {
    expect(await write((await list(['fs.write'])).capability_token_id)).toMatchObject({
      state: 'admitted',
      autonomy_mode: 'autopilot',
    });
    expect(await write((await list([])).capability_token_id)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'policy.denied' } },
    });
    expect(await write((await list(['fs.edit'])).capability_token_id)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'policy.denied' } },
    });
  });

  it('counts only by its token: no call can claim a listing, and no other key or session can use one', async () => {
    const { capability_token_id } = await list(['fs.write']);
    expect(await write(parent)).toMatchObject({ state: 'refused', result: { error: { code: 'policy.denied' } } });
    expect(await write(capability_token_id, { session_mode: 'interactive' })).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.scope' } },
    });
    expect(await write(capability_token_id, { proposed_by: newId('apiKey') })).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.scope' } },
    });
  });

  it('has no listing once its token was revoked', async () => {
    const { capability_token_id } = await list(['fs.write']);
    await manage.revoke.run({ ...requestBy(admin), capability_token_id });
    expect(await write(capability_token_id)).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.revoked' } },
    });
  });
});

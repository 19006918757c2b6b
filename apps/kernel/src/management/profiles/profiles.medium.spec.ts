// SPDX-License-Identifier: Apache-2.0
// The management of execution profiles, and raw commands under them.
import { KERNEL_REQUESTS, LIMITS, parseMessage, type ProposedCall, type RawShell } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, callerOf, pagesOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ profiles: ['ops', 'gone'] });
  kernel.policy.answer = () => AUTOPILOT;
});

const NAME = 'ops';
const DEFINITION = {
  shells: ['Bash', 'Git', 'CommandPrompt'],
  workspace_id: null,
  environment: { STAGE: 'test' },
  net: [],
  limits: { wall_ms: 5_000, memory_bytes: 128 * 1024 * 1024 },
};
const admin = (of = tenant) => callerOf(of.tenantId);
const create = (name = NAME, over: Record<string, unknown> = {}, caller = admin()) =>
  manage.profiles.create({ ...requestBy(caller), name, definition: { ...DEFINITION, ...over } });
const remove = (name = NAME, caller = admin()) => manage.profiles.remove({ ...requestBy(caller), name });
const read = (name = NAME, caller = admin()) => manage.profiles.read({ ...requestBy(caller), name });
const list = (limit = 200, caller = admin()) =>
  pagesOf(limit, (page) => manage.profiles.list({ ...requestBy(caller), page }));
const changes = async (): Promise<unknown[]> =>
  (await tenant.records())
    .filter(({ kind }) => kind === 'change')
    .map(({ change }) => [change?.verb, change?.subject, change?.digest]);

describe('a profile', () => {
  it('is created and removed, each with a record in the same transaction', async () => {
    const { profile } = await create();
    expect(await read()).toEqual(profile);
    expect(profile).toMatchObject({ name: NAME, definition: DEFINITION });
    expect(await create()).toMatchObject({ valid: true, profile });
    expect(await remove()).toEqual({ removed: NAME });
    expect([await refusalOf(read()), await refusalOf(remove())]).toMatchObject([
      { code: 'not_found' },
      { code: 'not_found' },
    ]);
    expect(await changes()).toEqual([
      ['profile_created', NAME, profile?.digest],
      ['profile_removed', NAME, profile?.digest],
    ]);
  });

  it('never changes its definition under its name', async () => {
    await create();
    expect(await refusalOf(create(NAME, { environment: {} }))).toMatchObject({ code: 'conflict' });
    expect((await read()).definition).toEqual(DEFINITION);
  });

  it('is not created where it has problems: all are returned with pointers, and nothing is written', async () => {
    expect(
      (await create(NAME, { environment: { API_KEY: 'x', PATH: 'y' } })).problems.map(({ pointer }) => pointer),
    ).toEqual(['/environment/API_KEY', '/environment/PATH']);
    expect((await create(NAME, { shells: ['Zsh'] })).valid).toBe(false);
    expect(await refusalOf(create(NAME, { workspace_id: (await kernel.newTenant()).workspaceId }))).toMatchObject({
      code: 'workspace.unknown',
      pointer: '/workspace_id',
    });
    expect([await list(), await changes()]).toEqual([[[]], []]);
  });

  it('belongs to one tenant, is listed by name page by page, and has a maximum number', async () => {
    for (const name of ['c', 'a', 'b']) await create(name);
    expect((await list(2)).map((page) => page.map(({ name }) => name))).toEqual([['a', 'b'], ['c']]);
    const other = await kernel.newTenant();
    expect(await list(200, admin(other))).toEqual([[]]);
    for (const ask of [() => read('a', admin(other)), () => remove('a', admin(other)), () => read('a\0b')])
      expect(await refusalOf(ask())).toMatchObject({ code: 'not_found' });
    await tenant.query(
      `INSERT INTO kernel.execution_profile (tenant_id, name, definition, digest, created_by) SELECT $1, 'n' || n, '{}', repeat('0', 64), '' FROM generate_series(1, $2) n`,
      [tenant.tenantId, LIMITS.executionProfiles.max - 3],
    );
    expect(await refusalOf(create('more'))).toMatchObject({ code: 'limit.exceeded' });
    for (const name of ['Ops', 'a/b', '', 'x'.repeat(65)])
      expect(() =>
        parseMessage(KERNEL_REQUESTS['profile.create'], { ...requestBy(admin()), name, definition: {} }),
      ).toThrow('/name');
  });

  it.each(['operator', 'agent', 'auditor'] as const)('is not managed by the role %s', async (role) => {
    await create();
    const caller = callerOf(tenant.tenantId, role, tenant.agentId);
    for (const ask of [() => create('x', {}, caller), () => remove(NAME, caller)])
      expect(await refusalOf(ask())).toMatchObject({ code: 'auth.role' });
    if (role === 'agent') expect(await refusalOf(read(NAME, caller))).toMatchObject({ code: 'auth.role' });
    else expect((await read(NAME, caller)).name).toBe(NAME);
  });
});

const raw = (shell: RawShell, command: string, more: Partial<ProposedCall> = {}, profile = NAME): ProposedCall =>
  tenant.writeCall(token, { tool_id: 'shell.dangerous', args: { shell, command, profile }, ...more });
const verdictOf = async (call: ProposedCall) => {
  const { state, result, approval_id } = await kernel.admit.run(call, null);
  return {
    state,
    code: result?.error?.code ?? null,
    message: result?.error?.message ?? '',
    approval_id: approval_id ?? '',
  };
};
const approve = (approval_id: string) =>
  kernel.decide.run({
    ...requestBy(callerOf(tenant.tenantId, 'operator')),
    approval_id,
    decision: 'approve',
    comment: null,
  });
const ended = async ({ operation_id }: ProposedCall) => {
  const { state, fault_code } = await tenant.row(operation_id);
  return [state, fault_code];
};

describe('a raw command', () => {
  beforeEach(async () => {
    await create();
  });

  it('is held although policy admits it, also in a scheduled session, and gets no session grant', async () => {
    const interactive = raw('Bash', 'ls', { session_id: 'ses-1' });
    const { state, approval_id } = await verdictOf(interactive);
    expect(state).toBe('held');
    expect((await tenant.row(interactive.operation_id)).reasons).toEqual(
      expect.arrayContaining([expect.objectContaining({ code: 'tool.supervised' })]),
    );
    expect(await verdictOf(raw('Bash', 'ls', { session_mode: 'scheduled' }))).toMatchObject({ state: 'held' });
    expect(await verdictOf(raw('Bash', 'ls', { session_mode: 'gateway' }))).toMatchObject({
      state: 'refused',
      code: 'policy.denied',
    });
    const forSession = kernel.decide.run({
      ...requestBy(callerOf(tenant.tenantId, 'operator')),
      approval_id,
      decision: 'approve',
      comment: null,
      session: { uses: 5, ttl_ms: 3_600_000 },
    });
    expect(await refusalOf(forSession)).toMatchObject({ code: 'conflict' });
    kernel.policy.answer = requires('no_go');
    for (const session_mode of ['interactive', 'scheduled'] as const)
      expect(await verdictOf(raw('Bash', 'ls', { session_mode }))).toMatchObject({
        state: 'refused',
        code: 'policy.denied',
      });
  });

  it('that was approved is bound to the limits of its profile', async () => {
    const call = raw('Bash', 'ls');
    const { approval_id } = await verdictOf(call);
    await approve(approval_id);
    const { redemption } = await run.performAdmitted(tenant, call.operation_id, 'sandboxed');
    expect(JSON.parse(Buffer.from(redemption.profile ?? '', 'base64').toString())).toEqual(DEFINITION);
    expect(redemption.limits).toMatchObject(DEFINITION.limits);
    const decision = (await tenant.records()).find(
      ({ operation_id, phase }) => operation_id === call.operation_id && phase === 'decision',
    );
    expect(decision?.tool_definition_digest).toBe(redemption.tool_definition_digest);
    expect((await tenant.row(call.operation_id)).reasons).toContainEqual({
      code: 'profile.named',
      message: expect.stringContaining((await read()).digest),
    });
  });

  it('needs an existing profile that its token and all tokens above name', async () => {
    expect(await verdictOf(raw('Bash', 'ls', {}, 'gone'))).toMatchObject({ state: 'refused', code: 'profile.unknown' });
    await create('other');
    expect(await verdictOf(raw('Bash', 'ls', {}, 'other'))).toMatchObject({
      state: 'refused',
      code: 'token.scope',
      message: expect.stringContaining('does not name'),
    });
    expect(await verdictOf(raw('Bash', 'ls', { capability_token_id: await tenant.token() }))).toMatchObject({
      state: 'refused',
      code: 'token.scope',
    });
    expect(await verdictOf(raw('Bash', 'ls', {}, 'Not a name'))).toMatchObject({
      state: 'refused',
      code: 'args.invalid',
    });
  });

  it('needs a shell and a workspace that its profile allows', async () => {
    expect(await verdictOf(raw('PowerShell', 'ls'))).toMatchObject({
      state: 'refused',
      code: 'token.scope',
      message: expect.stringContaining('does not let `PowerShell`'),
    });
    expect(await verdictOf(raw('CommandPrompt', 'dir'))).toMatchObject({ state: 'refused', code: 'shell.unavailable' });
    expect(await verdictOf(raw('Git', 'log; id'))).toMatchObject({ state: 'refused', code: 'args.invalid' });
    await create('gone', { workspace_id: await tenant.secondWorkspace() });
    expect(await verdictOf(raw('Bash', 'ls', {}, 'gone'))).toMatchObject({
      state: 'refused',
      code: 'token.scope',
      message: expect.stringContaining('another workspace'),
    });
  });

  it.each([
    [
      'removed',
      async () => {
        await remove();
      },
      'profile.unknown',
    ],
    [
      'replaced',
      async () => {
        await remove();
        await create(NAME, { environment: {} });
      },
      'tool.changed',
    ],
  ] as const)('whose profile is %s does not run, although it was approved', async (_how, change, code) => {
    const call = raw('Bash', 'ls');
    await approve((await verdictOf(call)).approval_id);
    expect(await ended(call)).toEqual(['admitted', null]);
    await change();
    expect(await refusalOf(run.performAdmitted(tenant, call.operation_id, 'sandboxed'))).toMatchObject({ code });
    expect(await ended(call)).toEqual(['rolled_back', code]);
  });

  it('whose profile changes while it is held gets a stale approval', async () => {
    const call = raw('Bash', 'ls');
    const { approval_id } = await verdictOf(call);
    await remove();
    await create(NAME, { net: [{ domain: 'example.com', methods: ['GET'] }] });
    await approve(approval_id);
    expect(await ended(call)).toEqual(['refused', 'approval.stale']);
  });

  it('whose profile was changed in the database has an unknown profile', async () => {
    await tenant.query(
      `UPDATE kernel.execution_profile SET definition = convert_to(replace(convert_from(definition, 'UTF8'), ',', ', '), 'UTF8') WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    expect(await verdictOf(raw('Bash', 'ls'))).toMatchObject({
      state: 'refused',
      code: 'profile.unknown',
      message: expect.stringContaining('there is no'),
    });
  });
});

describe('the grant of a profile', () => {
  const ungrant = () =>
    tenant.query(`DELETE FROM kernel.resource_grant WHERE tenant_id = $1 AND kind = 'profile'`, [tenant.tenantId]);
  beforeEach(async () => {
    await create();
  });

  it('is needed to run under it: without one the answer is that of a profile that is not there', async () => {
    expect(await verdictOf(raw('Bash', 'true'))).toMatchObject({ state: 'held' });
    await ungrant();
    const ungranted = await verdictOf(raw('Bash', 'true'));
    const unknown = await verdictOf(raw('Bash', 'true', {}, 'gone'));
    expect(ungranted).toMatchObject({ state: 'refused', code: 'profile.unknown' });
    expect({ ...ungranted, message: ungranted.message.replace(NAME, 'gone') }).toEqual(unknown);
  });

  it('ends a call that was decided before it was taken back', async () => {
    const call = raw('Bash', 'ls');
    const { approval_id } = await verdictOf(call);
    await approve(approval_id);
    await ungrant();
    await expect(run.performAdmitted(tenant, call.operation_id, 'sandboxed')).rejects.toMatchObject({
      code: 'profile.unknown',
    });
    expect(await ended(call)).toEqual(['rolled_back', 'profile.unknown']);
  });
});

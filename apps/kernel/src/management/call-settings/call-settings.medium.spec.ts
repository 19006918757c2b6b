// SPDX-License-Identifier: Apache-2.0
import { tenantScope } from '@writ/capability';
import { DEFAULT_CALL_SETTINGS, type CallSettingsChange, type ProposedCall } from '@writ/contract';
import { contentDigest } from '../../evidence/changes/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, textsAt, type Attempt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let manage: TestManagement;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, manage, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({
    'a.txt': 'hello',
    'home/.ssh/id': 'key',
    'link.txt': '->home/.ssh/id',
    'rootfs/etc/passwd': 'root',
    'etc/passwd': 'root',
  });
  token = await tenant.token();
});

const set = (change: CallSettingsChange) =>
  manage.callSettings.set({ ...requestBy(callerOf(tenant.tenantId)), change });
const admit = async (call: ProposedCall) => {
  const { state, operation_id } = await kernel.admit.run(call, null);
  return { state, code: (await tenant.row(operation_id)).fault_code };
};
const read = (path: string) => admit(tenant.call(token, { args: { path } }));
const command = () => tenant.writeCall(token, { tool_id: 'shell.run', args: { command: 'make' } });
const DONE = {
  exit_code: 0,
  result: { exit_code: 0, signal: null, output: '', truncated_bytes: 0, wall_ms: 5 },
} as const;
const endOf = async (attempt: Attempt, changes: Readonly<Record<string, string | null>>) => {
  await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, changes), DONE));
  return await tenant.row(attempt.operation_id);
};
const ADMITTED = { state: 'admitted', code: null };
const DENIED = { state: 'refused', code: 'path.denied' };

describe('the settings of calls', () => {
  it('are the defaults for every tenant until they are set', async () => {
    for (const role of ['admin', 'operator', 'auditor'] as const)
      expect(await manage.callSettings.read(requestBy(callerOf(tenant.tenantId, role)))).toEqual({
        ...DEFAULT_CALL_SETTINGS,
        command_ms: null,
        tool_command_ms: {},
        changed_at: null,
      });
  });

  it("are set one by one, stay where they aren't named, and are recorded with the digest of all", async () => {
    await set({ denied_paths: ['/workspace/keys/', '**/.ssh', '**/.ssh'] });
    const settings = await set({ output_bytes: 300_000 });
    const expected = { allowed_paths: [''], denied_paths: ['keys', '**/.ssh'], output_bytes: 300_000 };
    expect(settings).toEqual({ ...expected, command_ms: null, tool_command_ms: {}, changed_at: expect.any(Number) });
    expect(await set({ denied_paths: ['keys', '**/.ssh'] })).toEqual(settings);
    const changes = (await tenant.records()).map(({ change }) => change);
    expect(changes).toEqual([
      { verb: 'call_settings_changed', subject: tenant.tenantId, digest: expect.any(String) },
      { verb: 'call_settings_changed', subject: tenant.tenantId, digest: contentDigest(expected) },
    ]);
  });

  it.each(['operator', 'auditor', 'agent'] as const)('are not set by the role %s', async (role) => {
    const caller = callerOf(tenant.tenantId, role, tenant.agentId);
    await expect(manage.callSettings.set({ ...requestBy(caller), change: { denied_paths: [] } })).rejects.toMatchObject(
      { code: 'auth.role' },
    );
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it.each([
    [{ allowed_paths: ['src/**'] }, 'request.malformed', '/allowed_paths/0'],
    [{ allowed_paths: ['**/src'] }, 'request.malformed', '/allowed_paths/0'],
    [{ denied_paths: ['a', '**/*.pem'] }, 'request.malformed', '/denied_paths/1'],
    [{ denied_paths: ['.'] }, 'request.malformed', '/denied_paths/0'],
    [{ denied_paths: ['**/'] }, 'request.malformed', '/denied_paths/0'],
    [{ denied_paths: ['/etc/shadow'] }, 'path.escape', undefined],
    [{ denied_paths: ['a/../b'] }, 'path.escape', undefined],
  ])('with %j are refused', async (change, code, pointer) => {
    await expect(set(change)).rejects.toMatchObject({ code, ...(pointer === undefined ? {} : { pointer }) });
    expect(await tenant.countOf('outbox')).toBe(0);
  });
});

describe("the paths of the tenant's settings", () => {
  it('refuse a call whose token grants everything, as written and where a link leads', async () => {
    expect(await read('home/.ssh/id')).toEqual(DENIED);
    expect(await read('link.txt')).toEqual(DENIED);
    expect(await read('etc/passwd')).toEqual(DENIED);
    expect(await read('rootfs/etc/passwd')).toEqual(ADMITTED);
    expect(await read('a.txt')).toEqual(ADMITTED);
  });

  it('refuse a call that relies on a denied path, however that is written: it would tell what is there', async () => {
    for (const ref of ['home/.ssh/id', 'home//.ssh/./id', '/workspace/home/.ssh/id'])
      expect(
        await admit(tenant.call(token, { precondition_refs: [{ kind: 'path', ref, version: 'absent' }] })),
      ).toEqual(DENIED);
  });

  it('are lifted for a repository that holds such files, and narrowed for another', async () => {
    await set({ denied_paths: [] });
    expect(await read('home/.ssh/id')).toEqual(ADMITTED);
    await set({ allowed_paths: ['home', 'rootfs'], denied_paths: ['home/.ssh'] });
    expect(await read('home/.ssh/id')).toEqual(DENIED);
    expect(await read('a.txt')).toEqual(DENIED);
    expect(await read('rootfs/etc/passwd')).toEqual(ADMITTED);
  });

  it('travel to the executor with the scopes of the tokens, as they are when the permit is redeemed', async () => {
    const { redemption } = await run.perform(tenant, command());
    expect(redemption.fs).toEqual([[{ path: '', read: true, write: true }], tenantScope(DEFAULT_CALL_SETTINGS)]);
    const call = command();
    await kernel.admit.run(call, null);
    await set({ denied_paths: ['a.txt'] });
    const later = await run.performAdmitted(tenant, call.operation_id, 'sandboxed');
    expect(later.redemption.fs.at(-1)).toEqual(tenantScope({ allowed_paths: [''], denied_paths: ['a.txt'] }));
  });

  it.each([
    ['writes there', { 'home/.ssh/authorized_keys': 'x' }],
    ['makes such a directory', { '.gnupg/x': 'y' }],
    ['renames such a directory', { 'home/.ssh/id': null, 'home/ssh/id': 'key' }],
    ['writes beside it as well', { 'a.txt': 'changed', 'etc/passwd': 'x' }],
  ] as const)('roll back a command that %s', async (_what, changes) => {
    const { attempt } = await run.perform(tenant, command());
    expect(await endOf(attempt, changes)).toMatchObject({
      state: 'rolled_back',
      fault_code: 'effect.out_of_scope',
      fault_message: expect.stringContaining('the settings of the tenant keep calls from'),
    });
    expect(await textsAt(kernel, tenant, ['a.txt', 'home/.ssh/id', 'etc/passwd'])).toEqual({
      'a.txt': 'hello',
      'home/.ssh/id': 'key',
      'etc/passwd': 'root',
    });
  });

  it('keep a command from removing a directory above one, of which its container holds nothing', async () => {
    const { attempt } = await run.perform(tenant, command());
    expect(await endOf(attempt, { home: null })).toMatchObject({
      state: 'rolled_back',
      fault_code: 'effect.invalid',
      fault_message: 'something else stands at `home`',
      fault_hint: expect.stringContaining('may hold what the call may not reach'),
    });
    expect(await textsAt(kernel, tenant, ['home/.ssh/id'])).toEqual({ 'home/.ssh/id': 'key' });
  });

  it('hold for an effect that was allowed when its call was decided', async () => {
    const { attempt } = await run.perform(tenant, command());
    await set({ denied_paths: ['a.txt'] });
    expect(await endOf(attempt, { 'a.txt': 'changed' })).toMatchObject({
      state: 'rolled_back',
      fault_code: 'effect.out_of_scope',
    });
  });

  it('let a command commit what it changed elsewhere', async () => {
    const { attempt } = await run.perform(tenant, command());
    expect(await endOf(attempt, { 'a.txt': 'changed' })).toMatchObject({ state: 'committed', fault_code: null });
  });
});

describe('the output of commands', () => {
  const limitsOf = async (call: ProposedCall) => (await run.perform(tenant, call)).redemption.limits;

  it('has the limit of the settings when the call was decided, and other tools have their own', async () => {
    expect(await limitsOf(command())).toMatchObject({ output_bytes: 200_000 });
    const earlier = command();
    await kernel.admit.run(earlier, null);
    await set({ output_bytes: 1_048_576 });
    expect(await limitsOf(command())).toMatchObject({ output_bytes: 1_048_576 });
    expect((await tenant.row(earlier.operation_id)).limits).toMatchObject({ output_bytes: 200_000 });
    expect(await limitsOf(tenant.call(token))).toMatchObject({ output_bytes: 200_000 });
    await set({ output_bytes: 1_024 });
    expect(
      await limitsOf(tenant.writeCall(token, { tool_id: 'shell.session', args: { command: 'ls' } })),
    ).toMatchObject({ output_bytes: 1_024 });
  });
});

describe('the time of commands', () => {
  const HOUR = 3_600_000;
  const make = (timeout_ms: number, by = token) =>
    tenant.writeCall(by, { tool_id: 'shell.run', args: { command: 'make', timeout_ms } });

  it('is what a call asks for within the settings, and its executor gets it with as much processor time', async () => {
    await set({ command_ms: 2 * HOUR });
    const { redemption } = await run.perform(tenant, make(HOUR));
    expect(redemption.limits).toMatchObject({ wall_ms: HOUR, cpu_ms: 2 * HOUR });
    expect((await run.perform(tenant, command())).redemption.limits).toMatchObject({ wall_ms: 120_000 });
  });

  it('beyond the settings is refused, and a setting that is taken back leaves no trace in what is stored', async () => {
    expect(await admit(make(120_001))).toEqual({ state: 'refused', code: 'command.too_long' });
    await set({ command_ms: HOUR, tool_command_ms: { 'shell.run': 2 * HOUR } });
    expect(await admit(make(2 * HOUR))).toEqual(ADMITTED);
    const settings = await set({ command_ms: null, tool_command_ms: {} });
    expect(settings).toMatchObject({ command_ms: null, tool_command_ms: {} });
    expect(await admit(make(120_001))).toEqual({ state: 'refused', code: 'command.too_long' });
    const digests = (await tenant.records()).flatMap(({ change }) => (change === null ? [] : [change.digest]));
    expect(digests.at(-1)).toBe(contentDigest(DEFAULT_CALL_SETTINGS));
  });
});

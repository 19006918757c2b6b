// SPDX-License-Identifier: Apache-2.0
import type { ShellAttachReply, ShellEnding } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import {
  deltaFor,
  newNonce,
  reportOf,
  credentialsOf,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { ShellRegistry } from './shell-registry.ts';

let kernel: TestKernel;
let run: TestExecution;
let registry: ShellRegistry;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
  registry = new ShellRegistry(kernel.tenants);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'one' });
  token = await tenant.token();
});

const SHOWN = { output: '', running: false, exit_code: 0, shell: 'open', truncated_bytes: 0, wall_ms: 5 };
const command = async (session_id: string | null = 's1', of = token): Promise<Attempt> =>
  (await run.perform(tenant, tenant.writeCall(of, { tool_id: 'shell.session', args: { command: 'true' }, session_id })))
    .attempt;
const attach = (attempt: Attempt, opens = true, shell_id = newNonce()): Promise<ShellAttachReply> =>
  registry.attach({ ...credentialsOf(attempt), opens, shell_id });
/** Where no shell lives, any executor may get the session's calls, and not only the one that has its shell. */
const end = (attempt: Attempt, { shell_id }: ShellAttachReply, ending: ShellEnding = 'closed'): Promise<void> =>
  registry.end({
    v: 1,
    tenant_id: tenant.tenantId,
    executor_id: attempt.executor_id,
    shell_id: shell_id ?? '',
    ending,
  });
const commit = async (attempt: Attempt, files: Readonly<Record<string, string>>): Promise<void> => {
  expect(
    await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, files), { result: SHOWN, exit_code: 0 })),
  ).toMatchObject({ tx_outcome: Object.keys(files).length === 0 ? 'no_op' : 'committed' });
};

describe('a call of a session', () => {
  it('is behind once another call of the session has committed since it was decided; one that is decided then is not', async () => {
    const [first, second] = [await command(), await command()];
    const opened = await attach(first);
    expect(opened).toMatchObject({ verdict: 'opened', is_behind: false });
    expect(await attach(second)).toMatchObject({ verdict: 'elsewhere', is_behind: false });
    await commit(first, { 'a.txt': 'two' });
    expect(await attach(second)).toMatchObject({ verdict: 'elsewhere', is_behind: true });
    await end(first, opened);
    expect(await attach(await command())).toMatchObject({ is_behind: false });
  });

  it('is not behind commits of another session, another token or another tool', async () => {
    const late = await command();
    await commit(await command('s2'), { 'b.txt': 'x' });
    await commit(await command('s1', await tenant.token()), { 'c.txt': 'x' });
    const { attempt } = await run.perform(tenant, tenant.writeCall(token, { session_id: 's1' }));
    expect(await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'd.txt': 'x' })))).toMatchObject({
      tx_outcome: 'committed',
    });
    expect(await attach(late)).toMatchObject({ verdict: 'opened', is_behind: false });
  });

  it('is not behind a call that changed nothing, nor where the state that it was decided on has come back', async () => {
    const [late, idle, there, back] = [await command(), await command(), await command(), await command()];
    await commit(idle, {});
    expect(await attach(late, false)).toMatchObject({ is_behind: false });
    await commit(there, { 'a.txt': 'two' });
    expect(await attach(late, false)).toMatchObject({ is_behind: true });
    await tenant.write({ 'a.txt': 'one' });
    expect(await attach(late, false)).toMatchObject({ is_behind: false });
    await commit(back, {});
  });

  it("that is behind opens no shell, and doesn't receive the notice of a lost one", async () => {
    const [first, late] = [await command(), await command()];
    const opened = await attach(first);
    await commit(first, { 'a.txt': 'two' });
    await end(first, opened, 'lost');
    expect(await attach(late)).toEqual({ v: 1, verdict: 'ended', shell_id: null, ending: null, is_behind: true });
    expect(await attach(await command())).toMatchObject({ verdict: 'ended', ending: 'lost', is_behind: false });
    expect(await attach(late)).toMatchObject({ verdict: 'ended', is_behind: true });
    expect(await attach(await command())).toMatchObject({ verdict: 'opened' });
  });

  it.each([
    ['', 's1'],
    ['s1', ''],
  ])('has a session of its own by its name, and none is one too (%j, %j)', async (mine, other) => {
    const late = await command(mine || null);
    await commit(await command(other || null), { 'b.txt': 'x' });
    expect(await attach(late, false)).toMatchObject({ is_behind: false });
    await commit(await command(mine || null), { 'c.txt': 'x' });
    expect(await attach(late, false)).toMatchObject({ is_behind: true });
  });
});

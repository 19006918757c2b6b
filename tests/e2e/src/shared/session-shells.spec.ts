// SPDX-License-Identifier: Apache-2.0
// Shells that outlive their calls, in real containers behind the public API.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  eventually,
  makeWorld,
  Observer,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
let observer: Observer;
beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'sub/b.txt': 'two\n' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
});

/** Calls in a new session, with their results. */
function session(over: Record<string, unknown> = {}) {
  const session_id = `s-${randomUUID()}`;
  return async (args: Record<string, unknown>, more: Record<string, unknown> = {}): Promise<JsonValue> =>
    (await world.call('shell.session', args, { session_id, ...over, ...more })).body;
}
const upload = (path: string, content: string) =>
  world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, { files: [{ path, content }] });

describe('a session', () => {
  it("keeps directory, variables and jobs between calls, and commits each command's changes", async () => {
    const ask = session();
    expect(await ask({ command: 'cd sub; X=5; echo three > c.txt' })).toMatchObject({
      status: 'ok',
      tx_outcome: 'committed',
      result: { running: false, exit_code: 0, shell: 'started', output: '' },
    });
    const second = await ask({ command: 'pwd; echo "$X"; echo four > d.txt; (exit 3)' });
    expect(second).toMatchObject({
      status: 'ok',
      tx_outcome: 'committed',
      result: { exit_code: 3, shell: 'open', output: '/workspace/sub\n5\n' },
    });
    expect([await world.file('sub/c.txt'), await world.file('sub/d.txt')]).toEqual(['three\n', 'four\n']);
    expect(await ask({ command: 'true' })).toMatchObject({ tx_outcome: 'no_op' });
    expect((await verifiedReceipt(stack, world, second.operation_id as string, 'outcome')).record).toMatchObject({
      tx_outcome: 'committed',
      tool_id: 'shell.session',
      commit_delta_id: second.commit_delta_id,
    });
    await ask({ close: true });
  });

  it('is isolated: another one of the same token finds nothing of it', async () => {
    const [one, other] = [session(), session()];
    await one({ command: 'X=secret' });
    expect(await other({ command: 'echo "X is $X"' })).toMatchObject({
      result: { output: 'X is \n', shell: 'started' },
    });
    await Promise.all([one({ close: true }), other({ close: true })]);
  });

  it("shows a terminal's output as plain text, or raw", async () => {
    const ask = session();
    const command = 'printf "\\033[31mred\\033[0m\\n"; tput cols';
    expect((await ask({ command, cols: 90, rows: 20 })).result.output).toBe('red\n90\n');
    expect((await ask({ command, ansi: true })).result.output).toBe('\u001b[31mred\u001b[0m\r\n90\r\n');
    await ask({ close: true });
  });
});

describe('a long-running command', () => {
  it('answers `running` with its output so far and no_op, then takes input, and commits at its end', async () => {
    const ask = session();
    const first = await ask({
      command: 'echo asked > asked.txt; read -p "sure? " x; echo "$x" > answer.txt',
      yield_ms: 500,
    });
    expect(first).toMatchObject({
      status: 'ok',
      tx_outcome: 'no_op',
      result: { running: true, exit_code: null, output: 'sure? ' },
    });
    expect(await world.file('asked.txt')).toBeNull();
    expect(await ask({ input: 'y\n' })).toMatchObject({
      tx_outcome: 'committed',
      result: { running: false, exit_code: 0, output: 'y\n' },
    });
    expect([await world.file('asked.txt'), await world.file('answer.txt')]).toEqual(['asked\n', 'y\n']);
    expect(await ask({ command: 'sleep 1000', yield_ms: 300 })).toMatchObject({ result: { running: true } });
    expect(await ask({ command: 'true' })).toMatchObject({
      status: 'error',
      error: { code: 'session.busy' },
      tx_outcome: 'rolled_back',
    });
    expect(await ask({ ctrl: 'c' })).toMatchObject({ tx_outcome: 'no_op', result: { running: false, exit_code: 130 } });
    expect(await ask({ input: 'y\n' })).toMatchObject({ status: 'error', error: { code: 'session.idle' } });
    await ask({ close: true });
  });

  it('has the shell alone: concurrent commands queue, and one with an outdated base runs nothing', async () => {
    const ask = session();
    await ask({ command: 'true' });
    const all = await Promise.all([1, 2, 3].map((n) => ask({ command: `echo ${n} >> order.txt; sleep 1` })));
    expect(all.map(({ tx_outcome, error }) => error?.code ?? tx_outcome).sort()).toEqual([
      'committed',
      'session.busy',
      'session.busy',
    ]);
    expect(await world.file('order.txt')).toMatch(/^[123]\n$/);
    expect(
      (await Promise.all([4, 5].map((n) => ask({ command: `echo ${n}` })))).map(({ result }) => result.output),
    ).toEqual(['4\n', '5\n']);
    await ask({ close: true });
  });
});

describe('the workspace', () => {
  it('has the changes of the head before the next command', async () => {
    const ask = session();
    await ask({ command: 'true' });
    await upload('a.txt', 'changed\n');
    await upload('fresh/e.txt', 'new\n');
    expect(await ask({ command: 'cat a.txt fresh/e.txt' })).toMatchObject({
      tx_outcome: 'no_op',
      result: { output: 'changed\nnew\n' },
    });
    await ask({ close: true });
  });

  it('with an uncommitted change of a file that the head changed too is a conflict, and nothing runs', async () => {
    const ask = session();
    await ask({
      command: '(until test -e /tmp/go; do sleep 0.05; done; echo mine > clash.txt; touch /tmp/done) & echo',
    });
    await ask({ command: 'touch /tmp/go; until test -e /tmp/done; do sleep 0.05; done; read x', yield_ms: 1500 });
    await upload('clash.txt', 'theirs\n');
    // The command that ends now changed a file that another call changed meanwhile.
    expect(await ask({ input: '\n' })).toMatchObject({
      status: 'error',
      error: { code: 'session.conflict' },
      tx_outcome: 'rolled_back',
    });
    expect(await world.file('clash.txt')).toBe('theirs\n');
    expect(await ask({ command: 'cat clash.txt' })).toMatchObject({ result: { shell: 'started', output: 'theirs\n' } });
    await ask({ close: true });
  });

  it('gets no effect outside the token: the shell ends, and the next command starts from the head', async () => {
    const narrow = await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['shell.session'],
        fs: [{ path: 'sub', read: true, write: true }],
        net: [],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    });
    const ask = session({ capability_token_id: narrow.capability_token_id });
    expect(await ask({ command: 'ls; X=1' })).toMatchObject({ result: { output: 'sub\n' } });
    expect(await ask({ command: 'echo x > sub/mine.txt; echo x > outside.txt' })).toMatchObject({
      status: 'error',
      error: { code: 'effect.out_of_scope' },
      tx_outcome: 'rolled_back',
    });
    expect(await ask({ input: 'x\n' })).toMatchObject({ status: 'error', error: { code: 'session.diverged' } });
    expect(await ask({ command: 'ls; ls sub; echo "X is $X"' })).toMatchObject({
      result: { shell: 'started', output: expect.stringMatching(/^sub\n(?!.*mine)[^]*X is \n$/) },
    });
    await ask({ close: true });
  });

  it('gets the changes of a shell that exits', async () => {
    const ask = session();
    expect(await ask({ command: 'echo bye > bye.txt; exit 4' })).toMatchObject({
      tx_outcome: 'committed',
      result: { exit_code: 4, shell: 'ended', running: false },
    });
    expect(await world.file('bye.txt')).toBe('bye\n');
    expect(await ask({ command: 'true' })).toMatchObject({ result: { shell: 'started' } });
    await ask({ close: true });
  });
});

describe('supervision', () => {
  it('decides on each command, and on typed input, as on commands', async () => {
    const ask = session();
    expect(await ask({ command: 'rm -rf /' })).toMatchObject({ status: 'error', error: { code: 'policy.denied' } });
    expect(await ask({ input: 'rm -rf /\n' })).toMatchObject({ status: 'error', error: { code: 'policy.denied' } });
    const held = await ask({ command: 'rm -rf sub' });
    expect((await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body).toMatchObject({
      state: 'pending',
      preview: { state: 'none' },
    });
    expect(await ask({ command: 'ls', input: 'x' })).toMatchObject({
      status: 'error',
      error: { code: 'args.invalid' },
    });
  });

  it('ends a session, and its running command, when its token is revoked', async () => {
    const token = await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['shell.session'],
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    });
    const ask = session({ capability_token_id: token.capability_token_id });
    await ask({ command: 'sleep 1000', yield_ms: 300 });
    await world.admin.must(`/v1/capability-tokens/${token.capability_token_id as string}/revoke`, {});
    await eventually(
      'the shell is ended',
      async () =>
        (
          await observer.rows('SELECT ending FROM kernel.shell WHERE capability_token_id = $1', [
            token.capability_token_id,
          ])
        ).every(({ ending }) => ending === 'lost'),
      10_000,
    );
  });
});

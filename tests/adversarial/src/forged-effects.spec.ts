// SPDX-License-Identifier: Apache-2.0
// A command may say whatever it likes of what it did: it stops the agent and speaks in its place, or changes files
// under it. Either way it gets what its token grants and no more, as if it had done it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { JsonValue } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { expectEnded, HostileWorld } from './hostile-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Of a command's output here; its result shows 200,000 of them. */
const HEARD_BYTES = 300_000;

let hostile: HostileWorld;
beforeAll(async () => {
  hostile = await HostileWorld.open({ env: { executor: { WRIT_OUTPUT_HEARD_BYTES: String(HEARD_BYTES) } } });
});
afterAll(() => hostile?.close());
afterEach(() => hostile.expectUnharmed());

type Message = Readonly<Record<string, unknown>> & { readonly type: string };
const EXIT: Message = { type: 'exit', code: 0, signal: null, timed_out: false, dropped_bytes: 0 };
const change = (
  path: string,
  after: unknown = { kind: 'file', mode: '644', size: 6 },
  content = 'forged',
): Message => ({ type: 'change', path, after, content });
const said = (sequence: number, bytes: number): Message => ({
  type: 'stdout',
  raw: `${sequence.toString(16).padStart(8, '0')}${'61'.repeat(bytes)}`,
});
/** An account of changes, complete. */
const account = (...changes: readonly Message[]): readonly Message[] => [
  EXIT,
  ...changes,
  { type: 'end', changes: changes.length },
];

const forge = readFileSync(join(repositoryRoot(), 'tests/adversarial/attacks/forge.py'), 'utf8');
const say = (messages: readonly Message[]): Promise<JsonValue> =>
  hostile.program(
    forge.replace('(ACCOUNT)', `(${JSON.stringify(JSON.stringify(messages))})`),
    { timeout_ms: 5_000 },
    'python3',
  );

describe('a forged account', () => {
  it("is heard, and is the command's own word: what the token grants is done", async () => {
    expect(await say(account(change('src/forged.txt')))).toMatchObject({ status: 'ok', tx_outcome: 'committed' });
    expect(await hostile.world.file('src/forged.txt')).toBe('forged');
  });

  it("of as much output as is heard is kept as the command's own word, of more nothing", async () => {
    const kept = await say([said(0, HEARD_BYTES / 2), said(1, HEARD_BYTES / 2), ...account()]);
    expect(kept).toMatchObject({
      status: 'ok',
      result: { truncated_bytes: HEARD_BYTES - 200_000 },
      whole_output: { stdout: { bytes: HEARD_BYTES, cut: false } },
    });
    const refused = await say([said(0, HEARD_BYTES / 2), said(1, HEARD_BYTES / 2), said(2, 1), ...account()]);
    expectEnded(refused, 'effect.invalid');
    expect(refused).not.toHaveProperty('whole_output');
  });

  it.each<[string, readonly Message[], string]>([
    ['a file that it may only read', account(change('docs/b.txt')), 'effect.out_of_scope'],
    ['that a file is gone which it may only read', account(change('docs/b.txt', null, '')), 'effect.out_of_scope'],
    [
      "a file that it doesn't see",
      account(change('private', { kind: 'dir' }, ''), change('private/c.txt')),
      'effect.out_of_scope',
    ],
    ["that a file is gone which it doesn't see", account(change('private/c.txt', null, '')), 'effect.invalid'],
    ['a path upwards', account(change('../x')), 'effect.invalid'],
    ['a path upwards from within', account(change('src/../../x')), 'effect.invalid'],
    ['an absolute path', account(change('/etc/x')), 'effect.invalid'],
    ['a path with nothing between its slashes', account(change('src//x')), 'effect.invalid'],
    ['a path with NUL', account(change('src/x\0y')), 'effect.invalid'],
    ['a path of two lines', account(change('src/x\ny')), 'effect.invalid'],
    ['a path that is no text', account(change('src/\ud800')), 'effect.invalid'],
    ['the workspace itself', account(change('', { kind: 'dir' }, '')), 'effect.invalid'],
    ['a device', account(change('src/disk', { kind: 'device', major: 8, minor: 0 }, '')), 'effect.invalid'],
    ['a FIFO', account(change('src/pipe', { kind: 'fifo' }, '')), 'effect.invalid'],
    [
      "a file with its owner's bit",
      account(change('src/su', { kind: 'file', mode: '4755', size: 6 })),
      'effect.invalid',
    ],
    ['a file that all may write', account(change('src/all', { kind: 'file', mode: '777', size: 6 })), 'effect.invalid'],
    ['a size below nothing', account(change('src/x', { kind: 'file', mode: '644', size: -1 }, '')), 'effect.invalid'],
    [
      'a size beyond all limits',
      account(change('src/x', { kind: 'file', mode: '644', size: 2 ** 50 })),
      'limit.exceeded',
    ],
    [
      'less content than it announces',
      account(change('src/x', { kind: 'file', mode: '644', size: 7 })),
      'effect.invalid',
    ],
    [
      'more content than it announces',
      account(change('src/x', { kind: 'file', mode: '644', size: 5 })),
      'effect.invalid',
    ],
    ['a link to nowhere', account(change('src/l', { kind: 'symlink', target: '' }, '')), 'effect.invalid'],
    ['a link with an end of line', account(change('src/l', { kind: 'symlink', target: 'a\nb' }, '')), 'effect.invalid'],
    [
      'a link longer than a path',
      account(change('src/l', { kind: 'symlink', target: 'x'.repeat(4096) }, '')),
      'effect.invalid',
    ],
    ['a file below a file', account(change('src/a.txt/x')), 'effect.invalid'],
    ['a file below nothing', account(change('src/no/x')), 'effect.invalid'],
    ['one path twice', account(change('src/x'), change('src/x')), 'effect.invalid'],
    ['fewer changes than it counts', [EXIT, { type: 'end', changes: 1 }], 'effect.invalid'],
    ['changes before its exit', [change('src/x'), EXIT, { type: 'end', changes: 1 }], 'effect.invalid'],
    [
      'an exit by nothing',
      [
        { ...EXIT, code: null },
        { type: 'end', changes: 0 },
      ],
      'effect.invalid',
    ],
    [
      'more output than is heard',
      [said(0, HEARD_BYTES / 2), said(1, HEARD_BYTES / 2), said(2, 1), ...account()],
      'effect.invalid',
    ],
    [
      'more output than is heard at once',
      [said(0, HEARD_BYTES / 2), said(1, HEARD_BYTES / 2 + 1), ...account()],
      'effect.invalid',
    ],
    ['output out of turn', [{ type: 'stdout', raw: '0000000961' }], 'effect.invalid'],
    ['a second hello', [{ type: 'hello', agent: 'writ-sandbox-agent' }], 'effect.invalid'],
    ['a connection that was never opened', [{ type: 'net_data', raw: '0000000961' }], 'effect.invalid'],
    ["a fault that isn't one", [{ type: 'fault', reason: 'approval.denied', detail: 'x' }], 'effect.invalid'],
  ])('of %s has no effect', async (_, messages, code) => {
    expectEnded(await say(messages), code);
  });
});

describe('files that change under the agent', () => {
  const head = async (): Promise<string> =>
    (await hostile.world.admin.get(`/v1/workspaces/${hostile.world.workspaceId}`)).body.head_snapshot_id as string;

  it.each([
    ['a hard link into what may only be read', 'ln docs/b.txt src/b; echo more >> src/b'],
    ['a link to a directory that may only be read', 'ln -s ../docs src/l; echo more > src/l/b.txt'],
    ['a directory that is moved away', 'mv docs src/docs'],
    ['a directory that is put in its place', 'mv docs /tmp/docs; cp -r src docs'],
    ['a link in its place', 'mv docs src/d; ln -s src/d docs'],
  ])('%s: the whole effect is refused', async (_, command) => {
    const before = await head();
    expectEnded(await hostile.program(command), 'effect.out_of_scope');
    // The program itself has been added, by an administrator.
    const { changes } = (
      await hostile.world.admin.get(`/v1/workspaces/${hostile.world.workspaceId}/diff?from=${before}`)
    ).body as { changes: { path: string }[] };
    expect(changes.map(({ path }) => path.slice(0, 6))).toEqual(['src/p-']);
  });

  // Turns a directory into a link to the container's own files and back, for as long as it lives.
  const SWAP =
    'swap() { while :; do mkdir -p src/d; echo mine > src/d/passwd; rm -rf src/d; ln -s /etc src/d; rm -f src/d; done; }';

  it('a loop that turns directories into links brings in nothing from where they lead', async () => {
    for (let i = 0; i < 6; i += 1) {
      const body = await hostile.program(
        `${SWAP}; for i in 1 2 3 4; do (setsid bash -c "$(declare -f swap); swap" > /dev/null 2>&1 &); done; sleep 0.${i}1`,
      );
      if (body.status !== 'ok') expectEnded(body, 'effect.invalid', 'effect.out_of_scope', 'workspace.conflict');
    }
    for (const path of ['src/d/passwd', 'src/d/shadow', 'src/d/hostname'])
      expect(['mine\n', null]).toContain(await hostile.world.file(path));
  });

  it('in a session, where it goes on between the calls, it brings in what the command itself can read at most', async () => {
    const over = { session_id: 'racing' };
    const ask = async (args: JsonValue): Promise<JsonValue> =>
      await hostile.approved((await hostile.world.call('shell.session', args, over)).body);
    expect(await ask({ command: `${SWAP}; (sleep 1; swap) > /dev/null 2>&1 & echo on` })).toMatchObject({
      error: null,
      result: { shell: 'started' },
    });
    for (let i = 0; i < 8; i += 1) {
      const body = await ask({ command: 'sleep 0.3' });
      if (body.status !== 'ok')
        expectEnded(
          body,
          'effect.invalid',
          'session.diverged',
          'session.lost',
          'session.conflict',
          'session.busy',
          'session.idle',
        );
    }
    await ask({ close: true });
    const own = (await hostile.run('cat /etc/passwd')).result.output as string;
    expect(['mine\n', null, own]).toContain(await hostile.world.file('src/d/passwd'));
  });
});

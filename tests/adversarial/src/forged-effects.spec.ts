// SPDX-License-Identifier: Apache-2.0
// A command may forge the report of its effect: it stops the agent and impersonates it, or changes files under it.
// Either way its effect stays within what its token grants, as if the command had made the changes itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { JsonValue } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { expectEnded, HostileWorld } from './hostile-world.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Characters of a command's output that are read here; a result shows 200,000 of them. */
const OUTPUT_READ_BYTES = 300_000;

let hostile: HostileWorld;
beforeAll(async () => {
  hostile = await HostileWorld.open({ env: { executor: { WRIT_OUTPUT_HEARD_BYTES: String(OUTPUT_READ_BYTES) } } });
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
/** A complete report of changes. */
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

describe('a forged report', () => {
  it("counts as the command's own: changes that the token grants are made", async () => {
    expect(await say(account(change('src/forged.txt')))).toMatchObject({ status: 'ok', tx_outcome: 'committed' });
    expect(await hostile.world.file('src/forged.txt')).toBe('forged');
  });

  it("with output up to the limit is kept as the command's own, and with more than that not at all", async () => {
    const kept = await say([said(0, OUTPUT_READ_BYTES / 2), said(1, OUTPUT_READ_BYTES / 2), ...account()]);
    expect(kept).toMatchObject({
      status: 'ok',
      result: { truncated_bytes: OUTPUT_READ_BYTES - 200_000 },
      whole_output: { stdout: { bytes: OUTPUT_READ_BYTES, cut: false } },
    });
    const refused = await say([
      said(0, OUTPUT_READ_BYTES / 2),
      said(1, OUTPUT_READ_BYTES / 2),
      said(2, 1),
      ...account(),
    ]);
    expectEnded(refused, 'effect.invalid');
    expect(refused).not.toHaveProperty('whole_output');
  });

  it.each<[string, readonly Message[], string]>([
    ['a file that it may only read', account(change('docs/b.txt')), 'effect.out_of_scope'],
    ['a deletion of a file that it may only read', account(change('docs/b.txt', null, '')), 'effect.out_of_scope'],
    [
      "a file that it doesn't see",
      account(change('private', { kind: 'dir' }, ''), change('private/c.txt')),
      'effect.out_of_scope',
    ],
    ["a deletion of a file that it doesn't see", account(change('private/c.txt', null, '')), 'effect.invalid'],
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
    ['a negative size', account(change('src/x', { kind: 'file', mode: '644', size: -1 }, '')), 'effect.invalid'],
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
    ['a link with an empty target', account(change('src/l', { kind: 'symlink', target: '' }, '')), 'effect.invalid'],
    ['a link with an end of line', account(change('src/l', { kind: 'symlink', target: 'a\nb' }, '')), 'effect.invalid'],
    [
      'a link longer than a path',
      account(change('src/l', { kind: 'symlink', target: 'x'.repeat(4096) }, '')),
      'effect.invalid',
    ],
    ['a file below a file', account(change('src/a.txt/x')), 'effect.invalid'],
    ['a file below a missing directory', account(change('src/no/x')), 'effect.invalid'],
    ['one path twice', account(change('src/x'), change('src/x')), 'effect.invalid'],
    ['fewer changes than it counts', [EXIT, { type: 'end', changes: 1 }], 'effect.invalid'],
    ['changes before its exit', [change('src/x'), EXIT, { type: 'end', changes: 1 }], 'effect.invalid'],
    [
      'an exit without status or signal',
      [
        { ...EXIT, code: null },
        { type: 'end', changes: 0 },
      ],
      'effect.invalid',
    ],
    [
      'more output than the limit',
      [said(0, OUTPUT_READ_BYTES / 2), said(1, OUTPUT_READ_BYTES / 2), said(2, 1), ...account()],
      'effect.invalid',
    ],
    [
      'a last piece of output beyond the limit',
      [said(0, OUTPUT_READ_BYTES / 2), said(1, OUTPUT_READ_BYTES / 2 + 1), ...account()],
      'effect.invalid',
    ],
    ['output out of sequence', [{ type: 'stdout', raw: '0000000961' }], 'effect.invalid'],
    ['a second hello', [{ type: 'hello', agent: 'writ-sandbox-agent' }], 'effect.invalid'],
    ['a connection that was never opened', [{ type: 'net_data', raw: '0000000961' }], 'effect.invalid'],
    ["a fault that isn't one", [{ type: 'fault', reason: 'approval.denied', detail: 'x' }], 'effect.invalid'],
  ])('of %s has no effect', async (_, messages, code) => {
    expectEnded(await say(messages), code);
  });
});

describe('files that change while the agent reads them', () => {
  const head = async (): Promise<string> =>
    (await hostile.world.admin.get(`/v1/workspaces/${hostile.world.workspaceId}`)).body.head_snapshot_id as string;

  it.each([
    ['a hard link to a read-only file', 'ln docs/b.txt src/b; echo more >> src/b'],
    ['a link to a read-only directory', 'ln -s ../docs src/l; echo more > src/l/b.txt'],
    ['a directory that is moved away', 'mv docs src/docs'],
    ['a directory that replaces it', 'mv docs /tmp/docs; cp -r src docs'],
    ['a link that replaces it', 'mv docs src/d; ln -s src/d docs'],
  ])('%s: the whole effect is refused', async (_, command) => {
    const before = await head();
    expectEnded(await hostile.program(command), 'effect.out_of_scope');
    // An administrator added the program itself.
    const { changes } = (
      await hostile.world.admin.get(`/v1/workspaces/${hostile.world.workspaceId}/diff?from=${before}`)
    ).body as { changes: { path: string }[] };
    expect(changes.map(({ path }) => path.slice(0, 6))).toEqual(['src/p-']);
  });

  // Replaces a directory by a link to the container's own files and back, as long as it runs.
  const SWAP =
    'swap() { while :; do mkdir -p src/d; echo mine > src/d/passwd; rm -rf src/d; ln -s /etc src/d; rm -f src/d; done; }';

  it('a loop that turns directories into links imports nothing from their targets', async () => {
    for (let i = 0; i < 6; i += 1) {
      const body = await hostile.program(
        `${SWAP}; for i in 1 2 3 4; do (setsid bash -c "$(declare -f swap); swap" > /dev/null 2>&1 &); done; sleep 0.${i}1`,
      );
      if (body.status !== 'ok') expectEnded(body, 'effect.invalid', 'effect.out_of_scope', 'workspace.conflict');
    }
    for (const path of ['src/d/passwd', 'src/d/shadow', 'src/d/hostname'])
      expect(['mine\n', null]).toContain(await hostile.world.file(path));
  });

  it('in a session, between calls too, such a loop imports only what the command itself can read', async () => {
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

// SPDX-License-Identifier: Apache-2.0
import { FakeShells, type FakeShell } from './fake-shells.ts';
import { FrameError } from './frame.ts';
import type { AgentMessage } from './agent-message.ts';
import { Channels } from './channels.ts';
import type { ShellSpec, ShellTurn } from './shell.ts';
import { ShellClient } from './shell-client.ts';

const SPEC: ShellSpec = {
  image: 'any',
  files: [{ path: 'd/a', kind: 'file', mode: '644', bytes: Buffer.from('1') }],
  env: {},
  limits: { memoryBytes: 1, cpus: 1, pids: 1, tmpfsBytes: 1 },
  size: { cols: 80, rows: 24 },
  labels: {},
};
const TURN: ShellTurn = {
  yieldMs: 100,
  limits: { cpuMs: 1000, cpus: 1, outputBytes: 10, deltaBytes: 10, deltaFiles: 3 },
};
const NONE = Buffer.alloc(0);
const turned = (turn: number, state: 'idle' | 'running' = 'idle'): AgentMessage => ({
  type: 'turned',
  turn,
  state,
  refused: null,
  code: 0,
  droppedBytes: 0,
});
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('changes are relative to the files that were sent or reported before', async () => {
  const shells = new FakeShells({
    write: ({ files }) => (files.set('d/a', { path: 'd/a', kind: 'file', mode: '644', bytes: Buffer.from('22') }), 0),
    remove: ({ files }) => (files.delete('d/a'), files.set('d', { path: 'd', kind: 'dir', mode: null }), 0),
  });
  const shell = (await shells.open(SPEC, new AbortController().signal)) as FakeShell;
  const first = await shell.turn({ ...TURN, command: 'write' }, new AbortController().signal);
  expect(first.changes).toMatchObject([{ path: 'd/a', before: { size: 1 }, after: { kind: 'file' } }]);
  expect((await shell.turn({ ...TURN, command: 'remove' }, new AbortController().signal)).changes).toMatchObject([
    { path: 'd/a', before: { size: 2 }, after: null },
  ]);
});

test('a synced file is no longer a change, and a conflicting one is not synced', async () => {
  const shells = new FakeShells({ later: () => 0 });
  const shell = (await shells.open(SPEC, new AbortController().signal)) as FakeShell;
  const patch = { path: 'd/a', kind: 'file', mode: '644', bytes: Buffer.from('elsewhere') } as const;
  expect(await shell.applyPatches([patch])).toEqual([]);
  expect((await shell.turn({ ...TURN, command: 'later' }, new AbortController().signal)).changes).toEqual([]);
  shell.files.set('d/a', { ...patch, bytes: Buffer.from('untold') });
  expect(await shell.applyPatches([patch])).toEqual(['d/a']);
  expect(shell.files.get('d/a')).toMatchObject({ bytes: Buffer.from('untold') });
});

describe('an agent that breaks the protocol', () => {
  const talk = () => new ShellClient(() => Promise.resolve());
  test('may not send messages without a request', () => {
    expect(() => talk().accept(turned(1))).toThrow(FrameError);
  });

  test.each<[string, AgentMessage[]]>([
    ['another turn', [turned(2)]],
    ["changes before the turn's end", [{ type: 'change', path: 'a', after: null, bytes: NONE }]],
    ['the deletion of what was never there', [turned(1), { type: 'change', path: 'b', after: null, bytes: NONE }]],
    ["output after the turn's end", [turned(1), { type: 'stdout', sequence: 0, bytes: Buffer.from('x') }]],
    ['two ends of a turn', [turned(1), turned(1)]],
    ['more output than it may', [{ type: 'stdout', sequence: 0, bytes: Buffer.alloc(11) }]],
    ['output out of sequence', [{ type: 'stdout', sequence: 1, bytes: Buffer.from('x') }]],
    ['an answer to what was not asked', [{ type: 'checked', conflicts: [] }]],
    ['changes that are missing', [turned(1), { type: 'end', changes: 1 }]],
  ])('may not send %s', async (_what, messages) => {
    const shell = talk();
    void shell.turn(TURN);
    await settled();
    const last = messages.pop() as AgentMessage;
    for (const message of messages) shell.accept(message);
    expect(() => shell.accept(last)).toThrow(FrameError);
  });

  const opened: AgentMessage = { type: 'net_open', channel: 1 };
  const channels = () => new Channels({ send: () => undefined, opened: (connection) => void connection.destroy() });

  test('may not open a connection of a shell that has no proxy', async () => {
    const shell = talk();
    void shell.turn(TURN);
    await settled();
    expect(() => shell.accept(opened)).toThrow(FrameError);
  });

  test('may open connections in a turn, and neither before it nor after its end', async () => {
    const shell = talk();
    expect(() => shell.accept(opened)).toThrow(FrameError);
    void shell.turn(TURN, channels());
    await settled();
    shell.accept(opened);
    shell.accept(turned(1));
    expect(() => shell.accept({ type: 'net_data', channel: 1, bytes: Buffer.from('x') })).toThrow(FrameError);
  });

  test('may not go on with a connection of an earlier turn', async () => {
    const shell = talk();
    void shell.turn(TURN, channels());
    await settled();
    for (const message of [opened, turned(1), { type: 'end', changes: 0 } as const]) shell.accept(message);
    await settled();
    void shell.turn(TURN, channels());
    await settled();
    expect(() => shell.accept({ type: 'net_data', channel: 1, bytes: Buffer.from('x') })).toThrow(FrameError);
  });

  test('may not answer a check with a turn', async () => {
    const shell = talk();
    void shell.applyPatches([{ path: 'a', kind: 'gone' }]);
    await settled();
    expect(() => shell.accept(turned(1))).toThrow(FrameError);
  });
});

test('more changes than allowed end the shell as a limit', async () => {
  const shell = await new FakeShells({
    many: ({ files }) => {
      for (const path of ['1', '2', '3', '4']) files.set(path, { path, kind: 'dir', mode: null });
      return 0;
    },
  }).open(SPEC, new AbortController().signal);
  await expect(shell.turn({ ...TURN, command: 'many' }, new AbortController().signal)).rejects.toMatchObject({
    ended: 'limit',
    reason: 'delta_files',
  });
});

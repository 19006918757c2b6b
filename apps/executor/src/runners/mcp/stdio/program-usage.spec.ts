// SPDX-License-Identifier: Apache-2.0
//
// What a program uses is counted for the call that it serves, and between calls nothing of it runs.
import type { McpProgram } from '../../../specs/mcp-program.ts';
import { openProgramScene, type ProgramScene } from '../../../specs/program-scene.ts';

let scene: ProgramScene;
let program: McpProgram;
openProgramScene((opened) => {
  scene = opened;
  ({ program } = opened);
});

const used = (cpuMs: number, memoryPeakBytes: number): void => {
  scene.usage = { cpuMs, memoryPeakBytes, countedBy: 'host' };
};
const answersAfter = (before: () => void): void => {
  program.answers = {
    'tools/call': (message, process) => {
      before();
      process.result(message, { content: [], structuredContent: { number: 7 } });
    },
  };
};

test('each call is charged for what the container used since the call before', async () => {
  answersAfter(() => used(300, 1_000));
  expect((await scene.call()).usage).toMatchObject({ cpu_ms: 300, memory_peak_bytes: 1_000, counted_by: 'host' });
  answersAfter(() => used(420, 2_000));
  expect((await scene.call()).usage).toMatchObject({ cpu_ms: 120, memory_peak_bytes: 2_000, counted_by: 'host' });
  expect(program.processes).toHaveLength(1);
});

test('a call without an answer is charged, too, whose container has ended by then', async () => {
  program.answers = { 'tools/call': () => used(77, 5) };
  const { ended, usage } = await scene.call({ wall_ms: 1_500 });
  expect([ended, usage]).toMatchObject(['timeout', { cpu_ms: 77, memory_peak_bytes: 5, counted_by: 'host' }]);
});

test('a call is charged for each process that ended at its start', async () => {
  program.begin = (process) => {
    used(40, 9);
    process.exit(1);
  };
  // The second one is asked in the words of the older revision.
  expect((await scene.call()).usage).toMatchObject({ cpu_ms: 80, memory_peak_bytes: 9 });
});

test('a process stands still between calls, and is woken for the next', async () => {
  const asked: string[][] = [];
  answersAfter(() => asked.push([...scene.engine.asked]));
  for (let calls = 0; calls < 2; calls += 1) await scene.call();
  expect(asked).toEqual([[], ['freeze', 'thaw']]);
  await vi.waitFor(() => expect(scene.engine.asked).toEqual(['freeze', 'thaw', 'freeze']));
  expect(program.processes).toHaveLength(1);
});

test.each(['freeze', 'thaw'] as const)('a process is replaced where the engine fails to %s it', async (what) => {
  scene.engine.fails.add(what);
  for (let calls = 0; calls < 2; calls += 1) expect(await scene.call()).toMatchObject({ ended: 'exited' });
  expect(program.processes).toHaveLength(2);
  await vi.waitFor(() => expect(scene.programs.size).toBe(what === 'freeze' ? 0 : 1));
});

test('a process that is not kept is killed, and not stopped before', async () => {
  await scene.call({ redemption: { acts_for: undefined } as never });
  expect(scene.engine.asked).toEqual([]);
});

test('a call whose use is unknown is charged for its time, and the next one for no more than the rest', async () => {
  answersAfter(() => used(300, 1));
  await scene.call();
  answersAfter(() => (scene.usage = { cpuMs: 0, memoryPeakBytes: 0 }));
  const { usage } = await scene.call();
  expect(usage.cpu_ms).toBeGreaterThan(0);
  expect(usage).not.toHaveProperty('counted_by');
  answersAfter(() => used(300 + 60_000, 1));
  const next = await scene.call();
  expect(next.usage.cpu_ms + usage.cpu_ms).toBe(60_000);
  expect(program.processes).toHaveLength(1);
});

test.each([false, true])(
  'where nobody counts, no call is charged for the time in which its process waited: killed %s',
  async (isKilled) => {
    const assume = (cpuMs: number) => () =>
      (scene.usage = { cpuMs, memoryPeakBytes: 0, countedBy: 'agent', isAssumed: true });
    answersAfter(assume(50));
    await scene.call();
    scene.advance(600_000);
    if (isKilled) program.answers = { 'tools/call': assume(600_100) };
    else answersAfter(assume(600_100));
    const { wall_ms, cpu_ms } = (await scene.call({ wall_ms: 1_000 })).usage;
    expect(cpu_ms).toBeLessThanOrEqual(wall_ms);
    expect(program.processes).toHaveLength(1);
  },
);

test.each(['freeze', 'thaw'] as const)(
  'a process is replaced where the engine takes too long to %s it',
  async (what) => {
    scene.engine.hangs.add(what);
    for (let calls = 0; calls < 2; calls += 1)
      expect(await scene.call({ wall_ms: 4_000 })).toMatchObject({ ended: 'exited' });
    expect(program.processes).toHaveLength(2);
  },
);

test('a call whose process is woken too slowly ends at its time', async () => {
  scene.engine.hangs.add('thaw');
  await scene.call();
  const { ended, usage } = await scene.call({ wall_ms: 300 });
  expect([ended, usage.wall_ms < 480]).toEqual(['timeout', true]);
  await vi.waitFor(() => expect(scene.programs.size).toBe(0));
});

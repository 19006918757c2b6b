// SPDX-License-Identifier: Apache-2.0
import { FakeSandbox } from '@writ/sandbox';
import { SandboxLost, SandboxUnstarted } from '../calls/sandbox-lost.ts';
import { SandboxedRunner } from '../runners/sandboxed-runner.ts';
import { CLOSED_GATE, ScriptedKernel } from '../specs/scripted-kernel.ts';
import { unstartedPauseMs } from './unstarted.ts';

it('the pause grows with the attempts to ten seconds, and ends after twenty of them', () => {
  const unstarted = new SandboxUnstarted('no room');
  const pauses = Array.from({ length: 22 }, (_, index) => unstartedPauseMs(unstarted, index + 1));
  expect(pauses.slice(0, 11)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10].map((seconds) => seconds * 1_000));
  expect(pauses.slice(18)).toEqual([10_000, 10_000, null, null]);
  expect([new SandboxLost('gone'), new Error('x')].map((error) => unstartedPauseMs(error, 1))).toEqual([null, null]);
});

it.each([
  [1, 'is given back unrun, and no executor counts as lost', [{ stopping: true, attempt: 1 }]],
  [21, 'waits for its lease to expire', []],
])('attempt %i that finds no container %s', async (attempt, _what, released) => {
  const kernel = await new ScriptedKernel().start();
  onTestFinished(() => kernel.close());
  const root = await kernel.tree({ 'a.txt': 'one\n' });
  const sandbox = new FakeSandbox({ sleep: () => Promise.resolve(), programs: {}, images: [] });
  const change = { permit: { attempt }, redemption: { attempt } };
  const message = kernel.order('shell.run', { command: 'go' }, root, change);
  const ran = kernel.executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)]).run(message, 'sandboxed');
  await (released.length > 0 ? expect(ran).resolves.toBe('not_ours') : expect(ran).rejects.toThrow('no such image'));
  expect(kernel.reports).toEqual([]);
  expect(kernel.released).toMatchObject(released);
});

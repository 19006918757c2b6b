// SPDX-License-Identifier: Apache-2.0
//
// A process that nobody may call any more ends soon, also while it waits.
import { Fault } from '@writ/contract';
import type { McpProgram } from '../../../specs/mcp-program.ts';
import { openProgramScene, type ProgramScene } from '../../../specs/program-scene.ts';
import { CHECK_MS } from './waiting-checks.ts';

/** A check, and time for the answer and the end. */
const SOON = { timeout: 2 * CHECK_MS, interval: 50 };

let scene: ProgramScene;
let program: McpProgram;
openProgramScene((opened) => {
  scene = opened;
  ({ program } = opened);
});
const asked = (): unknown => scene.asked.at(-1);

test('the kernel is asked about the calls that a process served first and last, until the process may not wait on', async () => {
  for (let calls = 0; calls < 2; calls += 1) await scene.call();
  const [first, last] = scene.on.kernel.reports.map(({ operation_id }) => operation_id) as [string, string];
  const [tenant] = scene.on.kernel.reports.map(({ tenant_id }) => tenant_id);
  await vi.waitFor(() => expect(asked()).toEqual([tenant, [{ first, last }]]), SOON);
  expect(scene.programs.size).toBe(1);
  scene.over!.add(last);
  await vi.waitFor(() => expect(scene.programs.size).toBe(0), SOON);
  await scene.call();
  expect(program.processes).toHaveLength(2);
});

test('a process waits on while the kernel does not answer', async () => {
  scene.over = null;
  await scene.call();
  await vi.waitFor(() => expect(scene.asked.length).toBeGreaterThan(1), { timeout: 3 * CHECK_MS });
  expect(scene.programs.size).toBe(1);
});

test.each(['during', 'after'])(
  'a process that may not wait on ends after a call that came meanwhile, answered %s it',
  async (when) => {
    const answered = Promise.withResolvers<undefined>();
    const answer = async (): Promise<void> => {
      answered.resolve(undefined);
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    };
    scene.beforeAnswer = () => answered.promise;
    await scene.call();
    await vi.waitFor(() => expect(scene.asked).toHaveLength(1), SOON);
    scene.over!.add(scene.on.kernel.reports[0]!.operation_id);
    program.answers = {
      'tools/call': async (message, process) => {
        if (when === 'during') await answer();
        process.result(message, { content: [], structuredContent: { number: 7 } });
      },
    };
    expect(await scene.call()).toMatchObject({ ended: 'exited' });
    if (when === 'after') await answer();
    await vi.waitFor(() => expect(scene.programs.size).toBe(0), SOON);
    expect(program.processes).toHaveLength(1);
  },
);

test.each<[string, Error, boolean]>([
  ['a kernel that is busy', new Fault('overloaded'), false],
  ['an unknown error of the kernel', new Fault('internal'), true],
  ['a refusal', new Fault('not_found'), true],
  ['a bug', new Error('a bug'), true],
])(
  'that processes could not be checked is reported where asking again does not help: %s',
  async (_who, error, isTold) => {
    scene.beforeAnswer = () => Promise.reject(error);
    await scene.call();
    await vi.waitFor(() => expect(scene.asked.length).toBeGreaterThan(0), SOON);
    expect(scene.failures.slice(0, 1)).toEqual(isTold ? [error] : []);
    expect(scene.programs.size).toBe(1);
  },
);

test('that a kernel of the version before can not check processes is reported once', async () => {
  const error = new Fault('request.malformed');
  scene.beforeAnswer = () => Promise.reject(error);
  await scene.call();
  await vi.waitFor(() => expect(scene.asked.length).toBeGreaterThan(2), { timeout: 4 * CHECK_MS });
  expect(scene.failures).toEqual([error]);
  expect(scene.programs.size).toBe(1);
});

test('a process of nobody and a listing are not asked about', async () => {
  await scene.call({ redemption: { acts_for: undefined } as never });
  await vi.waitFor(() => expect(scene.programs.size).toBe(0));
  await new Promise((resolve) => {
    setTimeout(resolve, CHECK_MS + 200);
  });
  expect(scene.asked).toEqual([]);
});

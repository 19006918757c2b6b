// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the secrets of a call between its redemption and its report.
import type { Redemption } from '@writ/contract';
import { FakeSandbox, type FakeProgram } from '@writ/sandbox';
import { SandboxedRunner } from '../runners/sandboxed-runner.ts';
import { CLOSED_GATE, ScriptedKernel } from '../specs/scripted-kernel.ts';

const MARKER = 'marker-55e0-of-a-secret';
const COMMAND = 'tell "${secret:KEY}"';
let kernel: ScriptedKernel;
let root: string;
beforeEach(async () => {
  kernel = await new ScriptedKernel().start();
  root = await kernel.tree({ 'a.txt': 'one\n' });
});
afterEach(() => kernel.close());

const run = async (
  program: FakeProgram,
  { command = COMMAND, redemption = { secrets: { KEY: MARKER } } as Partial<Redemption>, preview = false } = {},
) => {
  const sandbox = new FakeSandbox({
    programs: { [command.replaceAll('${secret:', '${WRIT_SECRET_')]: program },
    sleep: () => Promise.resolve(),
  });
  const message = kernel.order('shell.run', { command }, root, {
    redemption,
    ...(preview ? { permit: { mode: 'preview' } } : {}),
  });
  await kernel.executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)]).run(message, 'sandboxed');
  return kernel.reports[0];
};
const outputOf = (report: { readonly result: unknown } | undefined): string =>
  (report?.result as { output: string }).output;
const write = (world: Parameters<FakeProgram>[0], path: string, text: string): void => {
  world.files.set(path, { kind: 'file', path, mode: '644', bytes: Buffer.from(text) } as never);
};

test('a command finds a secret in its variable, and what it writes is told without it', async () => {
  let found: string | undefined;
  const report = await run((world) => {
    found = world.env['WRIT_SECRET_KEY'];
    world.out(`it is ${MARKER}\n${Buffer.from(MARKER).toString('base64')}\n`);
    return 0;
  });
  expect(found).toBe(MARKER);
  expect(outputOf(report)).toMatch(/^it is \*\*\*KEY\*\*\*\n\*\*\*KEY\*\*\*/);
  expect(JSON.stringify(report)).not.toContain(MARKER);
});

test('a value that comes in pieces, on either stream or on both in turn, is told by neither', async () => {
  const report = await run((world) => {
    for (const char of MARKER) {
      world.out(char);
      world.err('.');
    }
    world.out(' and ');
    world.out(MARKER.slice(0, 9));
    world.err(MARKER.slice(9));
    return 0;
  });
  expect(outputOf(report)).not.toContain(MARKER);
  expect(outputOf(report).replaceAll('.', '')).not.toContain(MARKER);
  // Of the first the pieces between the other stream's dots; the second as one.
  expect(outputOf(report).replaceAll('.', '').replaceAll('***KEY***', '')).toBe(' and ');
});

test('what a command leaves in the workspace holds no secret, in no shape and in no name', async () => {
  for (const [path, text] of [
    ['k.txt', `key=${MARKER}`],
    ['k.txt', Buffer.from(`x${MARKER}`).toString('base64')],
    [`${MARKER}.txt`, 'x'],
  ] as const) {
    kernel.reports.length = 0;
    const report = await run((world) => {
      write(world, path, text);
      return 0;
    });
    expect(report).toMatchObject({
      ended: 'invalid',
      error: { code: 'secret.in_delta', message: expect.stringContaining('`KEY`') as string },
      delta: null,
      contents: [],
    });
    expect(JSON.stringify(report)).not.toContain(MARKER);
  }
  kernel.reports.length = 0;
  expect(
    await run((world) => {
      write(world, 'k.txt', 'nothing of it');
      return 0;
    }),
  ).toMatchObject({ ended: 'exited', delta: { changes: [{ path: 'k.txt' }] } });
});

test('a preview gets no secret, and says which it would have needed', async () => {
  let env: unknown;
  const report = await run(
    (world) => {
      env = world.env;
      return 0;
    },
    { redemption: { secrets: {} }, preview: true },
  );
  expect(env).not.toHaveProperty('WRIT_SECRET_KEY');
  expect(report).toMatchObject({ mode: 'preview', asked_for: [{ kind: 'secret', what: 'KEY' }] });
});

test("nothing runs where a value didn't come, or where the command can't be what was judged", async () => {
  let ran = 0;
  const program = (): number => (ran += 1);
  expect(await run(program, { redemption: { secrets: {} } })).toMatchObject({
    ended: 'invalid',
    error: { code: 'permit.invalid' },
  });
  kernel.reports.length = 0;
  expect(await run(program, { command: 'bash -c "${secret:KEY}"' })).toMatchObject({
    ended: 'invalid',
    error: { code: 'permit.invalid' },
  });
  expect(ran).toBe(0);
});

test("a secret that came along and that the command doesn't name is in no variable", async () => {
  let env: unknown;
  await run(
    (world) => {
      env = world.env;
      return 0;
    },
    { redemption: { secrets: { KEY: MARKER, OTHER: 'other' } } },
  );
  expect(env).toEqual({ WRIT_SECRET_KEY: MARKER });
});

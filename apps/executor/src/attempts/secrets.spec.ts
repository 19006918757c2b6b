// SPDX-License-Identifier: Apache-2.0
//
// The handling of a call's secrets between redemption and report.
import { Fault, type Redemption, type ReportReply } from '@writ/contract';
import { FakeSandbox, type FakeProgram } from '@writ/sandbox';
import { Runner, type Staged } from '../calls/runner.ts';
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

test('a command gets a secret in its variable, and the report redacts the secret from its output', async () => {
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

test('a secret that is split over chunks and streams appears in neither stream of the report', async () => {
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
  // The first value is replaced piece by piece between the dots of the other stream, and the second one as a whole.
  expect(outputOf(report).replaceAll('.', '').replaceAll('***KEY***', '')).toBe(' and ');
});

test('a delta with a secret in a content or a file name, in any encoding, is invalid', async () => {
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

test('a preview gets no secret and reports which secrets it needs', async () => {
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

test("a call without its secret's value, or with a command that can't hold a secret, runs nothing", async () => {
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

test("a secret that the command doesn't name is not put into a variable", async () => {
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

/** Stages a result that is too long to be redacted without a worker thread. */
class LongResultRunner extends Runner {
  override readonly toolClass = 'sandboxed';
  readonly replies: (ReportReply | null)[] = [];

  override run(): Promise<Staged> {
    return Promise.resolve({
      ended: 'exited',
      exitCode: 0,
      error: null,
      delta: null,
      blobs: [],
      result: 'x'.repeat(4 * 1024 * 1024),
      usage: { wall_ms: 0, cpu_ms: 0, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 },
      settle: (reply) => {
        this.replies.push(reply);
        return Promise.resolve();
      },
    });
  }
}

test.each([
  ['reaches its limit', new Fault('limit.exceeded'), 'reported', ['limit']],
  ['is stopped', new Fault('attempt.fenced'), 'fenced', []],
])('a runner learns that nothing of its effect was reported when redaction %s', async (_how, fault, result, ended) => {
  kernel.work = { run: () => Promise.reject(fault) } as never;
  const runner = new LongResultRunner();
  const message = kernel.order('shell.run', { command: COMMAND }, root, { redemption: { secrets: { KEY: MARKER } } });
  expect(await kernel.executor([runner]).run(message, 'sandboxed')).toBe(result);
  expect(runner.replies).toEqual([null]);
  expect(kernel.reports.map((report) => report.ended)).toEqual(ended);
});

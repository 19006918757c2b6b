// SPDX-License-Identifier: Apache-2.0
import type { ScriptOrder } from '@writ/mk8-shell';
import type { Call, RunContext, Staged } from '../calls/runner.ts';
import { ScriptRunner } from './script-runner.ts';

const CALL = {
  toolId: 'mk8.run',
  args: { script: { operations: [] } },
  cli: null,
  limits: { wall_ms: 630_000, output_bytes: 200_000 },
} as unknown as Call;
const COMPLETED = {
  status: 'completed',
  all_succeeded: true,
  steps: [],
  cleanup: [],
  duration_ms: 3,
  omitted_steps: 0,
};

/** Runs a script whose interpreter prints this output and ends as given. */
async function outcome(
  output: string,
  more: Partial<Staged> = {},
  given: Partial<Call> = {},
): Promise<{ staged: Staged; receivedCall: Call }> {
  let receivedCall = CALL;
  const commands = {
    run: (call: Call) => {
      receivedCall = call;
      return Promise.resolve({
        ended: 'exited',
        exitCode: 0,
        error: null,
        delta: null,
        blobs: [],
        usage: {},
        result: { output },
        ...more,
      } as unknown as Staged);
    },
  };
  return { staged: await new ScriptRunner(commands).run({ ...CALL, ...given }, {} as RunContext), receivedCall };
}

describe('a script', () => {
  it('is sent unchanged to the interpreter of the image, with limits that leave room for start and report', async () => {
    const { receivedCall } = await outcome(JSON.stringify(COMPLETED));
    const order = JSON.parse((receivedCall.args as { stdin: string }).stdin) as ScriptOrder;
    expect([receivedCall.program, order]).toEqual([
      ['/opt/writ/node', '--snapshot-blob', '/opt/writ/mk8.blob', '/opt/writ/mk8.js'],
      {
        script: { operations: [] },
        sandbox: expect.objectContaining({ name: 'default' }),
        time_ms: 600_000,
        report_bytes: 190_000,
      },
    ]);
  });

  it("gets the tenant's skills, each in a line", async () => {
    const skills = [{ name: 'release', description: 'how to\n  release' }];
    const { receivedCall } = await outcome(JSON.stringify(COMPLETED), {}, { skills });
    expect(JSON.parse((receivedCall.args as { stdin: string }).stdin)).toMatchObject({
      sandbox: { name: 'default', skills: [{ name: 'release', summary: 'how to release' }] },
    });
  });

  it('succeeds only when its report says completed and its interpreter exits with 0', async () => {
    expect((await outcome(JSON.stringify(COMPLETED))).staged).toMatchObject({ exitCode: 0, result: COMPLETED });
    expect((await outcome(JSON.stringify(COMPLETED), { exitCode: 7 })).staged).toMatchObject({ exitCode: 7 });
  });

  it("fails when its report says so or is unreadable, whatever its interpreter's exit code", async () => {
    for (const output of [
      JSON.stringify({ ...COMPLETED, status: 'failed' }),
      JSON.stringify({ ...COMPLETED, status: 'refused' }),
      JSON.stringify({ ...COMPLETED, more: 1 }),
      `${JSON.stringify(COMPLETED)}!`,
      '',
      'null',
      '[1]',
    ]) {
      const { staged } = await outcome(output);
      expect([staged.exitCode, (staged.result as { status: string }).status]).toEqual([1, 'failed']);
    }
  });

  it('that was killed has a report without steps', async () => {
    const { staged } = await outcome('', { ended: 'timeout', exitCode: null });
    expect(staged).toMatchObject({ ended: 'timeout', exitCode: null, result: { status: 'failed', steps: [] } });
  });
});

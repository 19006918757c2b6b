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

/** What becomes of a script whose interpreter says this and ends so. */
async function outcome(output: string, more: Partial<Staged> = {}): Promise<{ staged: Staged; asked: Call }> {
  let asked = CALL;
  const commands = {
    run: (call: Call) => {
      asked = call;
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
  return { staged: await new ScriptRunner(commands).run(CALL, {} as RunContext), asked };
}

describe('a script', () => {
  it('goes to the interpreter of the image as it was written, with room for what goes in and out', async () => {
    const { asked } = await outcome(JSON.stringify(COMPLETED));
    const order = JSON.parse((asked.args as { stdin: string }).stdin) as ScriptOrder;
    expect([asked.program, order]).toEqual([
      ['/opt/writ/node', '--snapshot-blob', '/opt/writ/mk8.blob', '/opt/writ/mk8.js'],
      {
        script: { operations: [] },
        sandbox: expect.objectContaining({ name: 'default' }),
        time_ms: 600_000,
        report_bytes: 190_000,
      },
    ]);
  });

  it('went well where its report says so, and its interpreter ended so', async () => {
    expect((await outcome(JSON.stringify(COMPLETED))).staged).toMatchObject({ exitCode: 0, result: COMPLETED });
    expect((await outcome(JSON.stringify(COMPLETED), { exitCode: 7 })).staged).toMatchObject({ exitCode: 7 });
  });

  it('failed where its report says so, or can not be read, whatever its interpreter ended with', async () => {
    for (const said of [
      JSON.stringify({ ...COMPLETED, status: 'failed' }),
      JSON.stringify({ ...COMPLETED, status: 'refused' }),
      JSON.stringify({ ...COMPLETED, more: 1 }),
      `${JSON.stringify(COMPLETED)}!`,
      '',
      'null',
      '[1]',
    ]) {
      const { staged } = await outcome(said);
      expect([staged.exitCode, (staged.result as { status: string }).status]).toEqual([1, 'failed']);
    }
  });

  it('that was killed says nothing of what it did', async () => {
    const { staged } = await outcome('', { ended: 'timeout', exitCode: null });
    expect(staged).toMatchObject({ ended: 'timeout', exitCode: null, result: { status: 'failed', steps: [] } });
  });
});

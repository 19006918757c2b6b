// SPDX-License-Identifier: Apache-2.0
import type { SlotsEvent } from '@writ/contract';
import { startTelemetry } from '@writ/telemetry';
import { Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import { ScriptedKernel } from '../specs/scripted-kernel.ts';
import type { WorkIntake } from './work-intake.ts';

const telemetry = startTelemetry({ service: 'executor', version: '0.1.0' });
afterAll(() => telemetry.shutdown());

const nothing: Staged = {
  ended: 'exited',
  exitCode: 0,
  error: null,
  delta: null,
  blobs: [],
  result: { ok: true },
  usage: { wall_ms: 0, cpu_ms: 0, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 },
};

/** Runs until the test ends it. */
class HeldRunner extends Runner {
  override readonly toolClass = 'sandboxed';
  readonly calls: Call[] = [];
  readonly #end = Promise.withResolvers<null>();

  override async run(call: Call, { signal }: RunContext): Promise<Staged> {
    this.calls.push(call);
    signal.addEventListener('abort', () => this.#end.resolve(null));
    await this.#end.promise;
    return nothing;
  }

  end(): void {
    this.#end.resolve(null);
  }
}

const until = async (reached: () => boolean | Promise<boolean>): Promise<void> => {
  for (let left = 2_000; !(await reached()); left -= 1) {
    if (left === 0) throw new Error('it never came to that');
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
};
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 20);
  });

describe('an assigned call', () => {
  let kernel: ScriptedKernel;
  let runner: HeldRunner;
  let intake: WorkIntake;
  let announcements: SlotsEvent[];
  let root: string;
  beforeEach(async () => {
    kernel = await new ScriptedKernel().start();
    kernel.monotonicMs = 5_000;
    runner = new HeldRunner();
    root = await kernel.tree({ 'a.txt': 'one\n' });
    ({ intake, announcements } = await kernel.startIntake([runner], telemetry));
  });
  afterEach(async () => {
    runner.end();
    await intake.stop();
    await kernel.close();
  });

  const mark = (): string => announcements.at(-1)?.assignable?.mark ?? '';
  const order = (over: Parameters<ScriptedKernel['order']>[3] = {}) =>
    kernel.order('shell.run', { command: 'true' }, root, over);

  it('runs without a redemption request, and its report carries the nonce of its assignment', async () => {
    kernel.assign(order(), mark());
    await until(() => runner.calls.length === 1);
    expect(runner.calls[0]).toMatchObject({ toolId: 'shell.run', args: { command: 'true' } });
    runner.end();
    await until(() => kernel.reports.length === 1);
    expect(kernel.reports[0]).toMatchObject({ attempt: 1, mode: 'run', nonce: 'a'.repeat(32), ended: 'exited' });
    expect(kernel.requestedVerbs).not.toContain('kernel.redeem');
    expect(kernel.released).toEqual([]);
  });

  it('is released without running when no slot is free', async () => {
    kernel.assign(order(), mark());
    await until(() => runner.calls.length === 1);
    kernel.assign(order(), mark(), { nonce: 'b'.repeat(32) });
    await until(() => kernel.released.length === 1);
    expect(kernel.released[0]).toMatchObject({ nonce: 'b'.repeat(32), attempt: 1, stopping: true });
    expect(runner.calls).toHaveLength(1);
  });

  it('is released by an executor that stops', async () => {
    const slotMark = mark();
    kernel.assign(order(), slotMark);
    await until(() => runner.calls.length === 1);
    const stopping = intake.stop();
    kernel.assign(order(), slotMark, { nonce: 'b'.repeat(32) });
    runner.end();
    await stopping;
    await settled();
    expect(runner.calls).toHaveLength(1);
    expect(kernel.released.map(({ nonce }) => nonce)).toEqual(['b'.repeat(32)]);
  });

  it('is released when its mark is of another incarnation of the executor, or malformed', async () => {
    const [life = '', at = ''] = mark().split('.');
    for (const slotMark of [
      `${'0'.repeat(life.length)}.${at}`,
      `${life}.${Number(at) + 1}`,
      `${life}.`,
      `${life}.-1`,
      '',
    ])
      kernel.assign(order(), slotMark);
    await until(() => kernel.released.length === 5);
    expect(runner.calls).toEqual([]);
  });

  it('is released when the executor lacks its image', async () => {
    kernel.assign(order({ permit: { image_digest: `sha256:${'2'.repeat(64)}` } }), mark());
    await until(() => kernel.released.length === 1);
    expect(runner.calls).toEqual([]);
  });

  it('has a lease that counts from its mark, however late it arrives', async () => {
    const slotMark = mark();
    kernel.monotonicMs += kernel.leaseMs - 1;
    kernel.assign(order(), slotMark);
    await until(() => runner.calls.length === 1);
    kernel.monotonicMs += 1;
    runner.end();
    await settled();
    expect(kernel.reports).toEqual([]);
  });

  it("is ignored and not released when its permit doesn't verify or doesn't match", async () => {
    const good = order();
    const permit = JSON.parse(Buffer.from(good.bytes).toString('utf8')) as { signatures: { sig: string }[] };
    const forged = {
      ...permit,
      signatures: permit.signatures.map((each) => ({
        ...each,
        sig: `${each.sig.startsWith('A') ? 'B' : 'A'}${each.sig.slice(1)}`,
      })),
    };
    kernel.assign(good, mark(), { permit: forged as never });
    kernel.assign(order({ redemption: { attempt: 2 } }), mark());
    kernel.assign(order({ permit: { mode: 'preview' } }), mark());
    kernel.assign(
      order({ permit: { issued_at: kernel.epochMs - 35_001, expires_at: kernel.epochMs - 5_001 } }),
      mark(),
    );
    await settled();
    expect([runner.calls, kernel.requestedVerbs]).toEqual([[], []]);
  });

  it('runs once, however often its event arrives', async () => {
    const once = order();
    kernel.assign(once, mark());
    await until(() => runner.calls.length === 1);
    runner.end();
    await until(() => kernel.reports.length === 1);
    kernel.assign(once, mark());
    kernel.epochMs += 34_000;
    kernel.monotonicMs += 34_000;
    kernel.assign(once, mark());
    await settled();
    expect([runner.calls.length, kernel.reports.length, kernel.released]).toEqual([1, 1, []]);
  });

  it('runs nothing when its redemption differs from its permit', async () => {
    kernel.assign(order({ redemption: { args: { command: 'rm -rf src' } } }), mark());
    await until(() => kernel.reports.length === 1);
    expect(kernel.reports[0]).toMatchObject({ ended: 'invalid', error: { code: 'permit.invalid' } });
    expect(runner.calls).toEqual([]);
  });
});

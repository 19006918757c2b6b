// SPDX-License-Identifier: Apache-2.0
//
// A call can use at most what the kernel reserved for it.
import type { CallLimits, PermitMode, Redemption } from '@writ/contract';
import { FakeSandbox, type FakeWorld, type SandboxJob, type SandboxResult } from '@writ/sandbox';
import { InlineRunner } from './inline-runner.ts';
import { SandboxedRunner } from './sandboxed-runner.ts';
import { CLOSED_GATE, ScriptedKernel, tenantId } from '../specs/scripted-kernel.ts';

let kernel: ScriptedKernel;
let root: string;
beforeEach(async () => {
  kernel = await new ScriptedKernel().start();
  root = await kernel.tree({ 'a.txt': 'one\n', 'src/b.txt': 'two\n', 'src/c.txt': 'three\n' });
});
afterEach(() => kernel.close());

const LIMITS: CallLimits = {
  wall_ms: 1000,
  cpu_ms: 1000,
  memory_bytes: 1 << 30,
  pids: 10,
  disk_write_bytes: 100,
  output_bytes: 1000,
};
const limited = (limits: Partial<CallLimits>): { redemption: Partial<Redemption> } => ({
  redemption: { limits: { ...LIMITS, ...limits } },
});

describe('an inline call', () => {
  /** Each read of the clock advances it by ten milliseconds. */
  const slowly = () =>
    new InlineRunner(kernel.blobs, () => {
      kernel.monotonicMs += 10;
      return kernel.monotonicMs;
    });
  const inline = async (
    toolId: string,
    args: Record<string, unknown>,
    limits: Partial<CallLimits>,
    runner = slowly(),
  ) => {
    await kernel.executor([runner]).run(kernel.order(toolId, args, root, limited(limits)), 'inline');
    return kernel.reports.at(-1);
  };

  it('writes up to its `disk_write_bytes`, and a larger write is neither stored nor reported', async () => {
    const write = (content: string) => inline('fs.write', { path: 'new.txt', content }, { disk_write_bytes: 5 });
    expect(await write('12345')).toMatchObject({ ended: 'exited', usage: { disk_write_bytes: 5 } });
    expect(await write('123456')).toMatchObject({
      ended: 'limit',
      error: { code: 'limit.exceeded', message: expect.stringContaining('`disk_write_bytes` of 5') },
      delta: null,
      delta_ref: null,
      result: null,
      usage: { disk_write_bytes: 0 },
    });
  });

  it.each(['wall_ms', 'cpu_ms'] as const)('ends with a limit at its `%s`', async (dimension) => {
    expect(await inline('fs.search', { pattern: 'o' }, { [dimension]: 15 })).toMatchObject({
      ended: 'limit',
      error: { code: 'limit.exceeded', message: expect.stringContaining(`\`${dimension}\` of 15`) },
      result: null,
    });
    expect(await inline('fs.search', { pattern: 'o' }, {})).toMatchObject({ ended: 'exited' });
  });

  it('stops between its files when its time is over', async () => {
    const search = async (wall_ms: number) => {
      const { runner, read } = reading(10);
      return { ended: (await inline('fs.search', { pattern: 'o' }, { wall_ms }, runner))?.ended, read: read.length };
    };
    const whole = await search(1000);
    const cut = await search(15);
    expect([whole.ended, cut.ended]).toEqual(['exited', 'limit']);
    expect(cut.read).toBeLessThan(whole.read);
  });

  it('ends with a limit when its time passes during the last read', async () => {
    expect((await inline('fs.read', { path: 'a.txt' }, { wall_ms: 500 }, reading(400).runner))?.ended).toBe('limit');
    expect((await inline('fs.read', { path: 'a.txt' }, { wall_ms: 900 }, reading(400).runner))?.ended).toBe('exited');
  });

  /** A runner whose blob reads take so long each, and the hashes that it read. */
  function reading(ms: number): { runner: InlineRunner; read: string[] } {
    const read: string[] = [];
    let now = 0;
    const blobs = new Proxy(kernel.blobs, {
      get: (target, name) => {
        if (name !== 'get') return Reflect.get(target, name) as unknown;
        return (...asked: Parameters<typeof target.get>) => {
          read.push(asked[1]);
          now += ms;
          return target.get(...asked);
        };
      },
    });
    return { read, runner: new InlineRunner(blobs, () => now) };
  }
});

/** Records the jobs that it runs. */
class RecordingSandbox extends FakeSandbox {
  readonly jobs: SandboxJob[] = [];
  override run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> {
    this.jobs.push(job);
    return super.run(job, signal);
  }
}

describe('a sandboxed call', () => {
  const limits = { wall_ms: 1_700, cpu_ms: 300, disk_write_bytes: 5, output_bytes: 40, memory_bytes: 123, pids: 7 };

  it('has every limit of its redemption, and its own shorter time limits', async () => {
    const sandbox = new RecordingSandbox({ sleep: () => Promise.resolve(), programs: { go: () => 0 } });
    const executor = kernel.executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)]);
    await executor.run(kernel.order('shell.run', { command: 'go' }, root, limited(limits)), 'sandboxed');
    await executor.run(
      kernel.order('shell.run', { command: 'go', timeout_ms: 200, idle_ms: 1_000 }, root, limited(limits)),
      'sandboxed',
    );
    const expectedLimits = { wallMs: 1_700, cpuMs: 300, deltaBytes: 5, outputBytes: 40, memoryBytes: 123, pids: 7 };
    expect(sandbox.jobs.map((job) => job.limits)).toMatchObject([
      expectedLimits,
      { ...expectedLimits, wallMs: 200, idleMs: 1_000 },
    ]);
    expect(sandbox.jobs[0]?.limits).not.toHaveProperty('idleMs');
  });

  it.each([undefined, 'host', 'agent'] as const)(
    'reports who counted the usage of its sandbox: %s',
    async (countedBy) => {
      class Counted extends FakeSandbox {
        override async run(...asked: Parameters<FakeSandbox['run']>): Promise<SandboxResult> {
          const result = await super.run(...asked);
          return { ...result, usage: { ...result.usage, cpuMs: 7, ...(countedBy === undefined ? {} : { countedBy }) } };
        }
      }
      const sandbox = new Counted({ sleep: () => Promise.resolve(), programs: { go: () => 0 } });
      await kernel
        .executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)])
        .run(kernel.order('shell.run', { command: 'go' }, root, limited(limits)), 'sandboxed');
      const usage = kernel.reports.at(-1)?.usage;
      expect([usage?.cpu_ms, usage?.counted_by]).toEqual([7, countedBy]);
      // A member without a value must be absent: JSON would drop it, and the kernel compares what it received.
      expect(Object.hasOwn(usage ?? {}, 'counted_by')).toBe(countedBy !== undefined);
    },
  );

  it('has its full output stored beyond its result for a run, and not for a preview', async () => {
    const programs = {
      go: (world: FakeWorld) => {
        world.out('0123456789'.repeat(10));
        world.err('warned');
        return 0;
      },
    };
    const sandbox = new RecordingSandbox({ sleep: () => Promise.resolve(), programs });
    const executor = kernel.executor([
      new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE, { capturedBytesMax: 90 }),
    ]);
    const perform = (mode: PermitMode) =>
      executor.run(
        kernel.order('shell.run', { command: 'go' }, root, { ...limited(limits), permit: { mode } }),
        'sandboxed',
      );
    await perform('run');
    await perform('preview');
    const [report, preview] = kernel.reports;
    expect(sandbox.jobs.map((job) => job.limits.tapBytes)).toEqual([90, undefined]);
    const shown = { output: `${'0123456789'.repeat(4)}\n[output cut: 66 more bytes]`, truncated_bytes: 66 };
    expect([report?.result, preview?.result]).toMatchObject([shown, shown]);
    expect(report?.output_refs).toMatchObject({ stdout: { size: 90, cut: true }, stderr: { size: 0, cut: true } });
    expect(Buffer.from(await kernel.blobs.get(tenantId, report!.output_refs!.stdout.sha256)).toString()).toBe(
      '0123456789'.repeat(9),
    );
    expect(preview).not.toHaveProperty('output_refs');
  });

  it('that ends by silence names `idle_ms` in its hint', async () => {
    const sandbox = new FakeSandbox({ sleep: () => Promise.resolve(), programs: { go: () => 'never' } });
    const executor = kernel.executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)]);
    await executor.run(
      kernel.order('shell.run', { command: 'go', idle_ms: 1_000 }, root, limited(limits)),
      'sandboxed',
    );
    expect(kernel.reports.at(-1)).toMatchObject({
      ended: 'timeout',
      error: { code: 'command.timeout', hint: expect.stringContaining('`idle_ms`') },
      delta: { changes: [] },
    });
  });

  it("whose files don't fit into a container is refused before it acquires one", async () => {
    const sandbox = new RecordingSandbox({ sleep: () => Promise.resolve(), programs: { go: () => 0 } });
    const large = await kernel.treeOfSize(257);
    await kernel
      .executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)])
      .run(kernel.order('shell.run', { command: 'go' }, large, limited(limits)), 'sandboxed');
    expect(kernel.reports.at(-1)).toMatchObject({
      ended: 'limit',
      error: { code: 'limit.exceeded', message: expect.stringContaining('257 MiB, more than the 256 MiB') },
      delta: { changes: [] },
    });
    expect(sandbox.jobs).toEqual([]);
  });

  it('whose files fit acquires a container with room for its largest effect', async () => {
    const sandbox = new RecordingSandbox({ sleep: () => Promise.resolve(), programs: { go: () => 0 } });
    const executor = kernel.executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)]);
    await executor
      .run(kernel.order('shell.run', { command: 'go' }, await kernel.treeOfSize(256), limited(limits)), 'sandboxed')
      .catch(() => undefined);
    expect(sandbox.jobs.map((job) => job.limits.tmpfsBytes)).toEqual([(256 + 256) * 2 ** 20]);
  });

  it.each([
    ['cpu', () => 'busy' as const, 'limit', 'limit.exceeded'],
    ['wall', () => 'never' as const, 'timeout', 'command.timeout'],
  ])('that reaches its %s limit ends without an effect', async (_limit, go, ended, code) => {
    const sandbox = new FakeSandbox({ sleep: () => Promise.resolve(), programs: { go } });
    await kernel
      .executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)])
      .run(kernel.order('shell.run', { command: 'go' }, root, limited(limits)), 'sandboxed');
    expect(kernel.reports.at(-1)).toMatchObject({ ended, error: { code }, delta: { changes: [] } });
  });

  it('that writes more than its limit ends without an effect', async () => {
    const sandbox = new FakeSandbox({
      sleep: () => Promise.resolve(),
      programs: {
        go: (world) => {
          world.files.set('new', { path: 'new', kind: 'file', mode: '644', bytes: Buffer.from('123456') });
          return 0;
        },
      },
    });
    await kernel
      .executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)])
      .run(kernel.order('shell.run', { command: 'go' }, root, limited(limits)), 'sandboxed');
    expect(kernel.reports.at(-1)).toMatchObject({
      ended: 'limit',
      error: { code: 'limit.exceeded' },
      delta: { changes: [] },
    });
  });
});

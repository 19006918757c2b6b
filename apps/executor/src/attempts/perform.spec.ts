// SPDX-License-Identifier: Apache-2.0
import { Fault, type FaultCode, type TenantId } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { FakeSandbox } from '@writ/sandbox';
import { InlineRunner } from '../runners/inline-runner.ts';
import { Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import { SandboxedRunner } from '../runners/sandboxed-runner.ts';
import { CLOSED_GATE, refuse, ScriptedKernel } from '../specs/scripted-kernel.ts';

const nothing: Staged = {
  ended: 'exited',
  exitCode: 0,
  error: null,
  delta: null,
  blobs: [],
  result: { ok: true },
  usage: { wall_ms: 0, cpu_ms: 0, memory_peak_bytes: 0, disk_write_bytes: 0, output_bytes: 0 },
};

/** Runs a function of the test in place of a command. */
class TestRunner extends Runner {
  override readonly toolClass = 'sandboxed';
  runs = 0;
  readonly #body: (call: Call, context: RunContext) => Promise<Staged>;

  constructor(body: (call: Call, context: RunContext) => Promise<Staged> = () => Promise.resolve(nothing)) {
    super();
    this.#body = body;
  }

  override run(call: Call, context: RunContext): Promise<Staged> {
    this.runs += 1;
    return this.#body(call, context);
  }
}

const untilAborted = (_call: Call, { signal }: RunContext): Promise<Staged> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ ...nothing, ended: 'killed' })));

describe('one permit', () => {
  let kernel: ScriptedKernel;
  let root: string;
  beforeEach(async () => {
    kernel = await new ScriptedKernel().start();
    root = await kernel.tree({ 'a.txt': 'one\n', 'src/b.txt': 'two\n' });
  });
  afterEach(() => kernel.close());

  it("an admitted `fs.read` returns the file's content in its report", async () => {
    const message = kernel.order('fs.read', { path: 'src/b.txt' }, root);
    expect(await kernel.executor([new InlineRunner(kernel.blobs, () => 0)]).run(message, 'inline')).toBe('reported');
    expect(message.settled).toEqual(['ack']);
    expect(kernel.reports[0]).toMatchObject({
      ended: 'exited',
      delta: null,
      result: { content: 'two\n', path: 'src/b.txt' },
    });
  });

  it('short contents travel in the report and are not stored', async () => {
    const message = kernel.order('fs.write', { path: 'src/c.txt', content: 'three' }, root);
    expect(await kernel.executor([new InlineRunner(kernel.blobs, () => 0)]).run(message, 'inline')).toBe('reported');
    expect(kernel.reports[0]).toMatchObject({ contents: [Buffer.from('three').toString('base64')] });
    expect(
      (await kernel.blobs.has(kernel.redemption.tenant_id as TenantId, [sha256Hex(Buffer.from('three'))])).size,
    ).toBe(0);
  });

  it('a tree node that came with the call is found by its own hash only', async () => {
    const [mine, foreign] = [canonicalBytes({ entries: [], v: 1 }), canonicalBytes({ entries: [], v: 2 })];
    const message = kernel.order('fs.list', {}, sha256Hex(mine), {
      redemption: { nodes: [mine, foreign].map((bytes) => Buffer.from(bytes).toString('base64')) },
    });
    expect(await kernel.executor([new InlineRunner(kernel.blobs, () => 0)]).run(message, 'inline')).toBe('reported');
    expect(kernel.reports[0]).toMatchObject({ ended: 'exited', result: { entries: [] } });
    const other = kernel.order('fs.list', {}, root, { redemption: { nodes: [Buffer.from(mine).toString('base64')] } });
    await kernel.executor([new InlineRunner(kernel.blobs, () => 0)]).run(other, 'inline');
    expect(kernel.reports[1]).toMatchObject({ result: { entries: [expect.anything(), expect.anything()] } });
  });

  it('long contents are stored before the report names them', async () => {
    const message = kernel.order('fs.write', { path: 'src/c.txt', content: 'three'.repeat(10_000) }, root);
    kernel.onReport = (report) => {
      const [change] = (report['delta'] as { changes: { after: { sha256: string } }[] }).changes;
      return kernel.blobs.has(kernel.redemption.tenant_id as TenantId, [change!.after.sha256]).then((there) => {
        expect(there.size).toBe(1);
        return { v: 1, state: 'committed', tx_outcome: 'committed' };
      });
    };
    expect(await kernel.executor([new InlineRunner(kernel.blobs, () => 0)]).run(message, 'inline')).toBe('reported');
  });

  it('a call reads only paths that every token of the chain grants', async () => {
    const fs = [[{ path: '', read: true, write: true }], [{ path: 'a.txt', read: true, write: false }]];
    const message = kernel.order('fs.read', { path: 'src/b.txt' }, root, { redemption: { fs } });
    await kernel.executor([new InlineRunner(kernel.blobs, () => 0)]).run(message, 'inline');
    expect(kernel.reports[0]).toMatchObject({ ended: 'failed', error: { code: 'token.scope' } });
  });

  it('a permit that is forged, expired or for another lane is refused and runs nothing', async () => {
    const runner = new TestRunner();
    const executor = kernel.executor([runner]);
    const forged = kernel.order('shell.run', { command: 'true' }, root);
    const text = Buffer.from(forged.bytes).toString();
    expect(
      await executor.run(
        {
          ...forged,
          bytes: Buffer.from(text.replace(/"sig":"(.)/, (_, c: string) => `"sig":"${c === 'A' ? 'B' : 'A'}`)),
        },
        'sandboxed',
      ),
    ).toBe('refused');
    expect(await executor.run({ ...forged, bytes: Buffer.from('not json') }, 'sandboxed')).toBe('refused');
    expect(
      await executor.run(
        kernel.order('shell.run', { command: 'true' }, root, {
          permit: { issued_at: kernel.epochMs - 35_001, expires_at: kernel.epochMs - 5_001 },
        }),
        'sandboxed',
      ),
    ).toBe('refused');
    expect(await executor.run(kernel.order('shell.run', { command: 'true' }, root), 'inline')).toBe('refused');
    expect(runner.runs).toBe(0);
    expect(kernel.requestedVerbs).toEqual([]);
  });

  it('a preview runs like a call, and each request to the kernel carries its mode', async () => {
    const message = kernel.order('fs.write', { path: 'src/c.txt', content: 'three' }, root, {
      permit: { mode: 'preview' },
    });
    expect(await kernel.executor([new InlineRunner(kernel.blobs, () => 0)]).run(message, 'inline')).toBe('reported');
    expect(kernel.reports[0]).toMatchObject({
      mode: 'preview',
      ended: 'exited',
      asked_for: [],
      delta: { changes: [{ path: 'src/c.txt' }] },
    });
  });

  it('a preview starts no external effect and reports that the call requested one', async () => {
    let left = false;
    const runner = new TestRunner(async (_call, context) => {
      await context.announceEffectStarted(null).then(
        () => {
          left = true;
        },
        () => undefined,
      );
      return nothing;
    });
    await kernel
      .executor([runner])
      .run(kernel.order('shell.run', { command: 'true' }, root, { permit: { mode: 'preview' } }), 'sandboxed');
    expect(left).toBe(false);
    expect(kernel.requestedVerbs).not.toContain('kernel.effect_started');
    expect(kernel.reports[0]).toMatchObject({ mode: 'preview', asked_for: [{ kind: 'egress' }] });
  });

  it('a redemption that differs from its permit runs nothing', async () => {
    const runner = new TestRunner();
    for (const redemption of [
      { args: { command: 'rm -rf src' } },
      { policy_hash: '1'.repeat(64) },
      { tool_id: 'fs.read' },
      { args_salt: Buffer.alloc(32).toString('base64') },
    ]) {
      await kernel
        .executor([runner])
        .run(kernel.order('shell.run', { command: 'true' }, root, { redemption }), 'sandboxed');
    }
    expect(runner.runs).toBe(0);
    expect(kernel.reports.map((report) => report.ended)).toEqual(['invalid', 'invalid', 'invalid', 'invalid']);
  });

  it('a call for an image that this executor lacks goes back to the lane', async () => {
    const message = kernel.order('shell.run', { command: 'true' }, root, {
      permit: { image_digest: `sha256:${'2'.repeat(64)}` },
    });
    expect(await kernel.executor([new TestRunner()]).run(message, 'sandboxed')).toBe('not_ours');
    expect(message.settled).toEqual(['nak']);
  });

  it.each([
    ['image', { permit: { registered_image: true as const, image_digest: `sha256:${'2'.repeat(64)}` } }],
    ['definition of its tool', { redemption: { tool_definition_digest: '1'.repeat(64) } }],
  ])(
    'a call that another version decided, with another %s, is given back unrun, and no executor counts as lost',
    async (_what, change) => {
      const runner = new TestRunner();
      const message = kernel.order('shell.run', { command: 'true' }, root, change);
      expect(await kernel.executor([runner]).run(message, 'sandboxed')).toBe('not_ours');
      expect([runner.runs, kernel.reports]).toEqual([0, []]);
      expect(kernel.released).toMatchObject([
        { stopping: true, operation_id: kernel.redemption.operation_id, attempt: 1 },
      ]);
    },
  );

  it('a redemption whose reply is lost is repeated with the same nonce', async () => {
    const nonces: unknown[] = [];
    kernel.onRedeem = (request) => {
      nonces.push(request['nonce']);
      if (nonces.length < 3) throw new Fault('bus.unreachable');
      return kernel.redemption;
    };
    expect(
      await kernel.executor([new TestRunner()]).run(kernel.order('shell.run', { command: 'true' }, root), 'sandboxed'),
    ).toBe('reported');
    expect(nonces).toHaveLength(3);
    expect(new Set(nonces).size).toBe(1);
  });

  it.each<[string, readonly FaultCode[], readonly string[]]>([
    ['goes back to the lane, and the slot is for other calls', ['overloaded', 'overloaded'], ['nak']],
    ['is kept where a reply may be lost', ['bus.unreachable', 'overloaded', 'overloaded'], ['ack']],
  ])('a permit that the kernel puts off for seconds %s', async (_what, faults, settled) => {
    const left = [...faults];
    kernel.onRedeem = (request) => {
      kernel.monotonicMs += 3_000;
      const fault = left.shift();
      return fault === undefined ? kernel.redemption : refuse(fault)(request);
    };
    const message = kernel.order('shell.run', {}, root);
    await kernel.executor([new TestRunner()]).run(message, 'sandboxed');
    expect(message.settled).toEqual(settled);
  });

  it('a spent permit is acknowledged and runs nothing', async () => {
    kernel.onRedeem = refuse('permit.spent');
    const runner = new TestRunner();
    const message = kernel.order('shell.run', { command: 'true' }, root);
    expect(await kernel.executor([runner]).run(message, 'sandboxed')).toBe('not_ours');
    expect([runner.runs, message.settled]).toEqual([0, ['ack']]);
  });

  it('a report whose answer is lost is repeated while the lease lives', async () => {
    let times = 0;
    kernel.onReport = () => {
      if (++times < 3) throw new Fault('deadline');
      return { v: 1, state: 'committed', tx_outcome: 'committed' };
    };
    expect(
      await kernel.executor([new TestRunner()]).run(kernel.order('shell.run', { command: 'true' }, root), 'sandboxed'),
    ).toBe('reported');
    expect(times).toBe(3);
  });

  it('an executor that was frozen past its lease reports nothing', async () => {
    const runner = new TestRunner(() => {
      kernel.monotonicMs += kernel.leaseMs;
      return Promise.resolve(nothing);
    });
    expect(await kernel.executor([runner]).run(kernel.order('shell.run', { command: 'true' }, root), 'sandboxed')).toBe(
      'fenced',
    );
    expect(kernel.reports).toEqual([]);
  });

  it('contents of an effect are not stored after the lease has expired', async () => {
    const effect = { ...nothing, blobs: [Buffer.from('late'.repeat(10_000))] };
    const runner = new TestRunner(() => {
      kernel.monotonicMs += kernel.leaseMs;
      return Promise.resolve(effect);
    });
    await kernel.executor([runner]).run(kernel.order('shell.run', { command: 'true' }, root), 'sandboxed');
    expect((await kernel.blobs.has(kernel.redemption.tenant_id as TenantId, [sha256Hex(effect.blobs[0]!)])).size).toBe(
      0,
    );
  });

  it.each([
    [
      'a renewal is answered with stop',
      (k: ScriptedKernel) => {
        k.onRenew = () => ({ v: 1, lease_until: 0, stop: true });
      },
    ],
    [
      'a renewal is fenced',
      (k: ScriptedKernel) => {
        k.onRenew = refuse('attempt.fenced');
      },
    ],
  ])('the running call is killed when %s', async (_, arrange) => {
    arrange(kernel);
    expect(
      await kernel
        .executor([new TestRunner(untilAborted)])
        .run(kernel.order('shell.run', { command: 'sleep 9' }, root), 'sandboxed'),
    ).toBe('fenced');
    expect(kernel.reports).toEqual([]);
  });

  it('a stop event kills the running call that it names', async () => {
    const stopping = new TestRunner((call, context) => {
      const run = untilAborted(call, context);
      kernel.running.stop(call.operationId);
      return run;
    });
    expect(
      await kernel.executor([stopping]).run(kernel.order('shell.run', { command: 'sleep 9' }, root), 'sandboxed'),
    ).toBe('fenced');
  });

  it.each([
    ['when the executor stops', true, (k: ScriptedKernel) => k.running.stopAll()],
    ['when the kernel stops it', false, (k: ScriptedKernel, id: string) => k.running.stop(id)],
  ])('an attempt is released %s, only after everything of it is dead', async (_why, stopping, stop) => {
    let released = -1;
    const runner = new TestRunner(async (call, context) => {
      const run = untilAborted(call, context);
      stop(kernel, call.operationId);
      const staged = await run;
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      released = kernel.released.length;
      return staged;
    });
    expect(
      await kernel.executor([runner]).run(kernel.order('shell.run', { command: 'sleep 9' }, root), 'sandboxed'),
    ).toBe('fenced');
    expect([released, kernel.released.length]).toEqual([0, 1]);
    expect(kernel.released[0]).toMatchObject({ stopping, operation_id: kernel.redemption.operation_id, attempt: 1 });
    expect(kernel.reports).toEqual([]);
  });

  it('an attempt that the executor no longer owns is not released', async () => {
    kernel.onRenew = refuse('attempt.fenced');
    await kernel
      .executor([new TestRunner(untilAborted)])
      .run(kernel.order('shell.run', { command: 'sleep 9' }, root), 'sandboxed');
    const late = new TestRunner((call, context) => {
      const run = untilAborted(call, context);
      kernel.monotonicMs += kernel.leaseMs;
      kernel.running.stopAll();
      return run;
    });
    await kernel.executor([late]).run(kernel.order('shell.run', { command: 'sleep 9' }, root), 'sandboxed');
    expect(kernel.released).toEqual([]);
  });

  it.each([
    ['fenced', refuse('attempt.fenced')],
    ['answered with a stop', () => ({ v: 1, lease_until: 0, stop: true })],
  ])('no external effect begins that the kernel %s', async (_, answer) => {
    kernel.onEffect = answer;
    let left = false;
    const runner = new TestRunner(async (_call, context) => {
      await context.announceEffectStarted(null);
      left = true;
      return nothing;
    });
    expect(await kernel.executor([runner]).run(kernel.order('shell.run', { command: 'true' }, root), 'sandboxed')).toBe(
      'fenced',
    );
    expect(left).toBe(false);
  });

  it('a command sees only files that its token reads, and its delta compares with the snapshot', async () => {
    let seen: string[] = [];
    const sandbox = new FakeSandbox({
      sleep: () => Promise.resolve(),
      programs: {
        go: (world) => {
          seen = [...world.files.keys()];
          world.files.set('a.txt', { path: 'a.txt', kind: 'file', mode: '755', bytes: Buffer.from('mine') });
          world.out('done\n');
          return 3;
        },
      },
    });
    const fs = [[{ path: 'src', read: true, write: true }]];
    const message = kernel.order('shell.run', { command: 'go' }, root, { redemption: { fs } });
    expect(
      await kernel.executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)]).run(message, 'sandboxed'),
    ).toBe('reported');
    expect(seen.sort()).toEqual(['src', 'src/b.txt']);
    expect(kernel.reports[0]).toMatchObject({
      ended: 'exited',
      exit_code: 3,
      result: { exit_code: 3, output: 'done\n' },
      delta: {
        changes: [{ path: 'a.txt', before: { kind: 'file', mode: '644', size: 4 }, after: { mode: '755', size: 4 } }],
      },
    });
  });

  it('a container that dies under its command is reported as a killed command', async () => {
    const sandbox = new FakeSandbox({
      sleep: () => Promise.resolve(),
      programs: { go: () => ({ ended: 'lost', reason: 'container' }) },
    });
    expect(
      await kernel
        .executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)])
        .run(kernel.order('shell.run', { command: 'go' }, root), 'sandboxed'),
    ).toBe('reported');
    expect(kernel.reports).toMatchObject([
      { ended: 'killed', error: { code: 'command.killed' }, delta: { changes: [] } },
    ]);
  });

  it.each(['a\nb', `${'d/'.repeat(64)}x`])('a file name that no workspace accepts is invalid', async (path) => {
    const sandbox = new FakeSandbox({
      sleep: () => Promise.resolve(),
      programs: {
        go: (world) => {
          world.files.set(path, { path, kind: 'file', mode: '644', bytes: Buffer.from('x') });
          return 0;
        },
      },
    });
    expect(
      await kernel
        .executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)])
        .run(kernel.order('shell.run', { command: 'go' }, root), 'sandboxed'),
    ).toBe('reported');
    expect(kernel.reports).toMatchObject([{ ended: 'invalid', error: { code: 'effect.invalid' }, delta: null }]);
  });

  it('an attempt whose engine is lost is not reported and waits for its lease to expire', async () => {
    const sandbox = new FakeSandbox({
      sleep: () => Promise.resolve(),
      programs: { go: () => ({ ended: 'lost', reason: 'engine' }) },
    });
    const message = kernel.order('shell.run', { command: 'go' }, root);
    await expect(
      kernel.executor([new SandboxedRunner(sandbox, kernel.blobs, CLOSED_GATE)]).run(message, 'sandboxed'),
    ).rejects.toThrow();
    expect(kernel.reports).toEqual([]);
  });
});

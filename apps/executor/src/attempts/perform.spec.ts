// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
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

/** Runs what the test says in place of a command. */
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

  it('reads a file and reports it', async () => {
    const message = kernel.order('fs.read', { path: 'src/b.txt' }, root);
    expect(await kernel.executor([new InlineRunner(kernel.blobs, () => 0)]).run(message, 'inline')).toBe('reported');
    expect(message.settled).toEqual(['ack']);
    expect(kernel.reports[0]).toMatchObject({
      ended: 'exited',
      delta: null,
      result: { content: 'two\n', path: 'src/b.txt' },
    });
  });

  it('sends short contents along with the report that names them, and stores nothing', async () => {
    const message = kernel.order('fs.write', { path: 'src/c.txt', content: 'three' }, root);
    expect(await kernel.executor([new InlineRunner(kernel.blobs, () => 0)]).run(message, 'inline')).toBe('reported');
    expect(kernel.reports[0]).toMatchObject({ contents: [Buffer.from('three').toString('base64')] });
    expect(
      (await kernel.blobs.has(kernel.redemption.tenant_id as TenantId, [sha256Hex(Buffer.from('three'))])).size,
    ).toBe(0);
  });

  it("takes a node that came with the call by the hash that it has, and none that is another's", async () => {
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

  it('stores what is longer before it reports it', async () => {
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

  it('may read only what every token of the chain reaches', async () => {
    const fs = [[{ path: '', read: true, write: true }], [{ path: 'a.txt', read: true, write: false }]];
    const message = kernel.order('fs.read', { path: 'src/b.txt' }, root, { redemption: { fs } });
    await kernel.executor([new InlineRunner(kernel.blobs, () => 0)]).run(message, 'inline');
    expect(kernel.reports[0]).toMatchObject({ ended: 'failed', error: { code: 'token.scope' } });
  });

  it('runs nothing for a permit that is forged, expired, or of another lane', async () => {
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
    expect(kernel.asked).toEqual([]);
  });

  it('runs a preview as it runs a call, and says at every turn that it is one', async () => {
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

  it('begins no effect outside in a preview, and reports that one was asked for', async () => {
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
    expect(kernel.asked).not.toContain('kernel.effect_started');
    expect(kernel.reports[0]).toMatchObject({ mode: 'preview', asked_for: [{ kind: 'egress' }] });
  });

  it('runs nothing when what was redeemed is not what the permit orders', async () => {
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

  it('leaves a call for another image to another executor', async () => {
    const message = kernel.order('shell.run', { command: 'true' }, root, {
      permit: { image_digest: `sha256:${'2'.repeat(64)}` },
    });
    expect(await kernel.executor([new TestRunner()]).run(message, 'sandboxed')).toBe('not_ours');
    expect(message.settled).toEqual(['nak']);
  });

  it('asks again with the same nonce when the reply of a redemption is lost', async () => {
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

  it('lets a spent permit go', async () => {
    kernel.onRedeem = refuse('permit.spent');
    const runner = new TestRunner();
    const message = kernel.order('shell.run', { command: 'true' }, root);
    expect(await kernel.executor([runner]).run(message, 'sandboxed')).toBe('not_ours');
    expect([runner.runs, message.settled]).toEqual([0, ['ack']]);
  });

  it('repeats a report whose answer was lost, while its lease lives', async () => {
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

  it('says nothing after it was frozen past its lease', async () => {
    const runner = new TestRunner(() => {
      kernel.monotonicMs += kernel.leaseMs;
      return Promise.resolve(nothing);
    });
    expect(await kernel.executor([runner]).run(kernel.order('shell.run', { command: 'true' }, root), 'sandboxed')).toBe(
      'fenced',
    );
    expect(kernel.reports).toEqual([]);
  });

  it('stores nothing for an effect after its lease is gone', async () => {
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
      'a renewal says stop',
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
  ])('kills what runs when %s', async (_, arrange) => {
    arrange(kernel);
    expect(
      await kernel
        .executor([new TestRunner(untilAborted)])
        .run(kernel.order('shell.run', { command: 'sleep 9' }, root), 'sandboxed'),
    ).toBe('fenced');
    expect(kernel.reports).toEqual([]);
  });

  it('kills what runs when a stop event names it', async () => {
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
    ['since it stops', true, (k: ScriptedKernel) => k.running.stopAll()],
    ['since the kernel said so', false, (k: ScriptedKernel, id: string) => k.running.stop(id)],
  ])('gives an attempt back %s, and not before all of it is dead', async (_why, stopping, stop) => {
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

  it('gives nothing back of an attempt that is not its own any more', async () => {
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
    ['has not heard of', refuse('attempt.fenced')],
    ['was told of and answered with a stop', () => ({ v: 1, lease_until: 0, stop: true })],
  ])('lets no effect begin that the kernel %s', async (_, answer) => {
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

  it('runs a command on what the token may read, and reports the change against what is really there', async () => {
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

  it('reports a container that its command took down as a command that was killed', async () => {
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

  it.each(['a\nb', `${'d/'.repeat(64)}x`])('reports names that no workspace takes as no effect', async (path) => {
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

  it('leaves the attempt to its lease when the engine is lost', async () => {
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

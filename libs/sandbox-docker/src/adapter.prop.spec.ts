// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { AgentMessage, SandboxResult } from '@writ/sandbox';
import { DockerSandbox } from './docker-sandbox.ts';
import { fakeEngine, framed, said } from './fake-engine.contract.ts';

const LIMITS = {
  memoryBytes: 1,
  cpus: 1,
  pids: 1,
  tmpfsBytes: 1,
  wallMs: 1000,
  cpuMs: 1000,
  outputBytes: 100,
  deltaBytes: 100,
  deltaFiles: 3,
};
const EXIT: AgentMessage = { type: 'exit', code: 0, signal: null, timedOut: false, droppedBytes: 0 };
const HONEST = said(
  { type: 'stdout', sequence: 0, bytes: Buffer.from('hello') },
  EXIT,
  { type: 'change', path: 'f', after: { kind: 'file', mode: '644', size: 3 }, bytes: Buffer.from('abc') },
  { type: 'end', changes: 1 },
);

/** Runs one job whose container writes these bytes, in pieces of this size, and then ends. */
async function runWithOutput(
  bytes: Buffer,
  step = 7,
  kind: 1 | 2 = 1,
): Promise<{ result: SandboxResult; removed: string[] }> {
  const { docker, removed } = fakeEngine((stream) => {
    const stuffed = framed(bytes, kind);
    for (let at = 0; at < stuffed.length; at += step) stream.push(stuffed.subarray(at, at + step));
    stream.push(null);
  });
  const sandbox = await DockerSandbox.open({ docker, label: 'test', owner: 'test', pools: [] });
  const job = { image: 'x', files: [], command: 'true', cwd: '', env: {}, labels: {}, limits: LIMITS };
  const result = await sandbox.run(job, new AbortController().signal);
  await sandbox.close();
  return { result, removed };
}

test('a job with an honest agent succeeds, and its container is removed', async () => {
  const { result, removed } = await runWithOutput(HONEST);
  expect(result).toMatchObject({
    ended: 'exited',
    exitCode: 0,
    changes: [{ path: 'f', before: null }],
    usage: { cpuMs: 5, memoryPeakBytes: 7, outputBytes: 5, countedBy: 'host' },
  });
  expect(removed).toEqual(['container-1']);
});

test('a stream that ends early loses the job', async () => {
  for (const length of [0, 3, 20, HONEST.length - 1]) {
    const { result, removed } = await runWithOutput(HONEST.subarray(0, length));
    expect([result.ended, result.reason, result.changes, removed.length]).toEqual(['lost', 'container', [], 1]);
  }
});

test('for any bytes, the job ends in a defined way, within its bounds, and its container is removed', async () => {
  const streams = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    // Honest output with a few bytes replaced: it gets past the first header more often than noise.
    fc.array(fc.tuple(fc.nat(HONEST.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }).map((edits) => {
      const bytes = Buffer.from(HONEST);
      for (const [at, value] of edits) bytes.writeUInt8(value, at);
      return bytes;
    }),
  );
  // In parallel: a stream that just ends waits for the engine to explain its end, which is most of this test's time.
  await Promise.all(
    fc.sample(fc.tuple(streams, fc.integer({ min: 1, max: 64 })), 500).map(async ([bytes, step]) => {
      const { result, removed } = await runWithOutput(bytes, step);
      const seen = { bytes: bytes.toString('hex'), step };
      expect({ ...seen, known: ['exited', 'timeout', 'invalid', 'limit', 'lost'].includes(result.ended) }).toEqual({
        ...seen,
        known: true,
      });
      expect(result.output.reduce((sum, { bytes: { length } }) => sum + length, 0)).toBeLessThanOrEqual(
        LIMITS.outputBytes,
      );
      expect(result.changes.length).toBeLessThanOrEqual(LIMITS.deltaFiles);
      expect({ ...seen, removed: removed.length }).toEqual({ ...seen, removed: 1 });
    }),
  );
});

test('a flood of the error stream fails the job and is not stored', async () => {
  const { result } = await runWithOutput(Buffer.alloc(100_000, 'x'), 4096, 2);
  expect(result).toMatchObject({ ended: 'invalid', reason: 'protocol' });
  expect(result.detail?.length).toBeLessThan(200);
});

test("an agent whose first message isn't hello is rejected", async () => {
  const { docker } = fakeEngine(() => undefined);
  const create = docker.createContainer.bind(docker);
  docker.createContainer = (async (options: Parameters<typeof create>[0]) => {
    const container = await create(options);
    const stream = await container.attach({});
    container.start = async () => void (stream as unknown as { push(bytes: Buffer): void }).push(framed(said(EXIT)));
    return container;
  }) as typeof docker.createContainer;
  const sandbox = await DockerSandbox.open({ docker, label: 'test', owner: 'test', pools: [] });
  const job = { image: 'x', files: [], command: 'true', cwd: '', env: {}, labels: {}, limits: LIMITS };
  expect(await sandbox.run(job, new AbortController().signal)).toMatchObject({ ended: 'lost', reason: 'engine' });
  await sandbox.close();
});

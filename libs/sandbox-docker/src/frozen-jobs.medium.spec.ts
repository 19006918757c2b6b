// SPDX-License-Identifier: Apache-2.0
//
// A job that speaks with its caller is measured while it runs, and stands still while it is frozen.
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningJob, SandboxResult } from '@writ/sandbox';
import { CONTRACT_LIMITS } from '@writ/sandbox/contract';
import type { DockerSandbox } from './docker-sandbox.ts';
import { openSandbox, until } from './engine.contract.ts';

let sandbox: DockerSandbox;
let image: string;
beforeAll(async () => {
  ({ sandbox, image } = await openSandbox());
}, 240_000);
afterAll(() => sandbox.close(), 240_000);

/** Counts aloud, while a process that has left its session keeps a processor busy. */
const COUNTS = 'setsid bash -c "while :; do :; done" & n=0; while :; do n=$((n+1)); echo $n; sleep 0.01; done';

interface Counting {
  readonly job: RunningJob;
  readonly result: Promise<SandboxResult>;
  readonly count: () => number;
  readonly stop: () => void;
}

async function startCounting(): Promise<Counting> {
  const { promise, resolve } = Promise.withResolvers<{ readonly stdio: Duplex; readonly job: RunningJob }>();
  const stop = new AbortController();
  const result = sandbox.run(
    {
      image,
      files: [],
      command: '',
      argv: ['/bin/bash', '-c', COUNTS],
      cwd: '',
      env: {},
      limits: CONTRACT_LIMITS,
      labels: {},
      stdio: { serve: (stdio, job) => resolve({ stdio, job }) },
    },
    stop.signal,
  );
  const { stdio, job } = await promise;
  let text = '';
  stdio.on('error', () => undefined).on('data', (bytes: Buffer) => (text += bytes.toString()));
  const counting = { job, result, count: () => text.split('\n').length - 1, stop: () => stop.abort() };
  await until('it counts', () => Promise.resolve(counting.count() > 5));
  return counting;
}

test('a job that is frozen neither counts nor computes, and goes on when it is thawed', async () => {
  const { job, count, stop, result } = await startCounting();
  expect(await job.freeze()).toBe(true);
  // What was on its way.
  await sleep(100);
  const [counted, { cpuMs, memoryPeakBytes, countedBy }] = [count(), await job.usage()];
  expect([cpuMs > 0, memoryPeakBytes > 0, countedBy]).toEqual([true, true, 'host']);
  await sleep(600);
  expect([count(), (await job.usage()).cpuMs]).toEqual([counted, cpuMs]);
  await job.thaw();
  await until('it counts on', () => Promise.resolve(count() > counted + 5));
  expect((await job.usage()).cpuMs).toBeGreaterThan(cpuMs);
  stop();
  expect(await result).toMatchObject({ ended: 'killed' });
});

test('a job that is frozen ends at once when it is stopped, and nothing of it is left', async () => {
  const { job, stop, result } = await startCounting();
  await job.freeze();
  stop();
  expect(await result).toMatchObject({ ended: 'killed', usage: { countedBy: 'host' } });
  await until('its container is gone', () => Promise.resolve(sandbox.containers.length === 0));
});

test('a job that has ended can be neither frozen nor thawed, and is still answered for', async () => {
  const { job, stop, result } = await startCounting();
  stop();
  await result;
  await until('its container is gone', () => Promise.resolve(sandbox.containers.length === 0));
  await expect(job.freeze()).rejects.toThrow();
  await expect(job.thaw()).rejects.toThrow();
  expect(await job.usage()).toEqual({ cpuMs: 0, memoryPeakBytes: 0, outOfMemory: null });
});

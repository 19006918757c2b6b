// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorld, startStack, type Stack, type World } from '@writ/stack';
import { measure, summarise, type Load, type Metric } from '../measure.ts';
import { callToReceipt, makeWorlds } from './calls.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

const OPEN_PER_SECOND = 3;
const OPEN_CALLS = 240;
/** Half a minute: new processes compile while they answer, which takes a tenth of a call's time. */
const OPEN_WARM_UP = 100;
const RATE_CLIENTS = 4;
const RATE_MS = 30_000;
const FILES = 1_000;
const FILE_BYTES = 20 * 1024;
/** Files in one request to the API, below its limit. */
const FILES_A_REQUEST = 40;

const runTrue = (world: World): Promise<void> => callToReceipt(world, 'shell.run', { command: 'true' });

/**
 * One `shell.run` of `true`, until its receipt is in the log, as an open loop. Calls arrive as a Poisson process of
 * three a second, whether or not earlier ones have ended, so that queueing counts. Given the number of its arrivals, a
 * Poisson process has uniformly distributed arrival times. So every run has the same number of calls.
 */
export async function sandboxedWarm(stack: Stack): Promise<Measured> {
  const world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': '# bench\n' } });
  for (let i = 0; i < OPEN_WARM_UP; i++) await runTrue(world).then(() => sleep(1_000 / OPEN_PER_SECOND));
  const times: number[] = [];
  const sent: Promise<void>[] = [];
  const due = Array.from({ length: OPEN_CALLS }, () => (Math.random() * OPEN_CALLS * 1_000) / OPEN_PER_SECOND).toSorted(
    (a, b) => a - b,
  );
  const began = performance.now();
  for (const dueAt of due) {
    const ahead = dueAt - (performance.now() - began);
    if (ahead > 0) await sleep(ahead);
    const at = performance.now();
    sent.push(runTrue(world).then(() => void times.push(performance.now() - at)));
  }
  await Promise.all(sent);
  return summarise(times, performance.now() - began);
}

/**
 * Calls of `true` a second by four clients, over half a minute. The pool can't keep up, so that the start of new
 * containers dominates.
 */
export async function sandboxedRate(stack: Stack): Promise<Measured> {
  const worlds = await makeWorlds(stack, RATE_CLIENTS);
  return await measure(
    { clients: RATE_CLIENTS, samples: Number.POSITIVE_INFINITY, warmUp: 0, msMax: RATE_MS },
    (client) => runTrue(worlds[client] as World),
  );
}

/** The same call without a warm pool, in its own stack. */
export async function sandboxedCold(load: Load): Promise<Measured> {
  const stack = await startStack({ env: { executor: { WRIT_POOL_SIZE: '0' } } });
  try {
    const world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': '# bench\n' } });
    return await measure(load, () => runTrue(world));
  } finally {
    await stack.stop();
  }
}

/** The same call in a workspace of 1,000 files and 20 MiB, one at a time, with pauses in which the pool refills. */
export async function sandboxedWorkspace(stack: Stack, load: Load): Promise<Measured> {
  const world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': '# bench\n' } });
  for (let at = 0; at < FILES; at += FILES_A_REQUEST) {
    const files = Array.from({ length: Math.min(FILES_A_REQUEST, FILES - at) }, (_, i) => ({
      path: `src/${(at + i) % 50}/file-${at + i}.txt`,
      content: randomBytes(FILE_BYTES / 2).toString('hex'),
    }));
    await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, { files });
  }
  const times: number[] = [];
  let spent = 0;
  for (let i = -load.warmUp; i < load.samples; i++) {
    const at = performance.now();
    await runTrue(world);
    const took = performance.now() - at;
    if (i >= 0) times.push(took);
    spent += took;
    await sleep(1_000 / OPEN_PER_SECOND);
  }
  return summarise(times, spent);
}

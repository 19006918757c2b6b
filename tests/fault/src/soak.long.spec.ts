// SPDX-License-Identifier: Apache-2.0
// Calls at an even rate while the executor is killed repeatedly: none is lost, each ends once and correctly, and
// nothing is left behind. This is the short form; `npm run soak` is the long one.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { formatId } from '@writ/contract';
import { eventually, expectCleanLog, makeWorld, Observer, startStack, type Stack, type World } from '@writ/stack';
import { testAddress } from '@writ/testing';
import Docker from 'dockerode';
import { fileOf, load, type Ended } from './soak-load.ts';
import { middleOf, SoakWatch } from './soak-watch.ts';

const SECONDS = Number(process.env['WRIT_SOAK_SECONDS'] ?? 60);
const KILL_SECONDS = Number(process.env['WRIT_SOAK_KILL_SECONDS'] ?? 15);
const PER_SECOND = 2;
const CALLS = SECONDS * PER_SECOND;
const POOL = 2;
const PREPOPULATED = 2;
/** Open connections vary; a leak of one a call would be many times more. */
const FDS_MORE_MAX = 15;
/** Growth of a heap that is not full yet. */
const RSS_MIB_MORE_MAX = 96;
/** Samples of an idle process: the median of that many is robust. */
const SAMPLES_AFTER = 7;
const TUNING = { WRIT_LEASE_MS: '3000', WRIT_PERMIT_TTL_MS: '3000', WRIT_SWEEP_MS: '200' };

vi.setConfig({ testTimeout: (SECONDS + 240) * 1_000, hookTimeout: (SECONDS + 240) * 1_000 });

let stack: Stack;
let world: World;
let observer: Observer;
let watch: SoakWatch;
let ends: readonly Ended[];
let kills = 0;
/** number of samples when the last call had ended */
let samplesAtEnd = 0;

beforeAll(
  async () => {
    const owner = formatId('executor', randomBytes(16));
    process.env['DOCKER_HOST'] = testAddress('DOCKER_HOST');
    stack = await startStack({
      env: {
        kernel: TUNING,
        orchestrator: { WRIT_RATE_PER_SECOND: '100000', WRIT_RATE_BURST: '100000' },
        executor: {
          WRIT_EXECUTOR_ID: owner,
          WRIT_POOL_SIZE: String(POOL),
          WRIT_POOL_PREPOPULATED: String(PREPOPULATED),
        },
      },
    });
    const folders = Array.from({ length: 10 }, (_, i) => [`d${i}/.keep`, '']);
    world = await makeWorld(stack.url, stack.keys.platformKey, {
      files: { 'a.txt': 'one\n', ...Object.fromEntries(folders) },
    });
    observer = new Observer(stack);
    watch = new SoakWatch(stack, new Docker(), owner);
    const loading = load(world, CALLS, PER_SECOND);
    loading.catch(() => undefined);
    kills = await killAgainAndAgain();
    ends = await loading;
    await observer.untilLogged();
    samplesAtEnd = watch.looks;
  },
  (SECONDS + 180) * 1_000,
);
afterAll(async () => {
  watch?.stop();
  await observer?.close();
  await stack?.stop();
  if (ends !== undefined) process.stdout.write(report());
});

/** Kills the executor while it runs a command, once in each interval; it restarts at once. */
async function killAgainAndAgain(): Promise<number> {
  const until = performance.now() + SECONDS * 1_000;
  let count = 0;
  while (performance.now() + KILL_SECONDS * 1_000 <= until) {
    await sleep(KILL_SECONDS * 1_000);
    await eventually(
      'a command under way',
      async () =>
        (await observer.rows(`SELECT 1 FROM kernel.operation WHERE state = 'performing' AND lane = 'sandboxed'`))
          .length > 0,
      10_000,
    ).catch(() => null);
    await stack.services.executor.restart();
    count += 1;
  }
  return count;
}

it('no call is lost, and each ends correctly', () => {
  expect(ends).toHaveLength(CALLS);
  expect(ends.filter(({ outcome, expected }) => outcome !== expected)).toEqual([]);
  expect(ends.filter(({ code, expected }) => code !== (expected === 'rolled_back' ? 'command.failed' : null))).toEqual(
    [],
  );
});

it('every operation has exactly one outcome, in a log that verifies', async () => {
  expect(new Set(ends.map(({ operationId }) => operationId)).size).toBe(CALLS);
  expect(await observer.rows('SELECT count(*)::int4 AS count FROM kernel.operation')).toEqual([{ count: CALLS }]);
  const outcomes = await observer.rows<{ operation_id: string; count: number }>(
    `SELECT operation_id, count(*)::int4 AS count FROM ledger.leaf WHERE kind = 'tool_call' AND phase = 'outcome' GROUP BY operation_id`,
  );
  expect([outcomes.length, outcomes.filter(({ count }) => count !== 1)]).toEqual([CALLS, []]);
  expectCleanLog(stack);
});

it('some calls lost their executors, and ran again', async () => {
  expect(kills).toBeGreaterThan(1);
  expect((await observer.rows('SELECT 1 FROM kernel.operation WHERE attempt > 1')).length).toBeGreaterThan(0);
});

it('every committed file exists once and complete, and no other does', async () => {
  const written = ends
    .map(({ index }) => ({ index, path: fileOf(index) }))
    .filter(({ path }) => path !== null)
    .toSorted((a, b) => a.index - b.index);
  const last = new Map(written.map(({ index, path }) => [path as string, `${index}\n`]));
  for (const [path, text] of last) expect([path, await world.file(path)]).toEqual([path, text]);
  const listed = await observer.rows<{ count: number }>(
    `SELECT count(*)::int4 AS count FROM kernel.snapshot WHERE workspace_id = $1`,
    [world.workspaceId],
  );
  expect(listed[0]?.count).toBeGreaterThan(written.length);
  expect(await world.file('half.txt')).toBeNull();
});

it('only waiting containers remain, and no process or mount of another', async () => {
  const waiting = POOL + PREPOPULATED;
  const kept = await eventually(
    'only the containers that wait',
    async () => {
      const there = await watch.containers();
      return there.length <= waiting ? there : null;
    },
    120_000,
  );
  // As many containers as run beside them, and as many again that are being removed.
  expect(watch.containersMax).toBeLessThanOrEqual(2 * (waiting + 2));
  await eventually('nothing of those that are gone', async () => watch.left(kept).length === 0, 30_000);
});

it('no process uses more descriptors or memory than before', async () => {
  // On a busy machine calls pile up towards the end. Their memory is freed with them; leaked memory is not.
  await eventually(
    'enough samples after the last call',
    () => Promise.resolve(watch.looks - samplesAtEnd >= SAMPLES_AFTER),
    60_000,
  );
  for (const { name, samples, isRunning } of watch.lives.filter(({ samples: { length } }) => length >= 8)) {
    const late = (of: 'fds' | 'rssMib') =>
      isRunning() ? middleOf(samples.slice(-SAMPLES_AFTER), 0, 1, of) : middleOf(samples, 0.75, 1, of);
    const grown = (of: 'fds' | 'rssMib') => late(of) - middleOf(samples, 0.2, 0.45, of);
    expect({
      name,
      fds: grown('fds') > FDS_MORE_MAX ? grown('fds') : 'no more',
      rssMib: grown('rssMib') > RSS_MIB_MORE_MAX ? grown('rssMib') : 'no more',
    }).toEqual({ name, fds: 'no more', rssMib: 'no more' });
  }
});

it('a stopped executor leaves no container', async () => {
  await stack.services.executor.kill('SIGTERM');
  await eventually('no container', async () => (await watch.containers()).length === 0, 30_000);
});

function report(): string {
  const times = ends.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  const outcomes = Object.entries(Object.groupBy(ends, ({ outcome }) => outcome)).map(
    ([outcome, of]) => `${of?.length ?? 0} ${outcome}`,
  );
  const lines = watch.lives.map(
    ({ name, samples }) =>
      `  ${name.padEnd(13)} ${String(samples.length).padStart(5)} s   files ${middleOf(samples, 0.2, 0.45, 'fds')} → ${middleOf(samples, 0.75, 1, 'fds')}   memory ${middleOf(samples, 0.2, 0.45, 'rssMib')} → ${middleOf(samples, 0.75, 1, 'rssMib')} MiB`,
  );
  return [
    '',
    `soak: ${CALLS} calls in ${SECONDS} s, executor killed ${kills} times`,
    `  ended: ${outcomes.join(', ')}; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
    `  containers: ${watch.seen} seen, ${watch.containersMax} at once`,
    ...lines,
    '',
  ].join('\n');
}

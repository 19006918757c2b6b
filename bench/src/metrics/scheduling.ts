// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorld, startStack, type World } from '@writ/stack';
import { summarise, type Metric } from '../measure.ts';
import { pour } from './fairness.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

/** A lane's calls: those that somebody waits for, and those that flood it. */
interface Lane {
  readonly tool: string;
  readonly interactive: object;
  readonly background: object;
  /** interactive calls a second */
  readonly askedPerSecond: number;
  /** background calls a second: more than the lane can run */
  readonly floodPerSecond: number;
}

const LANES = {
  inline: {
    tool: 'fs.read',
    interactive: { path: 'README.md' },
    background: { path: 'README.md' },
    askedPerSecond: 5,
    floodPerSecond: 200,
  },
  sandboxed: {
    tool: 'shell.run',
    interactive: { command: 'true' },
    background: { command: 'sleep 0.5' },
    askedPerSecond: 1,
    floodPerSecond: 10,
  },
} as const satisfies Readonly<Record<string, Lane>>;

const WARM_UP_MS = 3_000;
const QUIET_MS = 10_000;
const FLOOD_MS = 15_000;
/** How long the flood gathers before interactive calls are measured. */
const GATHER_MS = 2_000;

interface Asked extends Measured {
  /** calls that were not answered with a result */
  readonly lost: number;
}

/** Latencies of calls that somebody waits for, and how many did not succeed. */
async function ask(world: World, lane: Lane, forMs: number): Promise<Asked> {
  const times: number[] = [];
  let lost = 0;
  await pour(lane.askedPerSecond, forMs, async () => {
    const at = performance.now();
    const answer = await world.call(lane.tool, lane.interactive).catch(() => null);
    times.push(performance.now() - at);
    if (answer?.status !== 200) lost += 1;
  });
  return { ...summarise(times, forMs), lost };
}

/** The same beside a flood of the same agent, whose answers nobody waits for. */
async function askBesideFlood(world: World, lane: Lane, task_class: string): Promise<Asked> {
  const answers = new Map<number, number>();
  const flood = pour(lane.floodPerSecond, GATHER_MS + FLOOD_MS, async () => {
    const { status } = await world.call(lane.tool, lane.background, { task_class }, 0).catch(() => ({ status: 0 }));
    answers.set(status, (answers.get(status) ?? 0) + 1);
  });
  await sleep(GATHER_MS);
  const asked = await ask(world, lane, FLOOD_MS);
  await flood;
  const reported = [...answers].map(([status, count]) => `${status}: ${count}`).join(', ');
  console.log(
    `  flood of class ${task_class}: answered ${reported}; interactive p95 ${asked.p95} ms, lost ${asked.lost}`,
  );
  return asked;
}

/**
 * What interactive calls of a tenant take while background calls of the same tenant flood the lane. References of the
 * same run: the same calls without a flood, and beside a flood that names no class, as a queue in order of arrival
 * serves it. Each has a tenant of its own; the last flood is measured last, since it is left behind. Own stack.
 */
export async function interactiveBesideFlood(name: keyof typeof LANES): Promise<Measured> {
  const lane = LANES[name];
  const stack = await startStack({
    env: {
      executor: { WRIT_POOL_SIZE: '8', WRIT_SLOTS_SANDBOXED: '4' },
      orchestrator: { WRIT_RATE_PER_SECOND: '100000', WRIT_RATE_BURST: '100000' },
    },
  });
  try {
    const newWorld = (): Promise<World> =>
      makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': '# bench\n' } });
    const world = await newWorld();
    await ask(world, lane, WARM_UP_MS);
    const quiet = await ask(world, lane, QUIET_MS);
    const beside = await askBesideFlood(world, lane, 'background');
    await world.admin.must(`/v1/freezes`, { scope: 'tenant', reason: 'the measurement is over' });
    const unclassed = await askBesideFlood(await newWorld(), lane, 'general');
    const ratio = (of: Measured): string => (of.p95 / quiet.p95).toFixed(2);
    console.log(
      `  p95 without a flood ${quiet.p95} ms; beside background calls ${beside.p95} ms, ratio ${ratio(beside)}; ` +
        `beside calls without a class ${unclassed.p95} ms, ratio ${ratio(unclassed)}`,
    );
    const { lost: _lost, ...measured } = beside;
    return measured;
  } finally {
    await stack.stop();
  }
}

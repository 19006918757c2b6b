// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { makeWorld, startStack, type World } from '@writ/stack';
import { summarise, type Metric } from '../measure.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

const FLOOD_PER_SECOND = 300;
const FLOOD_MS = 30_000;
const QUIET_MS = 15_000;
const VICTIM_PER_SECOND = 5;

/**
 * Sends that many calls a second at an even rate, whether or not earlier ones were answered, as a flood does. Resolves
 * when all have been answered.
 */
export async function pour(perSecond: number, forMs: number, call: () => Promise<void>): Promise<void> {
  const began = performance.now();
  const sent: Promise<void>[] = [];
  for (let i = 0; (i * 1_000) / perSecond < forMs; i++) {
    const due = (i * 1_000) / perSecond - (performance.now() - began);
    if (due > 0) await sleep(due);
    sent.push(call());
  }
  await Promise.all(sent);
}

/** Latencies of a victim's inline calls over that time, and how many did not succeed. */
async function suffer(world: World, forMs: number): Promise<{ times: number[]; lost: number }> {
  const times: number[] = [];
  let lost = 0;
  await pour(VICTIM_PER_SECOND, forMs, async () => {
    const at = performance.now();
    const answer = await world.call('fs.read', { path: 'README.md' }).catch(() => null);
    times.push(performance.now() - at);
    if (answer?.status !== 200 || answer.body.status !== 'ok') lost += 1;
  });
  return { times, lost };
}

/**
 * The effect on a tenant with five inline calls a second when another floods the same orchestrator. The flood has 300
 * calls a second for half a minute, under the default limits. The ratio compares p95 with p95 before the flood. Own
 * stack, on loopback.
 */
export async function fairnessFlood(): Promise<Measured> {
  const stack = await startStack();
  try {
    const [victim, flooder] = [
      await makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': '# bench\n' } }),
      await makeWorld(stack.url, stack.keys.platformKey, { files: { 'README.md': '# bench\n' } }),
    ];
    await suffer(victim, 3_000);
    const quiet = await suffer(victim, QUIET_MS);
    const answers = new Map<number, number>();
    const flood = pour(FLOOD_PER_SECOND, FLOOD_MS, async () => {
      const { status } = await flooder.call('fs.read', { path: 'README.md' }).catch(() => ({ status: 0 }));
      answers.set(status, (answers.get(status) ?? 0) + 1);
    });
    const flooded = await suffer(victim, FLOOD_MS);
    await flood;
    const [before, under] = [summarise(quiet.times, QUIET_MS), summarise(flooded.times, FLOOD_MS)];
    const reported = [...answers].map(([status, count]) => `${status}: ${count}`).join(', ');
    console.log(
      `  quiet p95 ${before.p95} ms, flooded p95 ${under.p95} ms, ratio ${(under.p95 / before.p95).toFixed(2)}, lost ${quiet.lost + flooded.lost}; the flood was answered ${reported}`,
    );
    return under;
  } finally {
    await stack.stop();
  }
}

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
 * Sends so many calls a second, each on its tick, whether or not those before it were answered: a flood doesn't wait.
 * Resolves when all have been answered.
 */
async function pour(perSecond: number, forMs: number, call: () => Promise<void>): Promise<void> {
  const began = performance.now();
  const sent: Promise<void>[] = [];
  for (let i = 0; (i * 1_000) / perSecond < forMs; i++) {
    const due = (i * 1_000) / perSecond - (performance.now() - began);
    if (due > 0) await sleep(due);
    sent.push(call());
  }
  await Promise.all(sent);
}

/** The times of a victim's inline calls over so long, and how many got another answer than their end. */
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
 * What a tenant of five inline calls a second feels of another that floods the same orchestrator with 300 a second for
 * half a minute, under the limits as they are shipped. The ratio is of p95 to p95 in the quiet before. Own stack,
 * loopback, and it ends by itself.
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
    const told = [...answers].map(([status, count]) => `${status}: ${count}`).join(', ');
    console.log(
      `  quiet p95 ${before.p95} ms, flooded p95 ${under.p95} ms, ratio ${(under.p95 / before.p95).toFixed(2)}, lost ${quiet.lost + flooded.lost}; the flood was answered ${told}`,
    );
    return under;
  } finally {
    await stack.stop();
  }
}

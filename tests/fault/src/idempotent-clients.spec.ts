// SPDX-License-Identifier: Apache-2.0
// Many clients with one key, while the processes behind the API are killed: one operation, one effect.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { expectCleanLog, makeWorld, Observer, startStack, type JsonValue, type Stack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const CLIENTS = 32;
/**
 * Seconds of killing, and the least number of kills: on a busy machine a restart takes seconds. Started rounds are
 * finished afterwards.
 */
const CHAOS_MS = 15_000;
const KILLS_MIN = 6;
const TUNING = { WRIT_LEASE_MS: '2000', WRIT_PERMIT_TTL_MS: '2000', WRIT_SWEEP_MS: '200' };
/** Repeats a failed run: WRIT_TEST_SEED=… */
const SEED = Number(process.env['WRIT_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let stack: Stack;
let world: World;
let observer: Observer;

beforeAll(async () => {
  stack = await startStack({
    env: { kernel: TUNING, orchestrator: { WRIT_RATE_PER_SECOND: '100000', WRIT_RATE_BURST: '100000' } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey);
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

/** mulberry32: small, seeded, and good enough to choose what to kill. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Repeats the call until it has ended, as a client that only knows its key. */
async function persist(key: string): Promise<JsonValue> {
  for (;;) {
    const answer = await world
      .call('shell.run', { command: `sleep 0.1; echo once >> ${key}.txt` }, { idempotency_key: key }, 5_000)
      .catch(() => null);
    if (answer?.status === 200) return answer.body;
    expect(answer === null || answer.status === 202 || answer.status >= 500).toBe(true);
    await sleep(100);
  }
}

async function killAtRandom(random: () => number, until: number): Promise<number> {
  let kills = 0;
  while (Date.now() < until || kills < KILLS_MIN) {
    await sleep(200 + random() * 600);
    await (random() < 0.5 ? stack.services.kernel : stack.services.executor).restart();
    kills += 1;
  }
  return kills;
}

it(`${CLIENTS} clients with one key get one operation with one effect, whatever is killed (seed ${SEED})`, async () => {
  const until = Date.now() + CHAOS_MS;
  const killing = killAtRandom(chance(SEED), until);
  const ends: JsonValue[] = [];
  const round = async (): Promise<void> => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: CLIENTS }, () => persist(key)));
    expect({
      seed: SEED,
      operations: new Set(answers.map(({ operation_id }) => operation_id as string)).size,
      outcomes: new Set(answers.map(({ tx_outcome }) => tx_outcome as string)).size,
    }).toEqual({ seed: SEED, operations: 1, outcomes: 1 });
    ends.push({ key, ...answers[0] });
  };
  let isKilling = true;
  const ended = (): void => {
    isKilling = false;
  };
  void killing.then(ended, ended);
  while (isKilling) await round();
  expect(await killing).toBeGreaterThanOrEqual(KILLS_MIN);
  // A call whose processes survived has an effect, whatever the seed.
  await round();
  await observer.untilLogged();
  for (const { key, operation_id, tx_outcome, error } of ends) {
    // A call may lose three executors; then it has no effect.
    expect({ seed: SEED, tx_outcome, code: error?.code ?? null }).toEqual({
      seed: SEED,
      ...(tx_outcome === 'committed'
        ? { tx_outcome: 'committed', code: null }
        : { tx_outcome: 'rolled_back', code: 'attempts.exhausted' }),
    });
    expect(await world.file(`${key as string}.txt`)).toBe(tx_outcome === 'committed' ? 'once\n' : null);
    expect(await observer.outcomes(operation_id as string)).toBe(1);
    expect(await observer.rows('SELECT 1 FROM kernel.operation WHERE idempotency_key = $1', [key])).toHaveLength(1);
  }
  expect(ends.at(-1)?.tx_outcome).toBe('committed');
  expectCleanLog(stack);
});

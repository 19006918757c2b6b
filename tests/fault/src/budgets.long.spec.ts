// SPDX-License-Identifier: Apache-2.0
// The kernel is killed repeatedly while 64 callers spend from one root budget. At every moment, the accounts equal the
// sums over the operations. A budget of the month has counted exactly the calls that were admitted.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { UNBALANCED_BUDGETS } from '@writ/testing';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  type Api,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const CALLERS = 64;
const KILLS = 6;
/** The chance that all of them miss one of four generations is below 10^-9. */
const MORE_CALLS_MAX = 100;
/** Tight enough that callers reach them, and that concurrent calls share the rest. */
const BUDGETS = { calls: 700, wall_ms: 400_000, cpu_ms: 4_000_000, disk_write_bytes: 2 ** 32 };
const TUNING = { WRIT_LEASE_MS: '2000', WRIT_PERMIT_TTL_MS: '2000', WRIT_SWEEP_MS: '200' };
/** Repeats a failed run: WRIT_TEST_SEED=… */
const SEED = Number(process.env['WRIT_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Calls of the whole tenant in a month: fewer than the root token has. */
const MONTHLY = 600;

/** The holder of one token of the chain. */
interface Holder {
  readonly api: Api;
  readonly agentId: string;
  readonly tokenId: string;
}

let stack: Stack;
let world: World;
let observer: Observer;
let chain: Holder[];

beforeAll(async () => {
  stack = await startStack({
    env: { kernel: TUNING, orchestrator: { WRIT_RATE_PER_SECOND: '100000', WRIT_RATE_BURST: '100000' } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' }, budgets: BUDGETS });
  observer = new Observer(stack);
  const monthly = { subject: { kind: 'tenant', id: null }, period: 'month', measure: 'calls', limit: MONTHLY };
  expect((await world.admin.request('PUT', '/v1/budgets', monthly)).status).toBe(200);
  chain = [{ api: world.agent, agentId: world.agentId, tokenId: world.tokenId }];
  while (chain.length < 4) chain.push(await delegate(chain.at(-1) as Holder));
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

/** A sub-agent under a token that its parent's agent attenuated: a little less in every dimension. */
async function delegate({ api, tokenId }: Holder): Promise<Holder> {
  const { agent_id } = (await world.admin.must('/v1/agents', { name: `of generation ${chain.length + 1}` })) as {
    agent_id: string;
  };
  const { api_key } = (await world.admin.must('/v1/api-keys', { name: 'sub-agent', role: 'agent', agent_id })) as {
    api_key: string;
  };
  const { grant } = (await api.get(`/v1/capability-tokens/${tokenId}`)).body as { grant: JsonValue };
  const budgets = Object.fromEntries(
    Object.entries(grant.budgets as Record<string, number>).map(([name, bound]) => [name, Math.floor(bound * 0.8)]),
  );
  const child = await api.must(`/v1/capability-tokens/${tokenId}/attenuate`, {
    agent_id,
    grant: { ...grant, budgets },
  });
  return { api: world.admin.as(api_key), agentId: agent_id, tokenId: child.capability_token_id as string };
}

/** mulberry32: small, seeded, and good enough for choices. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = chance(SEED);
const unbalanced = () => observer.rows(UNBALANCED_BUDGETS);
/** A call that was admitted has a lane. */
const miscounted = () =>
  observer.rows(`SELECT * FROM (SELECT (SELECT coalesce(sum(u.used), 0) FROM kernel.period_use u)::int8 AS counted,
    (SELECT count(*) FROM kernel.operation WHERE lane IS NOT NULL) AS admitted) x WHERE x.counted <> x.admitted OR x.counted > ${MONTHLY}`);
const usedCalls = () =>
  observer.rows<{ used: number }>(`SELECT used::int8 FROM kernel.budget WHERE dimension = 'calls'`);
const UNDER_WAY = `SELECT state FROM kernel.operation WHERE state IN ('admitted', 'dispatched', 'performing')`;

/** One call, of a random kind and under a random token. Its answer doesn't matter, and some never come. */
async function callOnce(): Promise<void> {
  const { api, agentId, tokenId } = chain[Math.floor(random() * chain.length)] as Holder;
  const propose = (tool_id: string, args: unknown, waitMs: number) =>
    api.post(`/v1/tool-calls?wait=${waitMs}`, {
      tool_id,
      args,
      agent_id: agentId,
      capability_token_id: tokenId,
      workspace_id: world.workspaceId,
      idempotency_key: randomUUID(),
    });
  const dice = random();
  if (dice < 0.1) await propose('shell.run', { command: 'sleep 0.2; echo x > shell.txt' }, 5_000);
  else if (dice < 0.2) await propose('fs.write', { path: '../outside', content: 'x' }, 5_000);
  else if (dice < 0.3) await propose('fs.read', { path: 'not-there.txt' }, 5_000);
  else if (dice < 0.4) {
    const { body } = await propose('shell.run', { command: 'sleep 1' }, 0);
    if (body?.operation_id !== undefined)
      await world.admin.post(`/v1/operations/${body.operation_id as string}/cancel`);
  } else await propose('fs.write', { path: `${randomUUID()}.txt`, content: 'x' }, 5_000);
}

const untilAllEnded = () =>
  eventually('the end of every call', async () => (await observer.rows(UNDER_WAY)).length === 0, 60_000);

/** Runs `work` while the callers call, and lets them finish. */
async function underLoad<T>(work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) await callOnce().catch(() => sleep(20));
  });
  try {
    return await work();
  } finally {
    isOver = true;
    await Promise.all(callers);
  }
}

/**
 * A slow machine may make so few calls that one generation has spent nothing: makes more, one at a time, from the same
 * random sequence.
 */
async function spendInEachGeneration(): Promise<void> {
  for (let calls = 0; calls < MORE_CALLS_MAX && (await usedCalls()).some(({ used }) => used === 0); calls += 1) {
    await callOnce();
    await untilAllEnded();
  }
}

it(`accounts equal their operations after ${KILLS} kernel kills under ${CALLERS} callers (seed ${SEED})`, async () => {
  const inFlight = await underLoad(async () => {
    let calls = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      await eventually('calls under way', async () => (await observer.rows(UNDER_WAY)).length > 8, 30_000);
      await sleep(random() * 300);
      await stack.services.kernel.kill();
      calls += (await observer.rows(UNDER_WAY)).length;
      expect({ seed: SEED, kill, unbalanced: await unbalanced() }).toEqual({ seed: SEED, kill, unbalanced: [] });
      expect({ seed: SEED, kill, miscounted: await miscounted() }).toEqual({ seed: SEED, kill, miscounted: [] });
      await stack.services.kernel.start();
    }
    return calls;
  });
  expect(inFlight).toBeGreaterThan(KILLS);
  await untilAllEnded();
  await spendInEachGeneration();
  expect({ seed: SEED, unbalanced: await unbalanced() }).toEqual({ seed: SEED, unbalanced: [] });
  expect({ seed: SEED, miscounted: await miscounted() }).toEqual({ seed: SEED, miscounted: [] });
  expect(await observer.rows('SELECT * FROM kernel.budget WHERE reserved <> 0')).toEqual([]);
  // Calls ended in several ways, and every generation has spent.
  const ends = await observer.rows<{ tx_outcome: string }>('SELECT DISTINCT tx_outcome FROM kernel.operation');
  expect(ends.map(({ tx_outcome }) => tx_outcome)).toEqual(expect.arrayContaining(['committed', 'rolled_back']));
  const spent = await usedCalls();
  expect(spent).toHaveLength(chain.length);
  for (const { used } of spent) expect(used).toBeGreaterThan(0);
  await observer.untilLogged();
  expectCleanLog(stack);
});

// SPDX-License-Identifier: Apache-2.0
// Clients that keep calling while services are disturbed, and the proof that no call was lost, done twice or left out
// of the log.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, JsonValue } from './api.ts';
import { Observer } from './observer.ts';
import { fsck, verifiedReceipt, type Checked } from './expect-consistent.ts';
import { eventually, type World } from './world.ts';

/** A client's retries after no answer, or after one that means "later". */
export interface RetryRules {
  /** Tries of one call at most. */
  readonly tries: number;
  /** Milliseconds between the nth failed try and the next one, counted from 1. */
  readonly pauseMs: (n: number) => number;
  /** Milliseconds that the server is asked to keep a request open. */
  readonly waitMs: number;
}

/**
 * The usual defaults of HTTP client libraries: up to four retries, after half a second and then twice as long each
 * time. They wait longer where the server's `Retry-After` says so.
 */
export const STANDARD_RETRIES: RetryRules = { tries: 5, pauseMs: (n) => 500 * 2 ** (n - 1), waitMs: 30_000 };

/** A client that doesn't give up while a service restarts. */
export const PATIENT: RetryRules = { tries: 10_000, pauseMs: () => 100, waitMs: 10_000 };

/** A call that ended, as its client saw it. */
export interface Ended {
  readonly path: string;
  /** `gave up` where no try was answered. */
  readonly outcome: string;
  readonly code: string | null;
  /** The message of the error, for whoever reads a failure; null where there is none. */
  readonly message: string | null;
  readonly operationId: string;
  /** The number of tries. */
  readonly tries: number;
  /** Milliseconds from the first try to the answer. */
  readonly ms: number;
  /** The answer to the last failed try; null where none failed. */
  readonly fault: string | null;
}

export type LoadTool = 'fs.write' | 'shell.run';

const MAYBE_LATER: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const CALL_MS_MAX = 4 * 60_000;

/** Makes a call that writes a file, with one idempotency key, until it ends or the client gives up. */
export async function callToItsEnd(world: World, tool: LoadTool, path: string, rules: RetryRules): Promise<Ended> {
  const args = tool === 'fs.write' ? { path, content: `${path}\n` } : { command: `echo ${path} > ${path}` };
  const [key, began] = [randomUUID(), Date.now()];
  let [tries, fault]: [number, string | null] = [0, null];
  let last: JsonValue = {};
  const ended = (outcome: string, code: string | null): Ended => ({
    path,
    outcome,
    code,
    message: (last.error?.message ?? null) as string | null,
    operationId: (last.operation_id ?? '') as string,
    tries,
    ms: Date.now() - began,
    fault,
  });
  while (Date.now() - began < CALL_MS_MAX) {
    tries += 1;
    const answer = await ask(world, tool, args, key, rules);
    if (answer !== null && !MAYBE_LATER.has(answer.status)) {
      last = answer.body;
      // Still running: a repeated request with the same key waits for it, and is no failure.
      if (answer.status === 202) {
        tries -= 1;
        continue;
      }
      return ended(
        (last.tx_outcome ?? `answer ${answer.status}`) as string,
        (last.error?.code ?? last.code ?? null) as string | null,
      );
    }
    fault = answer === null ? 'no answer' : `${answer.status} ${answer.text.slice(0, 300)}`;
    if (tries >= rules.tries) break;
    await sleep(Math.max(rules.pauseMs(tries), Number(answer?.headers.get('retry-after') ?? 0) * 1_000));
  }
  return ended('gave up', null);
}

const ask = (
  world: World,
  tool: LoadTool,
  args: object,
  key: string,
  { waitMs }: RetryRules,
): Promise<Answer<JsonValue> | null> => world.call(tool, args, { idempotency_key: key }, waitMs).catch(() => null);

/** A load that runs until it is stopped. */
export interface Load {
  /** Starts no further call; resolves with all calls once each has ended. */
  readonly stop: () => Promise<readonly Ended[]>;
}

/** Clients that make one call after another, each with its own tool. */
export function closedLoad(world: World, tools: readonly LoadTool[], rules: RetryRules): Load {
  let isOn = true;
  const client = async (tool: LoadTool): Promise<Ended[]> => {
    const ends: Ended[] = [];
    while (isOn) ends.push(await callToItsEnd(world, tool, `${tool.replace('.', '-')}-${ends.length}.txt`, rules));
    return ends;
  };
  const clients = Promise.all(tools.map(client));
  clients.catch(() => undefined);
  return {
    stop: async () => {
      isOn = false;
      return (await clients).flat();
    },
  };
}

/**
 * Calls at a steady rate, whether or not earlier ones have ended, as independent agents make them.
 *
 * @param perSecond calls that start in a second
 * @param commandEvery one call in that many runs a command; the others write a file
 */
export function openLoad(world: World, perSecond: number, commandEvery: number, rules: RetryRules): Load {
  const calls: Promise<Ended>[] = [];
  const timer = setInterval(() => {
    const n = calls.length;
    const tool = n % commandEvery === 0 ? 'shell.run' : 'fs.write';
    const call = callToItsEnd(world, tool, `call-${n}.txt`, rules);
    call.catch(() => undefined);
    calls.push(call);
  }, 1_000 / perSecond);
  return {
    stop: async () => {
      clearInterval(timer);
      return Promise.all(calls);
    },
  };
}

/**
 * Agents that each call at a steady pace, and wait for the end of a call before the next. A busy machine gets fewer
 * calls, and not ever more waiting ones.
 *
 * @param everyMs minimum time from the start of a call to the start of the next
 * @param commandEvery one call in that many of an agent runs a command; the others write a file
 */
export function pacedLoad(
  world: World,
  agents: number,
  everyMs: number,
  commandEvery: number,
  rules: RetryRules,
): Load {
  let isOn = true;
  const agent = async (name: number): Promise<Ended[]> => {
    const ends: Ended[] = [];
    // Spread the first calls over the interval.
    await sleep((everyMs * name) / agents);
    while (isOn) {
      const [n, next] = [ends.length, Date.now() + everyMs];
      const tool = (n + name) % commandEvery === 0 ? 'shell.run' : 'fs.write';
      ends.push(await callToItsEnd(world, tool, `agent-${name}-${n}.txt`, rules));
      await sleep(Math.max(0, next - Date.now()));
    }
    return ends;
  };
  const all = Promise.all(Array.from({ length: agents }, (_, name) => agent(name)));
  all.catch(() => undefined);
  return {
    stop: async () => {
      isOn = false;
      return (await all).flat();
    },
  };
}

/**
 * Fails unless each call ended once and as its client was told. Its file exists exactly if it committed, its outcome is
 * in the log once, and its receipt verifies. The independent checker must find nothing in the whole log.
 *
 * @param stack the database as its owner, and the public keys
 */
export async function expectNothingLost(
  stack: Checked,
  world: World,
  ends: readonly Ended[],
  loggedMs = 60_000,
): Promise<void> {
  const wrong: unknown[] = [];
  await inTurns(ends, async (end) => {
    const found = await world.file(end.path);
    if (found !== (end.outcome === 'committed' ? `${end.path}\n` : null)) wrong.push({ end, found });
  });
  expect(wrong).toEqual([]);
  const observer = new Observer(stack);
  await observer.untilLogged(loggedMs);
  const known = ends.filter(({ operationId }) => operationId !== '').map(({ operationId }) => operationId);
  const outcomes = await observer.outcomesOf(known);
  expect(known.filter((operationId) => outcomes.get(operationId) !== 1)).toEqual([]);
  await inTurns(known, async (operationId) => {
    await verifiedReceipt(stack, world, operationId);
  });
  const { status, output } = fsck(stack);
  expect([status, output]).toEqual([0, expect.stringMatching(/, 0 with findings\n$/)]);
}

/** Concurrent checks. */
const AT_ONCE = 4;

/** Runs a function for each item, a few at a time. */
async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of left) await work(one);
    }),
  );
}

/** The distribution of tries: the number of calls by the number of their tries. */
export const triesOf = (ends: readonly Ended[]): Readonly<Record<number, number>> =>
  Object.fromEntries([...Map.groupBy(ends, ({ tries }) => tries)].map(([tries, calls]) => [tries, calls.length]));

/** Waits for a tenant's first call, so that later figures don't include a cold start. */
export const warmUp = async (world: World): Promise<void> => {
  await eventually(
    'a first call',
    async () => (await world.call('shell.run', { command: 'true' }).catch(() => null))?.status === 200,
    120_000,
  );
};

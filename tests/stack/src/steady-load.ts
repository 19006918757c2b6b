// SPDX-License-Identifier: Apache-2.0
// Clients that go on calling while something happens to the services, and the proof that none of their calls was lost,
// done twice or left out of the log.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, JsonValue } from './api.ts';
import { Observer } from './observer.ts';
import { fsck, verifiedReceipt, type Checked } from './whole.ts';
import { eventually, type World } from './world.ts';

/** How a client tries again when it got no answer, or one that says "later". */
export interface RetryRules {
  /** Tries of one call at most. */
  readonly tries: number;
  /** Milliseconds between the nth failed try and the next one, counted from 1. */
  readonly pauseMs: (n: number) => number;
  /** Milliseconds that the server is asked to keep a request open. */
  readonly waitMs: number;
}

/**
 * What client libraries of HTTP APIs do unless told otherwise, within their usual bounds: up to four more tries, after
 * half a second and then twice as long each time. A server that names a longer time in `Retry-After` is given it.
 */
export const STANDARD_RETRIES: RetryRules = { tries: 5, pauseMs: (n) => 500 * 2 ** (n - 1), waitMs: 30_000 };

/** A client that doesn't give up while a service starts again. */
export const PATIENT: RetryRules = { tries: 10_000, pauseMs: () => 100, waitMs: 10_000 };

/** A call that ended, as its client saw it. */
export interface Ended {
  readonly path: string;
  /** `gave up` where no try was answered. */
  readonly outcome: string;
  readonly code: string | null;
  readonly operationId: string;
  /** Tries that it took. */
  readonly tries: number;
  /** Milliseconds from the first try to the answer. */
  readonly ms: number;
  /** What the last failed try was answered; null where none failed. */
  readonly fault: string | null;
}

export type LoadTool = 'fs.write' | 'shell.run';

const MAYBE_LATER: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const CALL_MS_MAX = 4 * 60_000;

/** Makes a call that writes a file, with one idempotency key, until it has an end or the client gives up. */
export async function callToItsEnd(world: World, tool: LoadTool, path: string, rules: RetryRules): Promise<Ended> {
  const args = tool === 'fs.write' ? { path, content: `${path}\n` } : { command: `echo ${path} > ${path}` };
  const [key, began] = [randomUUID(), Date.now()];
  let [tries, fault]: [number, string | null] = [0, null];
  let last: JsonValue = {};
  const ended = (outcome: string, code: string | null): Ended => ({
    path,
    outcome,
    code,
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
      // Still at work: asking again with the same key waits for it, and is no failure.
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

/** Load that goes on until it is stopped. */
export interface Load {
  /** Starts no further call; resolves with all of them once each has an end. */
  readonly stop: () => Promise<readonly Ended[]>;
}

/** Clients that each make one call after the other, of a tool of their own. */
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
 * Calls at a steady rate, whether those before have ended or not, as independent agents make them.
 *
 * @param perSecond calls that begin in a second
 * @param commandEvery one call in so many runs a command; the others write a file
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
 * Agents that each call at a steady pace, and wait for the end of a call before the next: a machine that has much else
 * to do gets fewer calls, not more and more that wait.
 *
 * @param everyMs from the beginning of a call to that of the next at least
 * @param commandEvery one call in so many of an agent runs a command; the others write a file
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
    // Not all at once.
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
 * Fails unless each call ended once and as its client was told: its file is there exactly if it committed, its outcome
 * is in the log once, its receipt verifies, and the independent checker finds nothing in the whole log.
 *
 * @param stack where the database is reached as its owner, and the public keys
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

/** So many are asked for at once. */
const AT_ONCE = 4;

/** Does something with each, a few at a time. */
async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of left) await work(one);
    }),
  );
}

/** How the tries of calls are spread: calls by the number of tries that they took. */
export const triesOf = (ends: readonly Ended[]): Readonly<Record<number, number>> =>
  Object.fromEntries([...Map.groupBy(ends, ({ tries }) => tries)].map(([tries, calls]) => [tries, calls.length]));

/** Waits for a tenant's first call to be answered, so that what follows isn't blamed for a start. */
export const warmUp = async (world: World): Promise<void> => {
  await eventually(
    'a first call',
    async () => (await world.call('shell.run', { command: 'true' }).catch(() => null))?.status === 200,
    120_000,
  );
};

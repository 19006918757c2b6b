// SPDX-License-Identifier: Apache-2.0
import { FairLimiter } from './fair-limiter.ts';

const FLOOD_MS = 30_000;
/** The kernel's defaults. */
const BOUNDS = { places: 16, shared: 4, waitingMax: 128 } as const;

interface Call {
  readonly tenantId: string;
  readonly at: number;
  readonly takesMs: number;
}
interface Completion {
  readonly call: Call;
  readonly at: number;
}

/** A number in [0, 1) that is the same in every run (Park and Miller's generator). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** `perSecond` calls a second, each with work of 5 to 25 ms. */
function callsOf(tenantId: string, perSecond: number, seed: number): Call[] {
  const next = chance(seed);
  return Array.from({ length: (perSecond * FLOOD_MS) / 1_000 }, (_, i) => ({
    tenantId,
    at: (i * 1_000) / perSecond + next(),
    takesMs: 5 + 20 * next(),
  }));
}

interface Latencies {
  readonly p95: number;
  readonly refused: number;
}

/** Runs the calls through the kernel's scheduler, on a clock that jumps from event to event. */
function play(calls: readonly Call[], whose: string): Latencies {
  const fair = new FairLimiter<Call>(BOUNDS);
  const arrivals = calls.toSorted((a, b) => a.at - b.at);
  const running: Completion[] = [];
  const times: number[] = [];
  let [arrived, refused] = [0, 0];
  const begin = (call: Call, now: number): void => {
    const ending = { call, at: now + call.takesMs };
    const place = running.findIndex(({ at }) => at > ending.at);
    running.splice(place < 0 ? running.length : place, 0, ending);
  };
  for (;;) {
    const [next] = running;
    const arrival = arrivals[arrived];
    if (next !== undefined && next.at <= (arrival?.at ?? Infinity)) {
      running.shift();
      if (next.call.tenantId === whose) times.push(next.at - next.call.at);
      for (const started of fair.release(next.call.tenantId, next.at)) begin(started, next.at);
    } else if (arrival !== undefined) {
      arrived += 1;
      const offered = fair.offer(arrival.tenantId, 1, arrival, arrival.at);
      if (offered === 'starts') begin(arrival, arrival.at);
      if (offered === 'full' && arrival.tenantId === whose) refused += 1;
    } else {
      times.sort((a, b) => a - b);
      return { p95: times[Math.floor(times.length * 0.95)] ?? Infinity, refused };
    }
  }
}

const victim = callsOf('victim', 5, 7);
const flood = (count: number): Call[] =>
  Array.from({ length: count }, (_, i) => callsOf(`flooder ${i}`, 300, 11 + i)).flat();

test.each([1, 3, 12])(
  'beside %i tenants with 300 calls a second, a tenant with 5 waits at most 1.1 times as long, and loses none',
  (floods) => {
    const alone = play(victim, 'victim');
    const beside = play([...victim, ...flood(floods)], 'victim');
    expect(alone.refused + beside.refused).toBe(0);
    expect(beside.p95 / alone.p95).toBeLessThanOrEqual(1.1);
  },
);

test('a flood that is alone uses every place, so fairness costs nothing without other tenants', () => {
  const [crowded] = [play(callsOf('flooder', 600, 3), 'flooder')];
  expect(crowded.refused).toBe(0);
});

// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import { EngineTimeout } from '@writ/sandbox-host';
import { vi } from 'vitest';
import { askEngine } from './engine-requests.ts';

/** An engine that answers pings or doesn't, and nothing else. */
const engine = (isThere: boolean): Docker =>
  ({ ping: () => (isThere ? Promise.resolve('OK') : new Promise(() => undefined)) }) as unknown as Docker;
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** How long a request took that ended with the engine's failure, in milliseconds of a clock that the test moves. */
async function untilGivenUp(isThere: boolean): Promise<number> {
  let givenUp: unknown;
  void askEngine(engine(isThere), 'start a container', never()).catch((error: unknown) => {
    givenUp = error;
  });
  const started = Date.now();
  while (givenUp === undefined) await vi.advanceTimersByTimeAsync(100);
  expect(givenUp).toBeInstanceOf(EngineTimeout);
  return Date.now() - started;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('an engine that answers nothing is given up in seconds, one that answers pings is given the time of the request', async () => {
  expect(await untilGivenUp(false)).toBeLessThanOrEqual(5_000);
  expect(await untilGivenUp(true)).toBeGreaterThanOrEqual(20_000);
});

test("a busy engine's late answer counts, and what comes after it was given up is handed on", async () => {
  const slow = Promise.withResolvers<string>();
  const answer = askEngine(engine(true), 'start a container', slow.promise);
  await vi.advanceTimersByTimeAsync(15_000);
  slow.resolve('started');
  expect(await answer).toBe('started');

  const late: string[] = [];
  const given = Promise.withResolvers<string>();
  const asked = expect(
    askEngine(engine(false), 'make a container', given.promise, (value) => late.push(value)),
  ).rejects.toThrow(/did not make a container within \d+ ms, nor answer a ping/);
  await vi.advanceTimersByTimeAsync(5_000);
  await asked;
  given.resolve('container');
  await vi.advanceTimersByTimeAsync(0);
  expect(late).toEqual(['container']);
  expect(vi.getTimerCount()).toBe(0);
});

// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import { EngineTimeout } from '@writ/sandbox-host';
import { vi } from 'vitest';
import { requestEngine } from './engine-requests.ts';

/** An engine that only answers pings, or nothing at all. */
const engine = (isThere: boolean): Docker =>
  ({ ping: () => (isThere ? Promise.resolve('OK') : new Promise(() => undefined)) }) as unknown as Docker;
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** How long a request took until its failure was attributed to the engine, in milliseconds of the test's clock. */
async function untilGivenUp(isThere: boolean): Promise<number> {
  let givenUp: unknown;
  void requestEngine(engine(isThere), 'start a container', never()).catch((error: unknown) => {
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

test('an engine that answers nothing is abandoned in seconds; one that answers pings is not', async () => {
  expect(await untilGivenUp(false)).toBeLessThanOrEqual(5_000);
  expect(await untilGivenUp(true)).toBeGreaterThanOrEqual(20_000);
});

test("a busy engine's late answer counts, and an answer after the timeout goes to `late`", async () => {
  const slow = Promise.withResolvers<string>();
  const answer = requestEngine(engine(true), 'start a container', slow.promise);
  await vi.advanceTimersByTimeAsync(15_000);
  slow.resolve('started');
  expect(await answer).toBe('started');

  const late: string[] = [];
  const given = Promise.withResolvers<string>();
  const asked = expect(
    requestEngine(engine(false), 'make a container', given.promise, (value) => late.push(value)),
  ).rejects.toThrow(/did not make a container within \d+ ms, nor answer a ping/);
  await vi.advanceTimersByTimeAsync(5_000);
  await asked;
  given.resolve('container');
  await vi.advanceTimersByTimeAsync(0);
  expect(late).toEqual(['container']);
  expect(vi.getTimerCount()).toBe(0);
});

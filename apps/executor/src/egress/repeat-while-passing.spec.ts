// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { vi } from 'vitest';
import { PAUSE_MS_MAX, repeatWhilePassing } from './repeat-while-passing.ts';

const never = new AbortController().signal;
const now = (): number => performance.now();

it.each(['deadline', 'overloaded', 'bus.unreachable', 'database.unavailable'] as const)(
  'a request to the kernel is repeated after the passing error %s',
  async (code) => {
    let tries = 0;
    const request = () => (++tries === 1 ? Promise.reject(new Fault(code)) : Promise.resolve(true));
    await repeatWhilePassing(request, now, never);
    expect(tries).toBe(2);
  },
);

it.each(['internal', 'rate.limited', 'attempt.fenced'] as const)(
  'a request to the kernel ends at once with the error %s',
  async (code) => {
    let tries = 0;
    const request = () => Promise.reject<boolean>(new Fault(code, `try ${String(++tries)}`));
    await expect(repeatWhilePassing(request, now, never)).rejects.toMatchObject({ code, message: 'try 1' });
  },
);

it('a request to the kernel is not sent once the call has stopped', async () => {
  let tries = 0;
  const stopped = AbortSignal.abort(new Error('stopped'));
  const request = () => Promise.resolve(++tries > 0);
  await expect(repeatWhilePassing(request, now, stopped)).rejects.toThrow('stopped');
  expect(tries).toBe(0);
});

it.each([
  ['stays the same', undefined, [100, 100, 100, 100, 100]],
  ['doubles up to a second where the caller says so', PAUSE_MS_MAX, [100, 200, 400, 800, 1_000]],
])('the pause before a request to the kernel is repeated %s', async (_how, pauseMsMax, pauses) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  try {
    const triedAt: number[] = [];
    const request = () => (triedAt.push(now()) > pauses.length ? Promise.resolve(true) : Promise.resolve(false));
    const repeated = repeatWhilePassing(request, now, never, pauseMsMax);
    await vi.advanceTimersByTimeAsync(5_000);
    await repeated;
    expect(triedAt.slice(1).map((at, index) => at - triedAt[index]!)).toEqual(pauses);
  } finally {
    vi.useRealTimers();
  }
});

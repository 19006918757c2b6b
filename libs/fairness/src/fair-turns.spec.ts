// SPDX-License-Identifier: Apache-2.0
import { FairTurns } from './fair-turns.ts';

const turnsOf = (atOnce: number, waitingMax: number, perTenantMax?: number): FairTurns =>
  new FairTurns(
    {
      atOnce,
      waitingMax,
      refusal: () => new Error('too much waits'),
      ...(perTenantMax === undefined ? {} : { perTenantMax }),
    },
    () => performance.now(),
  );
/** Work that runs until `end` is called. */
function held(): { work: () => Promise<null>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<null>();
  return { work: () => promise, end: () => resolve(null) };
}

test('work beyond the bound waits for its turn, and is refused once too much of the tenant waits', async () => {
  const turns = turnsOf(1, 1);
  const first = held();
  const order: string[] = [];
  const running = turns.run('a', first.work);
  const waiting = turns.run('a', async () => void order.push('second'));
  await expect(turns.run('a', async () => undefined)).rejects.toThrow('too much waits');
  expect(order).toEqual([]);
  first.end();
  await Promise.all([running, waiting]);
  expect(order).toEqual(['second']);
});

test('work that fails gives its place back', async () => {
  const turns = turnsOf(1, 0);
  await expect(turns.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await turns.run('a', async () => 'next')).toBe('next');
});

test('waiting work that is aborted leaves its turn to others', async () => {
  const turns = turnsOf(1, 1);
  const first = held();
  const running = turns.run('a', first.work);
  const { signal, abort } = controller();
  const aborted = turns.run('a', async () => 'never', signal);
  abort();
  await expect(aborted).rejects.toThrow('gone');
  const next = turns.run('a', async () => 'next');
  first.end();
  await running;
  expect(await next).toBe('next');
});

test('a tenant never has all places where its own bound is lower', async () => {
  const turns = turnsOf(2, 1, 1);
  const first = held();
  const running = turns.run('a', first.work);
  let began = false;
  const waiting = turns.run('a', async () => void (began = true));
  expect(await turns.run('b', async () => 'b')).toBe('b');
  expect(began).toBe(false);
  first.end();
  await Promise.all([running, waiting]);
});

function controller() {
  const aborts = new AbortController();
  return { signal: aborts.signal, abort: () => aborts.abort(new Error('gone')) };
}

// SPDX-License-Identifier: Apache-2.0
import { ServerSlots } from './server-slots.ts';

const FOREVER_MS = 60_000;
let slots: ServerSlots;
beforeEach(() => {
  slots = new ServerSlots();
});
const never = new AbortController().signal;
const take = (server = 'a', waitMs = FOREVER_MS, signal = never) => slots.take(server, 1, waitMs, signal);

it('a slot that is given back goes to who waits longest', async () => {
  const first = await take();
  const order: number[] = [];
  const waiting = [1, 2].map(async (each) => {
    const slot = await take();
    order.push(each);
    slot?.();
  });
  first?.();
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
});

it('a call that waits too long gets none, and leaves the slot to others', async () => {
  const first = await take();
  expect(await take('a', 1)).toBeNull();
  first?.();
  expect(await take('a', 1)).not.toBeNull();
});

it('a call that is stopped while it waits gets none, and leaves the slot to others', async () => {
  const first = await take();
  const stop = new AbortController();
  const stopped = take('a', FOREVER_MS, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(stopped).rejects.toThrow('stopped');
  first?.();
  expect(await take('a', 1)).not.toBeNull();
});

it('servers have slots of their own', async () => {
  await take('a');
  expect(await take('b', 1)).not.toBeNull();
});

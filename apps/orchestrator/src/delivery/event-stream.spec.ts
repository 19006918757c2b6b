// SPDX-License-Identifier: Apache-2.0
import { text } from 'node:stream/consumers';
import { Fault, type OperationEvent } from '@writ/contract';
import { EventStream, type StreamOptions } from './event-stream.ts';

const event = (operation_id: string): OperationEvent => ({
  v: 1,
  tenant_id: 'ten_a',
  operation_id,
  state: 'committed',
});
const open = (over: Partial<StreamOptions> = {}) =>
  new EventStream({ isFor: () => true, verifyKey: () => Promise.resolve(), isResuming: false, forMs: null, ...over });
const names = (told: string): string[] => [...told.matchAll(/^event: (\w+)$/gm)].map(([, name = '']) => name);
const settled = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

it('buffers a limited amount for a reader that does not read, and ends with the reason', async () => {
  const stream = open();
  for (let n = 0; n < 100; n++) {
    for (let m = 0; m < 100; m++) stream.receive(event(`op_${n}_${m}`));
    await settled();
  }
  expect(stream.readable.readableLength).toBeLessThan(300 * 1024);
  const told = names(await text(stream.readable));
  expect([told[0], told.at(-1), told.filter((name) => name === 'cut').length]).toEqual(['ready', 'cut', 1]);
});

it('buffers a limited number of events while a key is verified', async () => {
  const stream = open({ verifyKey: () => new Promise(() => undefined) });
  for (let n = 0; n < 2_000; n++) stream.receive(event(`op_${n}`));
  expect(names(await text(stream.readable))).toEqual(['ready', 'cut']);
});

it.each([
  [new Fault('auth.invalid'), 'auth'],
  [new Fault('database.unavailable'), 'unavailable'],
  [new Error('bug'), 'unavailable'],
])('tells nothing when the key can not be found valid: %s', async (error, reason) => {
  const stream = open({ verifyKey: () => Promise.reject(error) });
  stream.receive(event('op_secret'));
  const told = await text(stream.readable);
  expect([names(told), told.includes(`{"reason":"${reason}"}`), told.includes('op_secret')]).toEqual([
    ['ready', 'end'],
    true,
    false,
  ]);
});

it('a member that an older kernel does not send is null, and an ended stream sends nothing more', async () => {
  const stream = open();
  stream.receive(event('op_1'));
  await settled();
  stream.end('asked');
  stream.receive(event('op_2'));
  stream.stopping();
  const told = await text(stream.readable);
  expect(told).toContain(
    'data: {"operation_id":"op_1","state":"committed","agent_id":null,"tool_id":null,"approval_id":null,"fault_code":null,"resolution":null,"at":null}\n\n',
  );
  expect(names(told)).toEqual(['ready', 'operation', 'end']);
});

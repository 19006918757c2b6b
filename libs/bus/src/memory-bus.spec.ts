// SPDX-License-Identifier: Apache-2.0
import { busContract } from './bus.contract.ts';
import { memoryBus } from './memory-bus.ts';

busContract('the in-memory bus', async ({ trace }) => memoryBus({ now: Date.now, trace }));

test('after a lane was lost, its old messages do not arrive and new ones do', async () => {
  const bus = memoryBus({ now: Date.now });
  const encode = (text: string) => new TextEncoder().encode(text);
  await bus.enqueue('lane', encode('lost'), { messageId: '1' });
  bus.loseLanes();
  await bus.enqueue('lane', encode('kept'), { messageId: '2' });
  const first = new Promise<string>(
    (resolve) =>
      void bus.consume('lane', {
        durable: 'd',
        slots: () => 1,
        handler: async (message) => {
          message.ack();
          resolve(new TextDecoder().decode(message.bytes));
        },
      }),
  );
  expect(await first).toBe('kept');
  await bus.close();
});

test('an error of an event handler is reported', async () => {
  const reported = new Promise((resolve) => {
    const bus = memoryBus({ now: Date.now, report: resolve });
    void bus
      .subscribe('event', () => {
        throw new Error('broken listener');
      })
      .then(() => bus.publish('event', {}));
  });
  expect(await reported).toMatchObject({ message: 'broken listener' });
});

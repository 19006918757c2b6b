// SPDX-License-Identifier: Apache-2.0
import { busContract } from '@writ/bus/contract';
import { startNatsServer, type TestNatsServer } from '@writ/testing';
import { connectNats } from './connect.ts';
import { LaneKeeper } from './lane-keeper.ts';
import { workLanesOf } from './lanes.ts';
import { natsBus, type NatsBus } from './nats-bus.ts';

const lanes = workLanesOf('test');
let server: TestNatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

const address = () => ({ url: server.url, user: 'kernel' });

busContract('the bus over NATS', async ({ trace }) => {
  const connection = await connectNats(address());
  // Each test starts with empty lanes.
  await new LaneKeeper(connection, lanes).rebuild();
  await connection.close();
  return natsBus({ ...address(), lanes, keepsLanes: true, trace });
});

test('a first connection that fails rejects', async () => {
  await expect(natsBus({ url: 'nats://127.0.0.1:1', user: 'kernel', lanes, keepsLanes: false })).rejects.toMatchObject({
    code: 'bus.unreachable',
  });
});

test('a request whose answer would go anywhere but to an inbox is dropped', async () => {
  const bus = await natsBus({ ...address(), lanes, keepsLanes: false });
  const handled: unknown[] = [];
  await bus.serve('writ.v1.test.kernel.deputy', {
    queue: 'kernel',
    concurrencyMax: 1,
    handler: async ({ payload }) => void handled.push(payload),
  });
  const outsider = await connectNats(address());
  const misled: string[] = [];
  outsider.subscribe('writ.v1.test.ledger.append', {
    callback: (_error, message) => void misled.push(message.string()),
  });
  outsider.publish('writ.v1.test.kernel.deputy', '"misdirected"', { reply: 'writ.v1.test.ledger.append' });
  await outsider.flush();
  // The bus answers it after the misdirected one, on the same subscription. So the misdirected one has been handled.
  await bus.request('writ.v1.test.kernel.deputy', 'sentinel', { deadline: Date.now() + 1_000 });
  await outsider.flush();
  expect(handled).toEqual(['sentinel']);
  expect(misled).toEqual([]);
  await outsider.close();
  await bus.close();
});

describe('when the server goes away and comes back', () => {
  let bus: NatsBus;
  const subject = 'writ.v1.test.kernel.patient';
  beforeEach(async () => {
    bus = await natsBus({ ...address(), lanes, keepsLanes: true });
  });
  afterEach(() => bus.close());
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
  };

  test('a request sent before does not wait for its deadline', async () => {
    let arrived = (): void => {};
    let release = (): void => {};
    const answered = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await bus.serve(subject, {
      queue: 'kernel',
      concurrencyMax: 1,
      handler: async () => {
        arrived();
        await answered;
      },
    });
    const answer = bus.request(subject, {}, { deadline: Date.now() + 60_000 }).catch((error: unknown) => error);
    await asked;
    await server.kill();
    expect(await answer).toMatchObject({ code: 'deadline' });
    release();
    await server.start();
  }, 120_000);

  test('requests are refused at once while it is away, and answered again afterwards', async () => {
    await bus.serve(subject, { queue: 'kernel', concurrencyMax: 1, handler: async () => 'here' });
    await server.kill();
    await until(() => !bus.isConnected());
    await expect(bus.request(subject, {}, { deadline: Date.now() + 60_000 })).rejects.toMatchObject({
      code: 'bus.unreachable',
    });
    await expect(
      bus.enqueue(lanes.lanes[0]?.subject ?? '', new Uint8Array(), { messageId: 'away' }),
    ).rejects.toMatchObject({ code: 'bus.unreachable' });
    await server.start();
    await until(() => bus.isConnected());
    expect(await bus.request(subject, {}, { deadline: Date.now() + 5_000 })).toBe('here');
  }, 120_000);
});

// SPDX-License-Identifier: Apache-2.0
import type { WorkMessage } from '@writ/bus';
import { startNatsServer, type TestNatsServer } from '@writ/testing';
import { workLanesOf } from './lanes.ts';
import { natsBus, type NatsBus } from './nats-bus.ts';
import { natsServerConfig } from './server-config.ts';

const shard = 's0';
const lanes = workLanesOf(shard);
const lane = 'writ.v1.s0.work.inline';
const password = 'a-password-of-a-test';
const users = { orchestrator: password, kernel: password, executor: password, ledger: password };

let server: TestNatsServer;
let kernel: NatsBus;
let executor: NatsBus;
let received: string[];
let heard: () => void;

/**
 * Publishes again until the worker has received the message, as the dispatcher does for a permit that was not redeemed.
 * Resolves to the number of messages.
 */
async function enqueueUntilReceived(text: string): Promise<number> {
  for (let ring = 1; ; ring += 1) {
    const arrived = new Promise<boolean>((resolve) => {
      heard = () => (received.includes(text) ? resolve(true) : undefined);
      setTimeout(() => resolve(false), 3_000).unref();
    });
    await kernel.enqueue(lane, new TextEncoder().encode(text), { messageId: `${text}-${ring}` });
    if (await arrived) return ring;
  }
}

async function startExecutor(): Promise<void> {
  executor = await natsBus({ url: server.url, user: 'executor', password, lanes, keepsLanes: false });
  await executor.consume(lane, {
    durable: 'inline',
    slots: () => 8,
    handler: async (message: WorkMessage) => {
      message.ack();
      received.push(new TextDecoder().decode(message.bytes));
      heard();
    },
  });
}

/** The bus refuses a message while it has no connection. The dispatcher publishes its next one later. */
async function reconnected(): Promise<void> {
  while (!kernel.isConnected()) await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(async () => {
  server = await startNatsServer((place) => natsServerConfig({ ...place, users, serverName: 'test', shard }));
  kernel = await natsBus({ url: server.url, user: 'kernel', password, lanes, keepsLanes: true });
  received = [];
  heard = () => {};
  await startExecutor();
  expect(await enqueueUntilReceived('before')).toBe(1);
}, 120_000);

afterEach(async () => {
  await executor.close();
  await kernel.close();
  await server.stop();
});

test('after its directory is deleted, a running server delivers work', async () => {
  await server.deleteStore();
  for (const text of ['one', 'two', 'three']) expect(await enqueueUntilReceived(text)).toBe(1);
}, 120_000);

test('after its directory is deleted and the server restarts, one message restores the lane', async () => {
  await server.deleteStore();
  await server.kill();
  await server.start();
  await reconnected();
  expect(await enqueueUntilReceived('after')).toBe(1);
}, 120_000);

test('after the server stopped, its directory was deleted and it started, one message restores the lane', async () => {
  await server.kill();
  await server.deleteStore();
  await server.start();
  await reconnected();
  expect(await enqueueUntilReceived('after')).toBe(1);
}, 120_000);

test('a message rebuilds storage that can no longer be written', async () => {
  await executor.close();
  await server.deleteStore();
  // Fills the block that is still open, until the server has to open a file where the directory was.
  const large = 'x'.repeat(16_000);
  for (let index = 0; index < 600; index += 1)
    await kernel.enqueue(lane, new TextEncoder().encode(large), { messageId: `fill-${index}` });
  await startExecutor();
  expect(await enqueueUntilReceived('after')).toBeLessThanOrEqual(2);
}, 120_000);

test('a worker that starts before its lane reports nothing, and reports a lost lane once', async () => {
  const other = await startNatsServer((place) => natsServerConfig({ ...place, users, serverName: 'test', shard }));
  const reports: unknown[] = [];
  const early = await natsBus({
    url: other.url,
    user: 'executor',
    password,
    lanes,
    keepsLanes: false,
    report: (error) => {
      reports.push(error);
    },
  });
  const arrived = Promise.withResolvers<string>();
  const receive = async (message: WorkMessage): Promise<void> => {
    message.ack();
    arrived.resolve(new TextDecoder().decode(message.bytes));
  };
  await early.consume(lane, { durable: 'inline', slots: () => 8, handler: receive });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(reports).toEqual([]);
  const late = await natsBus({ url: other.url, user: 'kernel', password, lanes, keepsLanes: true });
  await late.enqueue(lane, new TextEncoder().encode('first'), { messageId: 'first' });
  expect(await arrived.promise).toBe('first');
  // The process that makes the lanes is gone, and so is the server's storage.
  await late.close();
  await other.kill();
  await other.deleteStore();
  await other.start();
  await vi.waitFor(() => {
    expect(reports).toHaveLength(1);
  }, 10_000);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(reports).toHaveLength(1);
  await early.close();
  await other.stop();
}, 60_000);

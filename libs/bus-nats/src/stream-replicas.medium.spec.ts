// SPDX-License-Identifier: Apache-2.0
import { jetstreamManager } from '@nats-io/jetstream';
import { freePort, startNatsServer, type TestNatsServer } from '@writ/testing';
import { connectNats } from './connect.ts';
import { workLanesOf } from './lanes.ts';
import { natsBus, type NatsBus } from './nats-bus.ts';

const SERVERS = 3;
const lanes = workLanesOf('s0', SERVERS);
const lane = 'writ.v1.s0.work.inline';
/** The election of another leader takes seconds, and a client checks for a dead peer each five. */
const GAP_MS = 60_000;

let servers: readonly TestNatsServer[];
let url: string;
let kernel: NatsBus;
let executor: NatsBus;
let received: string[];

beforeEach(async () => {
  const ports = await Promise.all(Array.from({ length: SERVERS }, () => freePort()));
  const routes = ports.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  servers = await Promise.all(
    ports.map((route, index) =>
      startNatsServer(
        ({ host, port, storeDir }) => `
host: "${host}"
port: ${port}
server_name: "n${index}"
jetstream { store_dir: "${storeDir}" }
cluster { name: "spec", host: "127.0.0.1", port: ${route}, routes: [${routes}] }
`,
      ),
    ),
  );
  url = servers.map((server) => server.url).join(',');
  kernel = await vi.waitFor(() => natsBus({ url, user: 'kernel', lanes, keepsLanes: true }), {
    timeout: GAP_MS,
    interval: 500,
  });
  executor = await natsBus({ url, user: 'executor', lanes, keepsLanes: false });
  received = [];
  await executor.consume(lane, {
    durable: 'inline',
    slots: () => 8,
    handler: async (message) => {
      message.ack();
      received.push(new TextDecoder().decode(message.bytes));
    },
  });
  await enqueueUntilReceived('before');
}, 2 * GAP_MS);

afterEach(async () => {
  await executor?.close();
  await kernel?.close();
  await Promise.all((servers ?? []).map((server) => server.stop()));
}, GAP_MS);

/** Publishes again and again, as the dispatcher does, until a worker has received the message. */
async function enqueueUntilReceived(text: string): Promise<void> {
  let ring = 0;
  await vi.waitFor(
    async () => {
      ring += 1;
      await kernel.enqueue(lane, new TextEncoder().encode(text), { messageId: `${text}-${ring}` });
      await vi.waitFor(() => expect(received).toContain(text), { timeout: 2_000 });
    },
    { timeout: GAP_MS, interval: 500 },
  );
}

/** The server that leads the stream. */
async function leaderOfStream(): Promise<TestNatsServer> {
  const connection = await connectNats({ url, user: 'kernel' });
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const { cluster, config } = await manager.streams.info(lanes.stream);
  await connection.close();
  expect(config.num_replicas).toBe(SERVERS);
  return servers[Number(cluster?.leader?.slice(1))]!;
}

test(
  'in a cluster of three, work reaches executors while the server that led its stream is away',
  async () => {
    await (await leaderOfStream()).kill();
    await enqueueUntilReceived('after');
    expect(received).toContain('after');
  },
  2 * GAP_MS,
);

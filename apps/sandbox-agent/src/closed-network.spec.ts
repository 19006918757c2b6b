// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { untilClosed, type Looks } from './closed-network.ts';

let server: Server;
let asked: number;
const address = (port: number) => ({ text: `127.0.0.1:${port}`, host: '127.0.0.1', port });

/** Without neighbours unless named; time runs by itself then. */
const looks = (over: Partial<Looks> = {}): Looks => ({
  now: () => performance.now(),
  neighbours: async () => ({ addresses: [], isEarly: false }),
  ...over,
});

beforeEach(async () => {
  asked = 0;
  server = createServer((socket) => {
    asked += 1;
    socket.on('error', () => undefined).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => void server.close());

test('a network that closes is closed once it has refused several times in a row', async () => {
  const { port } = server.address() as AddressInfo;
  let isClosed = false;
  const closed = untilClosed([address(port)], looks()).then(() => {
    isClosed = true;
  });
  while (asked < 3) await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  server.close();
  await closed;
});

test('one that is closed at one address and open at another is open, and the error names the open one', async () => {
  const { port } = server.address() as AddressInfo;
  // Time runs by itself: each look at it is a second later than the one before.
  let now = 0;
  await expect(untilClosed([address(1), address(port)], looks({ now: () => (now += 1_000) }))).rejects.toThrow(
    `the network is open: 127.0.0.1:${port} answers`,
  );
});

test.each([
  ['that has a listener', () => (server.address() as AddressInfo).port],
  ['that refuses by itself, which an open way shows as well', () => 1],
])('a network with a neighbour by IPv6 %s is open, whatever IPv4 is', async (_what, port) => {
  let now = 0;
  const neighbours = async () => ({ addresses: [address(port())], isEarly: false });
  await expect(untilClosed([address(1)], looks({ now: () => (now += 1_000), neighbours }))).rejects.toThrow(
    `the network is open: 127.0.0.1:${port()} answers this container by IPv6`,
  );
});

test('a silence counts only once the container may send by IPv6', async () => {
  const { port } = server.address() as AddressInfo;
  let now = 0;
  let early = 3;
  const neighbours = async () => ({ addresses: [address(port)], isEarly: (early -= 1) >= 0 });
  await expect(untilClosed([address(1)], looks({ now: () => (now += 1_000), neighbours }))).rejects.toThrow('by IPv6');
  expect(early).toBeLessThan(0);
});

test('an address that stays tentative is no closed network', async () => {
  let now = 0;
  const neighbours = async () => ({ addresses: [], isEarly: true });
  await expect(untilClosed([address(1)], looks({ now: () => (now += 1_000), neighbours }))).rejects.toThrow(
    'tentative',
  );
});

test('where nothing has to refuse, nothing is waited for', async () => {
  await untilClosed([]);
});

// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { verifyNetworkClosed, type NetworkProbes } from './closed-network.ts';

let server: Server;
let connections: number;
const address = (port: number) => ({ text: `127.0.0.1:${port}`, host: '127.0.0.1', port });

/** Probes without neighbours by default, on the real clock. */
const probesOf = (over: Partial<NetworkProbes> = {}): NetworkProbes => ({
  now: () => performance.now(),
  neighbours: async () => ({ addresses: [], isTentative: false }),
  ...over,
});

beforeEach(async () => {
  connections = 0;
  server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => void server.close());

test('a network counts as closed after several refusals in a row', async () => {
  const { port } = server.address() as AddressInfo;
  let isClosed = false;
  const closed = verifyNetworkClosed([address(port)], probesOf()).then(() => {
    isClosed = true;
  });
  while (connections < 3) await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  server.close();
  await closed;
});

test('a network that is open at one of its addresses is open, and the error names that address', async () => {
  const { port } = server.address() as AddressInfo;
  // Each read of this clock is a second later than the one before.
  let now = 0;
  await expect(
    verifyNetworkClosed([address(1), address(port)], probesOf({ now: () => (now += 1_000) })),
  ).rejects.toThrow(`the network is open: 127.0.0.1:${port} answers`);
});

test.each([
  ['that has a listener', () => (server.address() as AddressInfo).port],
  ['that refuses by itself, which an open way shows as well', () => 1],
])('a network with a neighbour by IPv6 %s is open, whatever IPv4 is', async (_what, port) => {
  let now = 0;
  const neighbours = async () => ({ addresses: [address(port())], isTentative: false });
  await expect(verifyNetworkClosed([address(1)], probesOf({ now: () => (now += 1_000), neighbours }))).rejects.toThrow(
    `the network is open: 127.0.0.1:${port()} answers this container by IPv6`,
  );
});

test('a missing answer counts only once the container can send over IPv6', async () => {
  const { port } = server.address() as AddressInfo;
  let now = 0;
  let early = 3;
  const neighbours = async () => ({ addresses: [address(port)], isTentative: (early -= 1) >= 0 });
  await expect(verifyNetworkClosed([address(1)], probesOf({ now: () => (now += 1_000), neighbours }))).rejects.toThrow(
    'by IPv6',
  );
  expect(early).toBeLessThan(0);
});

test('an address that stays tentative is an error', async () => {
  let now = 0;
  const neighbours = async () => ({ addresses: [], isTentative: true });
  await expect(verifyNetworkClosed([address(1)], probesOf({ now: () => (now += 1_000), neighbours }))).rejects.toThrow(
    'tentative',
  );
});

test('without canaries the check resolves at once', async () => {
  await verifyNetworkClosed([]);
});

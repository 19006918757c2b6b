// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { untilClosed } from './closed-network.ts';

let server: Server;
let asked: number;
const address = (port: number) => ({ text: `127.0.0.1:${port}`, host: '127.0.0.1', port });

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
  const closed = untilClosed([address(port)]).then(() => {
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
  await expect(untilClosed([address(1), address(port)], () => (now += 1_000))).rejects.toThrow(
    `the network is open: 127.0.0.1:${port} answers`,
  );
});

test('where nothing has to refuse, nothing is waited for', async () => {
  await untilClosed([]);
});

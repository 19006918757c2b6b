// SPDX-License-Identifier: Apache-2.0
import { createServer, type AddressInfo, type Server } from 'node:net';
import { whenReachable } from './when-reachable.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Listens on a given port that was free a moment ago, or on any free one. */
async function listen(port = 0): Promise<number> {
  const server = createServer((socket) => {
    socket.destroy();
  });
  servers.push(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}
async function freePort(): Promise<number> {
  const port = await listen();
  await new Promise((resolve) => {
    servers.pop()?.close(resolve);
  });
  return port;
}
const said: string[] = [];
const say = (variable: string, address: string): void => {
  said.push(`${variable} ${address}`);
};
beforeEach(() => {
  said.length = 0;
});

it('a reachable address is neither waited for nor reported', async () => {
  await whenReachable(
    { A: `nats://127.0.0.1:${await listen()}`, B: `postgresql://u:p@127.0.0.1:${await listen()}/d` },
    { withinMs: 0, report: say },
  );
  expect(said).toEqual([]);
});

it('an address that comes up later is waited for, and reported once', async () => {
  const port = await freePort();
  const waits = whenReachable({ A: `nats://127.0.0.1:${port}` }, { withinMs: 20_000, report: say });
  setTimeout(() => {
    void listen(port);
  }, 700);
  await waits;
  expect(said).toEqual([`A 127.0.0.1:${port}`]);
});

it('of several servers one is enough', async () => {
  const [gone, there] = [await freePort(), await listen()];
  await whenReachable({ A: `nats://127.0.0.1:${gone}, nats://127.0.0.1:${there}` }, { withinMs: 0, report: say });
});

it('an address that stays unreachable ends the wait with the variable, the address and the cause', async () => {
  const port = await freePort();
  await expect(
    whenReachable({ WRIT_NATS_URL: `nats://127.0.0.1:${port}` }, { withinMs: 300, report: say }),
  ).rejects.toThrow(`nobody listens at \`127.0.0.1:${port}\` (ECONNREFUSED), which \`WRIT_NATS_URL\` names`);
});

it('a name that does not resolve is an unreachable address', async () => {
  await expect(whenReachable({ A: 'nats://no-such-host.invalid:1' }, { withinMs: 0, report: say })).rejects.toThrow(
    'no-such-host.invalid:1',
  );
});

it.each(['nonsense', 'postgresql:///d?host=/var/run/postgresql'])('%s is not waited for', async (url) => {
  await whenReachable({ A: url }, { withinMs: 0, report: say });
});

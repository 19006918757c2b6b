// SPDX-License-Identifier: Apache-2.0
//
// Whether an engine can now serve this process, on a socket of the system: with an engine that runs, and one that ends.
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createListener, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { ENGINE_CHECK_MS_MAX, EngineNotReady } from '@writ/sandbox-host';
import { until } from '@writ/sandbox-host/contract';
import { DockerSandbox } from './docker-sandbox.ts';
import { asNobody } from './engine-door.contract.ts';

let folder: string;
let path: string;
let server: Server | null;
let connections: number;
let pingStatus: number;
let sandbox: DockerSandbox;
let docker: Docker;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-engine-'));
  chmodSync(folder, 0o755);
  [path, server, connections, pingStatus] = [join(folder, 'engine.sock'), null, 0, 200];
  await openEngine();
  docker = new Docker({ socketPath: path });
  sandbox = await DockerSandbox.open({ docker, label: 'test', owner: 'test', pools: [] });
});
afterEach(async () => {
  await sandbox.close();
  await shut();
  rmSync(folder, { recursive: true });
});

/** An engine without containers and events, which answers pings. */
async function openEngine(): Promise<void> {
  server = createServer((request, response) => {
    if (request.url === '/_ping') response.writeHead(pingStatus).end('OK');
    else if (request.url?.startsWith('/events')) response.writeHead(200).flushHeaders();
    else response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(path);
  await once(server, 'listening');
  chmodSync(path, 0o666);
}

async function shut(): Promise<void> {
  const closing = server;
  server = null;
  if (closing === null) return;
  closing.closeAllConnections();
  await new Promise((resolve) => closing.close(resolve));
}

const look = async (): Promise<string> =>
  await sandbox.verifyReady().then(
    () => 'ready',
    (error: unknown) => {
      expect(error).toBeInstanceOf(EngineNotReady);
      return (error as EngineNotReady).problem;
    },
  );

it('an engine that answers is ready, also for a user whose only right is its socket', async () => {
  expect([await look(), await asNobody(look)]).toEqual(['ready', 'ready']);
});

it('an engine whose socket refuses this process is `denied`, in spite of older connections', async () => {
  await docker.ping();
  chmodSync(path, 0o600);
  expect(await asNobody(look)).toBe('denied');
  chmodSync(path, 0o666);
  expect(await asNobody(look)).toBe('ready');
});

it('an engine whose socket is removed or replaced is `unreachable`, until an engine listens again', async () => {
  rmSync(path);
  expect(await look()).toBe('unreachable');
  writeFileSync(path, '');
  expect(await look()).toBe('unreachable');
  rmSync(path);
  await shut();
  await openEngine();
  expect(await look()).toBe('ready');
});

it('an engine that has ended is `unreachable`', async () => {
  await shut();
  expect(await look()).toBe('unreachable');
});

it('an engine that accepts a ping without answering is `silent` in time, and the connection is closed', async () => {
  await shut();
  const [sockets, pinging]: [Socket[], Socket[]] = [[], []];
  const silent = createListener((socket) => {
    sockets.push(socket);
    socket
      .on('error', () => undefined)
      .on('data', (asked) => void (String(asked).startsWith('GET /_ping') && pinging.push(socket)));
  }).listen(path);
  await once(silent, 'listening');
  const began = performance.now();
  expect(await look()).toBe('silent');
  expect(performance.now() - began).toBeLessThan(ENGINE_CHECK_MS_MAX + 500);
  expect(pinging).toHaveLength(1);
  await until('the connection is closed', () => pinging[0]?.closed === true);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});

it.each([
  [401, 'denied'],
  [403, 'denied'],
  [500, 'failed'],
  [404, 'failed'],
] as const)('an engine that answers a ping with %i: %s', async (status, problem) => {
  pingStatus = status;
  expect(await look()).toBe(problem);
});

it('each check opens one new connection', async () => {
  const before = connections;
  await look();
  await look();
  expect(connections).toBe(before + 2);
});

it('over TCP, an engine that answers is ready, and a port where nobody listens is `unreachable`', async () => {
  const tcp = createServer((_request, response) => void response.end('OK')).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as { port: number };
  const far = await DockerSandbox.open({
    docker: new Docker({ host: '127.0.0.1', port, protocol: 'http' }),
    label: 'test',
    owner: 'test',
    pools: [],
  });
  await far.verifyReady();
  tcp.closeAllConnections();
  await new Promise((resolve) => tcp.close(resolve));
  await expect(far.verifyReady()).rejects.toMatchObject({ problem: 'unreachable' });
  await far.close();
});

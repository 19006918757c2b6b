// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { qualifiedNameOf, type GatePeer } from './pod-probe.ts';
import { parsePeer, passGate, type GateOptions } from './pass-gate.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
});

/** A pod whose answer can be changed while it runs. */
async function startPod(
  first: object,
): Promise<{ peer: (side: GatePeer['side']) => GatePeer; answer: (next: object) => void }> {
  let body = first;
  const server = createServer((_request, response) => response.end(JSON.stringify(body)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  return {
    peer: (side) => ({ component: 'ledger', side, host: '127.0.0.1', port }),
    answer: (next) => {
      body = next;
    },
  };
}

const gate = (
  peers: readonly GatePeer[],
  over: Partial<GateOptions> = {},
): { passed: Promise<string>; lines: string[] } => {
  const lines: string[] = [];
  return {
    passed: passGate({
      version: '2.0.0',
      peers,
      port: 0,
      silentMs: 60_000,
      print: (line) => lines.push(line),
      ...over,
    }),
    lines,
  };
};

test('a gate opens once every earlier pod has the version, and prints which pod it waited for', async () => {
  const pod = await startPod({ status: 'ok', version: '1.0.0' });
  const { passed, lines } = gate([pod.peer('earlier')]);
  await vi.waitFor(() => expect(lines).toEqual(['version 2.0.0 waits: ledger at 127.0.0.1 runs 1.0.0']));
  pod.answer({ status: 'ok', version: '2.0.0' });
  expect(await passed).toMatch(/^version 2\.0\.0 may start after \d+ ms$/);
});

test('two gates that query each other both open, since neither process runs', async () => {
  let port = 0;
  const stop = new AbortController();
  const old = await startPod({ status: 'ok', version: '1.0.0' });
  const first = gate([old.peer('earlier')], {
    signal: stop.signal,
    onListening: (listening) => {
      port = listening;
    },
  });
  await vi.waitFor(() => expect(port).not.toBe(0));
  const second = gate([{ component: 'kernel', side: 'earlier', host: '127.0.0.1', port }]);
  expect(await second.passed).toContain('may start');
  stop.abort();
  await expect(first.passed).rejects.toThrow('stopped while it waited: ledger at 127.0.0.1 runs 1.0.0');
});

test('an endless answer is read up to its bound and counts as no answer', async () => {
  const sent: number[] = [];
  const server = createServer((request, response) => {
    const more = (): void => {
      while (response.write(Buffer.alloc(64 * 1024, ' '))) continue;
    };
    response.on('drain', more).on('close', () => sent.push(request.socket.bytesWritten));
    more();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const { passed, lines } = gate([{ component: 'ledger', side: 'earlier', host: '127.0.0.1', port }], {
    silentMs: 700,
  });
  await passed;
  expect(lines).toEqual(["version 2.0.0 waits: ledger at 127.0.0.1 doesn't answer"]);
  // Only what the system buffers on both sides.
  expect(Math.max(...sent)).toBeLessThan(32 * 2 ** 20);
});

test("a pod that doesn't answer delays a gate for the silent time and no longer", async () => {
  const pod = await startPod({});
  const peer = pod.peer('earlier');
  servers[0]!.close();
  servers[0]!.closeAllConnections();
  const { passed, lines } = gate([peer], { silentMs: 700 });
  await passed;
  expect(lines).toEqual(["version 2.0.0 waits: ledger at 127.0.0.1 doesn't answer"]);
  servers.splice(0);
});

const PEER: GatePeer = { component: 'ledger', side: 'earlier', host: 'ledger-ops', port: 9464 };
const unresolved = (code: string): Error => Object.assign(new Error(code), { code });

test('a component without pods delays nothing', async () => {
  const { passed, lines } = gate([PEER], { resolve: () => Promise.reject(unresolved('ENOTFOUND')) });
  await passed;
  expect(lines).toEqual([]);
});

test("while names can't be resolved no process starts, since pods may exist unseen", async () => {
  const answers = [unresolved('EAI_AGAIN'), unresolved('ENOTFOUND')];
  const { passed, lines } = gate([PEER], { resolve: () => Promise.reject(answers.shift() ?? unresolved('ENOTFOUND')) });
  await passed;
  expect(lines).toEqual(["version 2.0.0 waits: `ledger-ops` can't be resolved (EAI_AGAIN)"]);
});

test.each(['ledger', 'ledger=host', 'ledger=host:port', '=host:1', 'led ger=host:1'])(
  'parsePeer refuses `%s`',
  (text) => {
    expect(() => parsePeer('earlier', text)).toThrow('write `COMPONENT=HOST:PORT`');
  },
);

test('parsePeer reads a component and an address', () => {
  expect(parsePeer('later', 'kernel=w-writ-kernel-ops:9464')).toEqual({
    component: 'kernel',
    side: 'later',
    host: 'w-writ-kernel-ops',
    port: 9464,
  });
});

test.each([
  [
    'in a pod',
    'search writ.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\n',
    'ledger-ops.writ.svc.cluster.local.',
  ],
  [
    'in a cluster of another name',
    'nameserver 10.96.0.10\nsearch n-1.svc.k8s.example.org svc.k8s.example.org example.org\n',
    'ledger-ops.n-1.svc.k8s.example.org.',
  ],
  ['outside of clusters', 'search example.org\nnameserver 192.0.2.1\n', 'ledger-ops'],
  ['without search domains', 'nameserver 192.0.2.1\n', 'ledger-ops'],
])('the name of a Service %s is looked up fully qualified', (_where, settings, name) => {
  expect(qualifiedNameOf('ledger-ops', settings)).toBe(name);
  expect(qualifiedNameOf('ledger-ops.other', settings)).toBe('ledger-ops.other');
});

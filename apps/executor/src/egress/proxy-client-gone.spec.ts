// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExternalHosts } from '../specs/external-hosts.ts';
import { CallGate } from './call-gate.ts';
import { Proxy } from './proxy.ts';

let outside: ExternalHosts;
beforeEach(async () => {
  outside = await ExternalHosts.open();
});
afterEach(() => outside.close());

it.each([
  'POST http://a.outside.example/ HTTP/1.1\r\nHost: a.outside.example\r\nContent-Length: 1\r\n\r\nx',
  'CONNECT a.outside.example:80 HTTP/1.1\r\nHost: a.outside.example:80\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n',
])('the proxy sends nothing for a client that closes while its request is admitted: %j', async (head) => {
  const announcing = Promise.withResolvers<undefined>();
  const announced = Promise.withResolvers<undefined>();
  const gate = new CallGate({
    net: [[{ domain: '*.outside.example', methods: ['POST', 'CONNECT'], ports: [80] }]],
    bytesMax: 1_000,
    requestsMax: 10,
    ports: outside.ports,
    now: () => 0,
    signal: new AbortController().signal,
    preview: null,
    confirm: () => Promise.resolve(),
    announce: async () => {
      announcing.resolve(undefined);
      await announced.promise;
    },
  });
  const [client, served] = duplexPair();
  new Proxy(gate).serve(served);
  client.write(head);
  await announcing.promise;
  served.destroy();
  await once(served, 'close');
  announced.resolve(undefined);
  await sleep(50);
  expect(outside.received).toEqual([]);
  expect(gate.requests).toMatchObject([
    { outcome: 'failed', sent_bytes: 0, reason: 'the client closed its connection before the request left' },
  ]);
  gate.close();
});

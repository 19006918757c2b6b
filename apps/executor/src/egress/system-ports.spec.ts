// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { DIRECT } from '@writ/nest-kit';
import { newCertificateAuthority, startTunnelProxy, type TunnelProxy } from '@writ/testing';
import { systemEgress } from './system-ports.ts';

const usual = getCACertificates('default');
const HOST = 'far.example';
let proxy: TunnelProxy;
let end: () => void;
beforeAll(async () => {
  const authority = await newCertificateAuthority();
  const server = createServer(await authority.issue([{ type: 'dns', value: HOST }]), (_request, response) =>
    response.end('hello'),
  );
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  proxy = await startTunnelProxy({ leadsTo: () => port });
  setDefaultCACertificates([...usual, authority.cert]);
  end = () => {
    server.closeAllConnections();
    server.close();
  };
});
afterAll(async () => {
  setDefaultCACertificates(usual);
  await proxy.stop();
  end();
});
const signal = (): AbortSignal => AbortSignal.timeout(5_000);
const through = (more = {}) => systemEgress({ proxyFor: () => proxy.url, proxyResolves: false, ...more });

it('dials the judged address through the proxy and verifies the certificate of the name', async () => {
  const to = { host: HOST, address: '93.184.216.34', port: 443, tlsHost: HOST };
  const connection = await through().dial(to, signal());
  connection.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
  expect(await text(connection)).toMatch(/^HTTP\/1.1 200[^]*hello/);
  await expect(through().dial({ ...to, host: 'other.example', tlsHost: 'other.example' }, signal())).rejects.toThrow(
    /altnames/,
  );
  expect(proxy.requested.splice(0)).toEqual(['93.184.216.34:443', '93.184.216.34:443']);
});

it('offers HTTP by ALPN for requests, and nothing for a raw connection', async () => {
  const to = { host: HOST, address: '93.184.216.34', port: 993, tlsHost: HOST };
  const [http, raw] = [
    (await through().dial(to, signal())) as TLSSocket,
    (await through().dial({ ...to, raw: true }, signal())) as TLSSocket,
  ];
  expect([http.alpnProtocol, raw.alpnProtocol]).toEqual(['http/1.1', false]);
  expect(proxy.requested.splice(0)).toEqual(['93.184.216.34:993', '93.184.216.34:993']);
  http.destroy();
  raw.destroy();
});

it('does not resolve names for a proxy that resolves them, except hosts that it reaches directly', async () => {
  const ports = through({ proxyResolves: true, proxyFor: (host: string) => (host === 'localhost' ? null : proxy.url) });
  expect(await ports.resolve(HOST, signal())).toBeNull();
  // Whatever this machine's resolver answers, it is queried.
  expect(await ports.resolve('localhost', signal()).catch(() => [])).not.toBeNull();
  (await ports.dial({ host: HOST, address: null, port: 443, tlsHost: HOST }, signal())).destroy();
  expect(proxy.requested.splice(0)).toEqual([`${HOST}:443`]);
});

it('without a proxy, refuses to dial a name', async () => {
  await expect(
    systemEgress(DIRECT).dial({ host: 'localhost', address: null, port: 1, tlsHost: null }, signal()),
  ).rejects.toThrow('by its name');
  expect(proxy.requested).toEqual([]);
});

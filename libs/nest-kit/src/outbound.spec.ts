// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { newCertificateAuthority, startTunnelProxy } from '@writ/testing';
import { connectThrough, DIRECT, fetchThrough, OUTBOUND_ENVIRONMENT, outboundOf } from './outbound.ts';
import { readEnvironment } from './read-environment.ts';
import { Type } from 'typebox';

const read = (env: Record<string, string>) => outboundOf(readEnvironment(Type.Object(OUTBOUND_ENVIRONMENT), env));
const signal = (): AbortSignal => AbortSignal.timeout(5_000);

describe('the settings of outbound connections', () => {
  it('are direct unless a proxy is named', () => {
    expect(read({})).toBe(DIRECT);
  });

  it('match hosts that bypass the proxy, by name and by domain suffix', () => {
    const { proxyFor, proxyResolves } = read({
      WRIT_OUTBOUND_PROXY: 'http://proxy:3128',
      WRIT_OUTBOUND_DIRECT: 'a.example,.inside.example',
      WRIT_OUTBOUND_DNS: 'proxy',
    });
    expect([proxyFor('far.example')?.host, proxyResolves]).toEqual(['proxy:3128', true]);
    const hosts = ['a.example', 'b.a.example', 'inside.example', 'x.inside.example', 'xinside.example'];
    expect(hosts.filter((host) => proxyFor(host) === null)).toEqual(['a.example', 'x.inside.example']);
  });

  it.each([
    [{ WRIT_OUTBOUND_PROXY: 'proxy:3128' }, /WRIT_OUTBOUND_PROXY is wrong: an HTTP proxy/],
    [{ WRIT_OUTBOUND_PROXY: 'https://proxy:3128' }, /WRIT_OUTBOUND_PROXY/],
    [{ WRIT_OUTBOUND_DNS: 'proxy' }, /WRIT_OUTBOUND_DNS.*`WRIT_OUTBOUND_PROXY` must name the proxy/],
    [{ WRIT_OUTBOUND_PROXY: 'http://proxy', WRIT_OUTBOUND_DIRECT: 'a.example b.example' }, /WRIT_OUTBOUND_DIRECT/],
  ])('%o is refused', (env, words) => {
    expect(() => read(env as Record<string, string>)).toThrow(words);
  });
});

describe('a tunnel through a proxy', () => {
  let server: Server;
  let port: number;
  beforeAll(async () => {
    server = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.close();
  });

  it('reaches the target that the proxy permits, with the credentials', async () => {
    const proxy = await startTunnelProxy({ leadsTo: () => port, credentials: 'ann:p%20w' });
    try {
      proxy.url.password = encodeURIComponent('p%20w');
      const socket = await connectThrough(proxy.url, 'far.example', 80, signal());
      socket.write('GET / HTTP/1.1\r\nHost: far.example\r\nConnection: close\r\n\r\n');
      const parts: Buffer[] = [];
      for await (const part of socket) parts.push(part as Buffer);
      expect(Buffer.concat(parts).toString()).toMatch(/^HTTP\/1.1 200[^]*hello/);
      await expect(
        connectThrough(new URL(`http://127.0.0.1:${proxy.url.port}`), 'far.example', 80, signal()),
      ).rejects.toThrow('answered 407');
      expect(proxy.requested).toEqual(['far.example:80', 'far.example:80']);
    } finally {
      await proxy.stop();
    }
  });

  it('that the proxy refuses is an error with its status, and one that never opens ends with the signal', async () => {
    const proxy = await startTunnelProxy({ leadsTo: () => null });
    try {
      await expect(connectThrough(proxy.url, '2001:db8::1', 443, signal())).rejects.toThrow(
        'answered 403 to a tunnel to [2001:db8::1]:443',
      );
      await expect(
        connectThrough(proxy.url, 'far.example', 443, AbortSignal.abort(new Error('gone'))),
      ).rejects.toThrow();
    } finally {
      await proxy.stop();
    }
  });
});

it('fetch uses the proxy, except for direct hosts, until that is undone', async () => {
  const authority = await newCertificateAuthority();
  const server = createHttpsServer(
    await authority.issue([{ type: 'dns', value: 'far.example' }]),
    (_request, response) => response.end('hello'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const plain = createServer((_request, response) => response.end('near')).listen(0, '127.0.0.1');
  await once(plain, 'listening');
  const proxy = await startTunnelProxy({ leadsTo: () => port });
  const usual = getCACertificates('default');
  setDefaultCACertificates([...usual, authority.cert]);
  const undo = fetchThrough({
    WRIT_OUTBOUND_PROXY: proxy.url.href,
    WRIT_OUTBOUND_DIRECT: 'other.example',
    WRIT_OUTBOUND_DNS: 'own',
  });
  try {
    expect(await (await fetch('https://far.example/')).text()).toBe('hello');
    expect(await (await fetch(`http://127.0.0.1:${String((plain.address() as AddressInfo).port)}/`)).text()).toBe(
      'near',
    );
    expect(proxy.requested).toEqual(['far.example:443']);
  } finally {
    undo();
    setDefaultCACertificates(usual);
    await proxy.stop();
    for (const each of [server, plain]) {
      each.closeAllConnections();
      each.close();
    }
  }
});

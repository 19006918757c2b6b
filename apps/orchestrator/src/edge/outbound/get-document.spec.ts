// SPDX-License-Identifier: Apache-2.0
// Documents of issuers, fetched from a server on this machine that is allowed, and from places that are not.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EgressGate } from './egress-gate.ts';
import { getDocument } from './get-document.ts';

const LIMITS = { bytesMax: 1_000, timeoutMs: 400 };
let server: Server;
let place: string;
let listener: RequestListener;
let requests: string[];
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  place = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = [];
});
const get = (url = `http://${place}/jwks`, resolve: (name: string) => Promise<readonly string[]> = async () => []) =>
  getDocument(new EgressGate(new Set([place]), resolve), url, LIMITS);

it('a document is returned as text', async () => {
  listener = (_request, response) => response.end('{"keys":[]}');
  expect(await get()).toBe('{"keys":[]}');
});

it('the keys of a cluster are returned, which it serves to those alone who accept sets of keys', async () => {
  listener = (request, response) => {
    const isAccepted = request.headers.accept?.split(', ').includes('application/jwk-set+json') === true;
    response.writeHead(isAccepted ? 200 : 406, { 'content-type': 'application/jwk-set+json' }).end('{"keys":[]}');
  };
  expect(await get()).toBe('{"keys":[]}');
});

it('a redirection is not followed', async () => {
  listener = (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end('{}');
  await expect(get()).rejects.toMatchObject({ code: 'status' });
  expect(requests).toEqual(['/jwks']);
});

it('a document that never ends is given up at its greatest length', async () => {
  let sent = 0;
  listener = (_request, response) => {
    const more = setInterval(() => {
      sent += 500;
      response.write('x'.repeat(500));
    }, 5);
    response.once('close', () => clearInterval(more));
  };
  await expect(get()).rejects.toMatchObject({ code: 'connect.failed' });
  expect(sent).toBeLessThan(20_000);
});

it.each<[string, RequestListener]>([
  ['says nothing', () => undefined],
  ['sends its head alone', (_request, response) => void response.writeHead(200).flushHeaders()],
  ['sends one byte and stops', (_request, response) => void response.write('{')],
])('a server that %s is given up in time', async (_what, silent) => {
  listener = silent;
  await expect(get()).rejects.toMatchObject({ code: 'timeout' });
});

it('a document that breaks off is none', async () => {
  listener = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"keys":[]}');
    setTimeout(() => response.destroy(), 20);
  };
  await expect(get()).rejects.toMatchObject({ code: 'connect.failed' });
});

it.each(['10.0.0.8', '169.254.169.254', '127.0.0.1', '::1', 'fd00::1', '100.64.0.1', '0.0.0.0'])(
  'a name that leads to %s is refused, and nobody is connected to',
  async (address) => {
    await expect(get('https://issuer.example/jwks', async () => [address])).rejects.toMatchObject({
      code: 'address.refused',
      message: expect.not.stringContaining(address) as string,
    });
  },
);

it.each([
  'http://issuer.example/jwks',
  'https://127.0.0.1/jwks',
  'https://[::1]/jwks',
  'file:///etc/passwd',
  'data:,x',
])('%s is refused before anybody is asked', async (url) => {
  const asked: string[] = [];
  const answer = get(url, async (name) => {
    asked.push(name);
    return [];
  });
  await expect(answer).rejects.toMatchObject({ code: 'url.refused' });
  expect(asked).toEqual([]);
});

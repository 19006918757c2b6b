// SPDX-License-Identifier: Apache-2.0
import { createServer as createHttp } from 'node:http';
import { createServer, connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { vi } from 'vitest';
import { outsideTls } from '@writ/testing';
import { ExternalHosts, PUBLIC } from '../specs/external-hosts.ts';
import { CallGate, type CallGateOptions } from './call-gate.ts';
import { Proxy } from './proxy.ts';

let outside: ExternalHosts;
beforeEach(async () => {
  outside = await ExternalHosts.open();
});
afterEach(() => outside.close());

function open(more: Partial<CallGateOptions> = {}) {
  const gate = new CallGate({
    net: [[{ domain: '*.outside.example', methods: ['GET', 'POST', 'PUT', 'CONNECT'] }]],
    bytesMax: 10_000_000,
    requestsMax: 100,
    ports: outside.ports,
    now: () => 0,
    signal: new AbortController().signal,
    preview: null,
    confirm: () => Promise.resolve(),
    announce: () => Promise.resolve(),
    ...more,
  });
  const proxy = new Proxy(gate);
  const connected = () => {
    const [job, ours] = duplexPair();
    proxy.serve(ours);
    return job;
  };
  /** The proxy's answer to these bytes, to the end of the connection. */
  const send = async (bytes: string): Promise<string> => {
    const job = connected();
    job.write(bytes, 'latin1');
    return await text(job);
  };
  return { gate, connected, say: send };
}
const GET = 'GET http://a.outside.example/x HTTP/1.1\r\nHost: a.outside.example\r\n';

it('the proxy forwards a request without its hop-by-hop headers, and returns the answer', async () => {
  outside.answer = (_, response) =>
    void response.writeHead(404, { 'x-a': 'b', 'set-cookie': ['c=1', 'd=2'], connection: 'x-a' }).end('not here');
  const { say, gate } = open();
  const answer = await say(`${GET}Accept: */*\r\nProxy-Connection: keep-alive\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer).toContain('set-cookie: c=1\r\nset-cookie: d=2\r\n');
  expect(answer).toContain('not here');
  expect(outside.received[0]).toMatchObject({
    method: 'GET',
    url: '/x',
    host: 'a.outside.example',
    headers: { accept: '*/*' },
  });
  expect(outside.received[0]!.headers).not.toHaveProperty('proxy-connection');
  expect(gate.requests).toMatchObject([
    { method: 'GET', target: 'http://a.outside.example/x', outcome: 'answered', status: 404, purpose: '' },
  ]);
});

it('the proxy forwards bodies with a length and chunked bodies', async () => {
  const { say } = open();
  await say('POST http://a.outside.example/ HTTP/1.1\r\nHost: a.outside.example\r\nContent-Length: 5\r\n\r\nhello');
  await say(
    'PUT http://a.outside.example/ HTTP/1.1\r\nHost: a.outside.example\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n',
  );
  expect(outside.received.map(({ method, body }) => [method, body])).toEqual([
    ['POST', 'hello'],
    ['PUT', 'hello world'],
  ]);
});

it('the proxy opens a tunnel in which the job speaks TLS itself', async () => {
  const { connected, gate } = open();
  const job = connected();
  job.write('CONNECT a.outside.example:443 HTTP/1.1\r\nHost: a.outside.example:443\r\n\r\n');
  const [established] = (await once(job, 'data')) as [Buffer];
  expect(established.toString()).toBe('HTTP/1.1 200 Connection established\r\n\r\n');
  const secure = connectTls({ socket: job as never, servername: 'a.outside.example', ca: outsideTls().ca });
  secure.write('DELETE /secret HTTP/1.1\r\nHost: a.outside.example\r\nConnection: close\r\n\r\n');
  expect(await text(secure)).toContain('hello from outside');
  expect(outside.dials).toEqual([{ host: 'a.outside.example', address: PUBLIC, port: 443, tlsHost: null }]);
  expect(gate.requests).toMatchObject([{ method: 'CONNECT', target: 'a.outside.example:443', outcome: 'answered' }]);
  expect(JSON.stringify(gate.requests)).not.toContain('secret');
});

it('the proxy opens a tunnel to another port that the token names', async () => {
  await outside.replace(
    993,
    createServer((socket) => void socket.on('error', () => undefined).end('* OK ready\r\n')),
  );
  const { say, gate } = open({ net: [[{ domain: '*.outside.example', methods: ['CONNECT'], ports: [993] }]] });
  expect(await say('CONNECT a.outside.example:993 HTTP/1.1\r\nHost: a.outside.example:993\r\n\r\n')).toContain(
    '* OK ready',
  );
  expect(outside.dials).toEqual([{ host: 'a.outside.example', address: PUBLIC, port: 993, tlsHost: null }]);
  expect(gate.requests).toMatchObject([{ method: 'CONNECT', target: 'a.outside.example:993', outcome: 'answered' }]);
});

it('the proxy forwards a request to another port that the token names, under its full `Host`', async () => {
  await outside.replace(
    8080,
    createHttp((_, response) => void response.end('at 8080')),
  );
  const { say } = open({ net: [[{ domain: '*.outside.example', methods: ['GET'], ports: [8080] }]] });
  expect(await say('GET http://a.outside.example:8080/ HTTP/1.1\r\nHost: a.outside.example:8080\r\n\r\n')).toContain(
    'at 8080',
  );
  expect(outside.dials).toMatchObject([{ port: 8080 }]);
});

describe('a name that a job asks the gate for', () => {
  const asked = (name: string) => `GET /dns/${name} HTTP/1.1\r\nHost: writ\r\n\r\n`;

  it('is resolved where the token names the host, and listed', async () => {
    outside.addressesOf = () => [PUBLIC, '2606:4700::1111'];
    const { say, gate } = open();
    expect(await say(asked('A.outside.example'))).toMatch(/200 OK[^]*\r\n93\.184\.216\.34\n2606:4700::1111\n/);
    expect(gate.requests).toMatchObject([{ method: 'DNS', target: 'a.outside.example', outcome: 'answered' }]);
  });

  it.each([
    ['the token names another', 'b.example', [PUBLIC], 403],
    ['one of its addresses is private, and no address is shown', 'a.outside.example', [PUBLIC, '10.0.0.7'], 403],
    ['it has no address', 'a.outside.example', [], 502],
    ['it is none of a host', 'a.outside.example.', [PUBLIC], 403],
  ])('is refused where %s', async (_, name, addresses, status) => {
    outside.addressesOf = () => addresses;
    const { say, gate } = open();
    const answer = await say(asked(name));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).not.toContain('10.0.0.7');
    expect(outside.resolved).toEqual(name === 'a.outside.example' ? [name] : []);
    expect(gate.requests).toMatchObject([{ method: 'DNS', outcome: 'refused' }]);
  });

  it('is not resolved in a preview', async () => {
    const told: string[] = [];
    const { say } = open({ preview: (what) => told.push(what) });
    expect(await say(asked('a.outside.example'))).toMatch(/^HTTP\/1\.1 403 /);
    expect([told, outside.resolved]).toEqual([['DNS a.outside.example'], []]);
  });
});

describe('the proxy refuses with a readable message, lists the request and sends nothing', () => {
  afterEach(() => expect([outside.received, outside.dials]).toEqual([[], []]));
  it.each([
    [
      'a host that the token does not name',
      'GET http://b.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n',
      403,
      'token.scope',
    ],
    [
      'a tunnel that the token does not name',
      'CONNECT b.example:443 HTTP/1.1\r\nHost: b.example:443\r\n\r\n',
      403,
      'token.scope',
    ],
    [
      'a method that the token does not name',
      'DELETE http://a.outside.example/ HTTP/1.1\r\nHost: a.outside.example\r\n\r\n',
      403,
      'token.scope',
    ],
    [
      'a tunnel to another port',
      'CONNECT a.outside.example:22 HTTP/1.1\r\nHost: a.outside.example:22\r\n\r\n',
      403,
      'port 22',
    ],
    ['the proxy itself', 'GET / HTTP/1.1\r\nHost: a.outside.example\r\n\r\n', 400, 'not `http://`'],
    ['two hosts', `${GET}Host: evil.example\r\n\r\n`, 400, 'exactly one `Host`'],
    [
      "a host that is another's",
      'GET http://a.outside.example/ HTTP/1.1\r\nHost: b.outside.example\r\n\r\n',
      400,
      'exactly one `Host`',
    ],
    ['no host', 'GET http://a.outside.example/ HTTP/1.1\r\n\r\n', 400, 'exactly one `Host`'],
    [
      'a tunnel with another host',
      'CONNECT a.outside.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n',
      400,
      'two places',
    ],
    [
      'a user in the URL',
      'GET http://a.outside.example@evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n',
      400,
      'not `http://`',
    ],
    [
      'a number for a host',
      'GET http://2130706433/ HTTP/1.1\r\nHost: 2130706433\r\n\r\n',
      400,
      'neither a domain name',
    ],
    [
      'TRACE',
      'TRACE http://a.outside.example/ HTTP/1.1\r\nHost: a.outside.example\r\n\r\n',
      400,
      'none that a proxy forwards',
    ],
  ])('a request for %s', async (_, bytes, status, words) => {
    const { say, gate } = open();
    const answer = await say(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('writ: ');
    expect(answer).toContain(words);
    expect(gate.requests).toMatchObject([{ outcome: 'refused', reason: expect.any(String) }]);
  });

  it.each([
    [
      'a length and a coding',
      `${GET.replace('GET', 'POST')}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://169.254.169.254/ HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n`,
    ],
    [
      'two lengths',
      `${GET.replace('GET', 'POST')}Content-Length: 0\r\nContent-Length: 44\r\n\r\nGET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    ['a line that ends bare', 'GET http://a.outside.example/ HTTP/1.1\nHost: a.outside.example\n\n'],
    ['a line break in its URL', 'GET http://a.outside.example/\rX: y HTTP/1.1\r\nHost: a.outside.example\r\n\r\n'],
    ['a folded header', `${GET}X: a\r\n Host: evil.example\r\n\r\n`],
    ['a space before a colon', `${GET}Content-Length : 5\r\n\r\nhello`],
    ['a NUL in a header', `${GET}X: a\0b\r\n\r\n`],
    ['a coding that is not chunked', `${GET.replace('GET', 'POST')}Transfer-Encoding: xchunked\r\n\r\nhello`],
    ['a head without end', `${GET}X: ${'y'.repeat(40_000)}\r\n\r\n`],
    ['another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('a request with %s', async (_, bytes) => {
    const { say, gate } = open();
    expect(await say(bytes)).toMatch(/^HTTP\/1\.1 (?:400|431) /);
    expect(gate.requests.length).toBeGreaterThan(0);
    expect(gate.requests.every(({ outcome }) => outcome === 'refused')).toBe(true);
  });
});

it('bytes after the first request of a connection are not served as a request', async () => {
  const { say, gate } = open();
  const answer = await say(`${GET}\r\n${GET.replace('/x', '/y')}\r\n`);
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  expect(outside.received.map(({ url }) => url)).toEqual(['/x']);
  expect(gate.requests.filter(({ outcome }) => outcome === 'answered')).toHaveLength(1);
});

it('bytes that a server sends after its answer are dropped, and a malformed answer becomes 502', async () => {
  await outside.replace(
    80,
    createServer((socket) => {
      socket
        .on('error', () => undefined)
        .once('data', () =>
          socket.end(
            'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nsecond',
          ),
        );
    }),
  );
  expect(await open().say(`${GET}\r\n`)).toMatch(/\r\n\r\nok$/);
  for (const answered of [
    'nonsense',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    '',
  ]) {
    await outside.replace(
      80,
      createServer((socket) => void socket.on('error', () => undefined).once('data', () => socket.end(answered))),
    );
    const { say, gate } = open();
    expect(await say(`${GET}\r\n`)).toMatch(/^HTTP\/1\.1 502 [^]*egress\.failed/);
    expect(gate.requests).toMatchObject([{ outcome: 'failed' }]);
  }
});

it('a redirect is returned to the job, whose next request is judged like any other', async () => {
  outside.answer = (_, response) =>
    void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
  const { say } = open({
    net: [
      [
        { domain: '*.outside.example', methods: ['GET'] },
        { domain: '169.254.169.254', methods: ['GET'] },
      ],
    ],
  });
  expect(await say(`${GET}\r\n`)).toContain('location: http://169.254.169.254/latest/meta-data/');
  expect(await say('GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 403 [^]*public network/,
  );
  expect(outside.dials).toHaveLength(1);
});

it('a request head that arrives too slowly is answered with 400', async () => {
  vi.useFakeTimers({ toNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  try {
    const { connected, gate } = open();
    const job = connected();
    job.write('GET http://a.outside.example/ HTTP/1.1\r\nHost: a');
    const ended = text(job);
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(10_001);
    expect(await ended).toMatch(/^HTTP\/1\.1 400 /);
    expect(gate.requests).toMatchObject([{ outcome: 'refused' }]);
  } finally {
    vi.useRealTimers();
  }
});

it('a tunnel is cut at the byte budget, with both directions counted', async () => {
  await outside.replace(
    443,
    createServer((socket) => void socket.on('error', () => undefined).pipe(socket)),
  );
  const { connected, gate } = open({ bytesMax: 50_000 });
  const job = connected();
  job.on('error', () => undefined);
  job.write('CONNECT a.outside.example:443 HTTP/1.1\r\n\r\n');
  await once(job, 'data');
  const closed = once(job, 'close');
  job.resume();
  const flood = setInterval(() => job.writable && job.write(Buffer.alloc(10_000)), 1);
  await closed;
  clearInterval(flood);
  expect(gate.bytes).toBeLessThanOrEqual(50_000);
  expect(gate.brokenBy?.code).toBe('limit.exceeded');
});

it('closing the gate closes every connection', async () => {
  const server = createServer((socket) => void socket.on('error', () => undefined));
  await outside.replace(443, server);
  const { connected, gate } = open();
  const job = connected();
  job.write('CONNECT a.outside.example:443 HTTP/1.1\r\n\r\n');
  await once(job, 'data');
  const [closed] = [once(job, 'close')];
  job.resume();
  gate.close();
  await closed;
  const probe = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(probe, 'connect');
  probe.destroy();
});

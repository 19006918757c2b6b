// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:net';
import type { Redemption } from '@writ/contract';
import { EgressFixture, OUTSIDE_HOSTS } from '../specs/egress-fixture.ts';
import { PUBLIC, type ExternalHosts } from '../specs/external-hosts.ts';
import type { ScriptedKernel } from '../specs/scripted-kernel.ts';
import { BrokerRunner } from './broker-runner.ts';

let world: EgressFixture;
let outside: ExternalHosts;
let kernel: ScriptedKernel;
let root: string;
beforeEach(async () => {
  world = await EgressFixture.open();
  ({ outside, kernel, root } = world);
});
afterEach(() => world.close());

const net = OUTSIDE_HOSTS;
const gate = () => world.gate();
async function run(toolId: string, args: Record<string, unknown>, redemption: Partial<Redemption> = {}) {
  const message = kernel.order(toolId, args, root, { redemption: { net, ...redemption } });
  expect(
    await kernel.executor([new BrokerRunner(kernel.blobs, gate(), () => performance.now())]).run(message, 'broker'),
  ).toBe('reported');
  return kernel.reports.at(-1)!;
}
const post = (more: Record<string, unknown> = {}, url = 'https://api.outside.example/v1') => ({
  route: { method: 'POST', url },
  purpose: 'to tell',
  ...more,
});

describe('net.egress', () => {
  it('sends a file of the workspace and reports the answer with its bytes', async () => {
    outside.answer = (_, response, body) => void response.writeHead(201, { 'x-a': 'b' }).end(`got ${body}`);
    const report = await run('net.egress', post({ payload_ref: 'out/body.json', content_type: 'application/json' }));
    expect(report).toMatchObject({
      ended: 'exited',
      error: null,
      delta: null,
      result: {
        status: 201,
        body: 'got {"a":1}',
        encoding: 'utf8',
        size: 11,
        truncated: false,
        headers: { 'x-a': 'b' },
      },
      requests: [
        {
          method: 'POST',
          target: 'https://api.outside.example/v1',
          purpose: 'to tell',
          outcome: 'answered',
          status: 201,
          address: PUBLIC,
        },
      ],
    });
    expect(report.usage.egress_bytes).toBe(report.requests[0]!.sent_bytes + report.requests[0]!.received_bytes);
    expect(outside.received).toMatchObject([
      {
        method: 'POST',
        url: '/v1',
        body: '{"a":1}',
        headers: { 'content-type': 'application/json', 'content-length': '7' },
      },
    ]);
    expect(kernel.requestedVerbs).toEqual(
      expect.arrayContaining(['kernel.renew', 'kernel.effect_started', 'kernel.report']),
    );
  });

  it('puts secrets into headers over TLS only, and redacts them from the report', async () => {
    const secrets = { KEY: 'hunter2-hunter2' };
    const headers = [
      { name: 'authorization', value: 'Bearer ${secret:KEY}' },
      { name: 'x-literal', value: '$${secret:KEY}' },
      { name: 'user-agent', value: 'ours' },
    ];
    outside.answer = (request, response) =>
      void response
        .writeHead(200, { 'x-echo': request.headers.authorization })
        .end(`you said ${String(request.headers.authorization)}`);
    const report = await run('net.egress', post({ headers }), { secrets });
    expect(outside.received).toMatchObject([
      {
        headers: {
          authorization: 'Bearer hunter2-hunter2',
          'x-literal': '${secret:KEY}',
          'user-agent': 'ours',
          accept: '*/*',
        },
      },
    ]);
    expect(report).toMatchObject({
      ended: 'exited',
      result: { body: 'you said Bearer ***KEY***', headers: { 'x-echo': 'Bearer ***KEY***' } },
    });
    expect(JSON.stringify(report)).not.toContain('hunter2');

    outside.answer = (request, response) =>
      void response.writeHead(200, { 'x-echo': `${'.'.repeat(1_010)}${String(request.headers.authorization)}` }).end();
    expect(JSON.stringify(await run('net.egress', post({ headers }), { secrets }))).not.toContain('hunt');
    outside.received.length = 1;

    const plain = await run('net.egress', post({ headers }, 'http://api.outside.example/v1'), { secrets });
    expect(plain).toMatchObject({
      ended: 'failed',
      error: { code: 'egress.refused', hint: 'use `https`' },
      requests: [],
    });
    const broken = await run('net.egress', post({ headers }), { secrets: { KEY: 'a\r\nhost: elsewhere.example' } });
    expect(broken).toMatchObject({ ended: 'failed', error: { code: 'egress.refused' }, requests: [] });
    expect(outside.received).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    outside.answer = (_, response) =>
      void response.writeHead(302, { location: 'https://api.outside.example/other' }).end();
    expect((await run('net.egress', post())).result).toMatchObject({
      status: 302,
      headers: { location: 'https://api.outside.example/other' },
    });
    expect(outside.received).toHaveLength(1);
  });

  it('returns a binary body as base64 and truncates a long one', async () => {
    outside.answer = (_, response) => void response.end(Buffer.from([0xff, 0xfe]));
    expect((await run('net.egress', post())).result).toMatchObject({ body: '//4=', encoding: 'base64', size: 2 });
    outside.answer = (_, response) => void response.end('é'.repeat(200_000));
    const { result, result_ref } = await run('net.egress', post());
    expect([result, result_ref?.size]).toEqual([null, expect.any(Number)]);
  });

  it.each([
    ['a payload that the token does not let the call read', { payload_ref: 'private/key' }, 'token.scope'],
    ['a payload that is not there', { payload_ref: 'out/none' }, 'file.not_found'],
    ['a payload that is a directory', { payload_ref: 'out' }, 'file.kind'],
  ])('sends nothing for %s', async (_, more, code) => {
    const fs = [[{ path: 'out', read: true, write: false }]];
    expect(await run('net.egress', post(more), { fs })).toMatchObject({
      ended: 'failed',
      error: { code },
      requests: [],
    });
    expect(outside.received).toEqual([]);
  });

  it('reports why a request was refused before any effect was announced', async () => {
    outside.addressesOf = () => ['10.0.0.1'];
    expect(await run('net.egress', post())).toMatchObject({
      ended: 'failed',
      error: { code: 'egress.refused' },
      requests: [{ outcome: 'refused', address: null }],
    });
    expect(await run('net.egress', post(), { net: [] })).toMatchObject({
      ended: 'failed',
      error: { code: 'token.scope' },
    });
    outside.addressesOf = () => [PUBLIC];
    await outside.replace(
      443,
      createServer((socket) => socket.destroy()),
    );
    expect(await run('net.egress', post())).toMatchObject({ ended: 'failed', error: { code: 'egress.failed' } });
    expect(kernel.requestedVerbs).not.toContain('kernel.effect_started');
  });

  it.each([
    ['breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'],
    ['is garbled', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno chunk\r\n'],
  ])('reports an answer whose body %s as failed', async (_how, answer) => {
    outside.answer = (request) => void request.socket.end(answer);
    expect(await run('net.egress', post())).toMatchObject({
      ended: 'failed',
      error: { code: 'egress.failed', message: expect.stringContaining('broke') as string },
    });
  });

  it('reports a request without an answer as failed after the effect was announced', async () => {
    outside.answer = (request) => void request.socket.destroy();
    expect(await run('net.egress', post())).toMatchObject({
      ended: 'failed',
      error: { code: 'egress.failed' },
      requests: [{ outcome: 'failed' }],
    });
    expect(kernel.requestedVerbs).toContain('kernel.effect_started');
  });

  it('sends nothing when the kernel answers the announcement with stop', async () => {
    kernel.onEffect = () => ({ v: 1, lease_until: 0, stop: true });
    expect(
      await kernel
        .executor([new BrokerRunner(kernel.blobs, gate(), () => performance.now())])
        .run(kernel.order('net.egress', post(), root, { redemption: { net } }), 'broker'),
    ).toBe('fenced');
    expect(outside.received).toEqual([]);
  });

  it('ends with a limit at its byte budget', async () => {
    outside.answer = (_, response) => void response.end('x'.repeat(100_000));
    expect(
      await run('net.egress', post(), {
        limits: {
          wall_ms: 10_000,
          cpu_ms: 1_000,
          memory_bytes: 1,
          pids: 0,
          disk_write_bytes: 0,
          output_bytes: 200_000,
          egress_bytes: 5_000,
          egress_requests: 1,
        },
      }),
    ).toMatchObject({ ended: 'limit', error: { code: 'limit.exceeded' } });
  });

  it('ends with a timeout at its time limit', async () => {
    outside.answer = () => undefined;
    expect(
      await run('net.egress', post(), {
        limits: {
          wall_ms: 300,
          cpu_ms: 1_000,
          memory_bytes: 1,
          pids: 0,
          disk_write_bytes: 0,
          output_bytes: 200_000,
          egress_bytes: 50_000,
          egress_requests: 1,
        },
      }),
    ).toMatchObject({ ended: 'timeout', error: { code: 'command.timeout' } });
  });
});

describe('web.fetch', () => {
  const page = (body: string, type = 'text/html; charset=utf-8') => {
    outside.answer = (_, response) => void response.writeHead(200, { 'content-type': type }).end(body);
  };
  const fetched = async (more: Record<string, unknown> = {}) =>
    await run('web.fetch', { url: 'https://www.outside.example/post', ...more });

  it('extracts an article without navigation and scripts', async () => {
    const paragraphs = Array.from(
      { length: 12 },
      (_, n) =>
        `<p>Paragraph ${n} of the article, long enough that a reader takes it for text, with commas, and so on, and so forth.</p>`,
    ).join('');
    page(
      `<html><head><title>On gates</title><script>evil()</script></head><body><nav><a href="/">Home</a><a href="/x">Menu entry</a></nav><article><h1>On gates</h1>${paragraphs}</article><footer>Imprint</footer></body></html>`,
    );
    const { result } = (await fetched()) as { result: { text: string } };
    expect(result).toMatchObject({
      title: 'On gates',
      status: 200,
      content_type: 'text/html',
      url: 'https://www.outside.example/post',
      truncated: false,
    });
    expect(result.text).toContain('Paragraph 11 of the article');
    expect(result.text).not.toMatch(/Menu entry|evil|<p>/);
  });

  it('returns the visible text of a page that is no article, and plain text unchanged', async () => {
    page('<title>t</title><body><script>no()</script><style>p{}</style><p>one</p><p>two</p>');
    expect((await fetched()).result).toMatchObject({ title: 't', text: 'one\ntwo'.replace('\n', '') });
    page('{"a": 1}', 'application/json');
    expect((await fetched()).result).toMatchObject({ title: null, text: '{"a": 1}' });
  });

  it('truncates at the requested length and marks the result', async () => {
    page('x'.repeat(1_000), 'text/plain');
    expect((await fetched({ max_chars: 100 })).result).toMatchObject({
      text: 'x'.repeat(100),
      size: 1_000,
      truncated: true,
    });
  });

  it('follows admitted redirects, each judged and listed separately', async () => {
    outside.answer = (request, response) => {
      if (request.url === '/post') response.writeHead(301, { location: 'https://b.outside.example/there' }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('there');
    };
    const report = await fetched();
    expect(report.result).toMatchObject({ url: 'https://b.outside.example/there', text: 'there' });
    expect(report.requests.map(({ target, status }) => [target, status])).toEqual([
      ['https://www.outside.example/post', 301],
      ['https://b.outside.example/there', 200],
    ]);
  });

  it.each([
    ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data/', 'egress.refused'],
    ['another host', 'https://elsewhere.example/', 'token.scope'],
    ['an unencrypted URL', 'http://www.outside.example/', 'egress.refused'],
    ['a file', 'file:///etc/passwd', 'egress.refused'],
    ['itself, without end', 'https://www.outside.example/post', 'egress.failed'],
  ])('does not follow a redirect to %s', async (_, location, code) => {
    outside.answer = (__, response) => void response.writeHead(302, { location }).end();
    expect(await fetched()).toMatchObject({ ended: 'failed', error: { code } });
    expect(outside.received.every(({ host }) => host === 'www.outside.example')).toBe(true);
  });

  it('refuses an image and a compressed body', async () => {
    page('PNG', 'image/png');
    expect(await fetched()).toMatchObject({
      ended: 'failed',
      error: { code: 'egress.failed', message: expect.stringContaining('image/png') },
    });
    outside.answer = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end('x');
    expect(await fetched()).toMatchObject({ ended: 'failed', error: { code: 'egress.failed' } });
  });

  it('ends the parsing of a page that stalls its reader, without delaying the event loop', async () => {
    page(`<body>${'<div><p>a,'.repeat(300_000)}`);
    const ticks: number[] = [];
    const tick = setInterval(() => ticks.push(performance.now()), 20);
    const report = await fetched();
    clearInterval(tick);
    expect(['failed', 'exited', 'timeout']).toContain(report.ended);
    const longest = Math.max(...ticks.slice(1).map((at, n) => at - ticks[n]!));
    expect(longest).toBeLessThan(2_000);
  }, 120_000);

  it('puts secrets into headers over TLS only, and no truncation of the answer leaves a part of one', async () => {
    const secrets = { KEY: 'hunter2-hunter2' };
    const headers = [
      { name: 'authorization', value: 'Bearer ${secret:KEY}' },
      { name: 'user-agent', value: 'ours' },
    ];
    outside.answer = (request, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/plain' })
        .end(`${'.'.repeat(90)}${String(request.headers.authorization)}`);
    for (let most = 100; most < 116; most++) {
      const report = await run(
        'web.fetch',
        { url: 'https://www.outside.example/post', headers, max_chars: most },
        { secrets },
      );
      expect(report).toMatchObject({
        ended: 'exited',
        result: { text: `${'.'.repeat(90)}Bearer ***KEY***`.slice(0, most) },
      });
    }
    expect(outside.received[0]).toMatchObject({
      headers: { authorization: 'Bearer hunter2-hunter2', 'user-agent': 'ours', 'accept-encoding': 'identity' },
    });
    outside.received.length = 0;
    expect(await run('web.fetch', { url: 'http://www.outside.example/post', headers }, { secrets })).toMatchObject({
      ended: 'failed',
      error: { code: 'egress.refused', hint: 'use `https`' },
      requests: [],
    });
    expect(outside.received).toEqual([]);
  });

  it("sends the call's headers to the origin of its URL only, and never again after a redirect elsewhere", async () => {
    const hops: Readonly<Record<string, string>> = {
      '/post': '/same',
      '/same': 'https://b.outside.example/other',
      '/other': 'https://www.outside.example/back',
    };
    outside.answer = (request, response) => {
      const location = hops[String(request.url)];
      if (location === undefined) response.writeHead(200, { 'content-type': 'text/plain' }).end('there');
      else response.writeHead(302, { location }).end();
    };
    await run(
      'web.fetch',
      { url: 'https://www.outside.example/post', headers: [{ name: 'authorization', value: 'Bearer ${secret:KEY}' }] },
      { secrets: { KEY: 'hunter2-hunter2' } },
    );
    expect(outside.received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/post', 'Bearer hunter2-hunter2'],
      ['/same', 'Bearer hunter2-hunter2'],
      ['/other', undefined],
      ['/back', undefined],
    ]);
  });

  it('announces no effect for reading a page', async () => {
    page('x', 'text/plain');
    await fetched();
    expect(kernel.requestedVerbs).not.toContain('kernel.effect_started');
  });
});

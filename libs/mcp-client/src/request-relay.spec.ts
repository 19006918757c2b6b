// SPDX-License-Identifier: Apache-2.0
//
// What the event loop keeps to, whatever the thread asks of it.
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FromThread, ToThread } from './relay-messages.ts';
import { RequestRelay, type RelayedRequest, type RelayOptions } from './request-relay.ts';

let relay: RequestRelay;
let sent: RelayedRequest[];
let body: PassThrough;
beforeEach(() => {
  sent = [];
  body = new PassThrough();
});
afterEach(() => relay.close());

function open(options: Partial<RelayOptions> = {}): void {
  relay = new RequestRelay({
    mayCall: true,
    onOverrun: () => undefined,
    send: (request) => {
      sent.push(request);
      return Promise.resolve({ status: 200, headers: { 'content-type': 'text/plain', 'x-other': 'no' }, body });
    },
    ...options,
  });
}
const message = (method: string): Uint8Array => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method }));
const post = (more: Partial<FromThread & { kind: 'request' }> = {}): FromThread => ({
  kind: 'request',
  id: 1,
  method: 'POST',
  headers: [],
  body: message('tools/list'),
  isCall: false,
  ...more,
});
const call = { body: message('tools/call'), isCall: true } as const;

async function answerTo(asked: FromThread): Promise<ToThread> {
  const answered = once(relay.port, 'message');
  relay.port.postMessage(asked);
  return ((await answered) as [ToThread])[0];
}

it('sends the headers of the protocol, and passes on those that the protocol reads', async () => {
  open();
  const headers = [
    ['content-type', 'application/json'],
    ['mcp-method', 'tools/list'],
    ['authorization', 'Bearer stolen'],
    ['host', 'elsewhere'],
  ] as const;
  expect(await answerTo(post({ headers }))).toEqual({
    kind: 'head',
    id: 1,
    status: 200,
    headers: [['content-type', 'text/plain']],
  });
  expect(sent[0]?.headers).toEqual(headers.slice(0, 2));
});

it.each<[string, Partial<FromThread & { kind: 'request' }>]>([
  ['a call that does not say that it is one', { body: message('tools/call') }],
  ['request of MCP that does not say that it is a call', { body: message('resources/read') }],
  ['a batch', { body: Buffer.from(`[${Buffer.from(message('tools/call')).toString()}]`) }],
  ['a body that is no JSON', { body: Buffer.from('{') }],
  ['a long body', { body: Buffer.alloc(70_000, ' ') }],
  ['another method', { method: 'PUT' }],
  ['a GET with a body', { method: 'GET' }],
  ['a POST without a body', { body: null }],
])('sends no %s', async (_what, more) => {
  open();
  expect(await answerTo(post(more))).toMatchObject({ kind: 'broken' });
  expect(sent).toEqual([]);
  expect(relay.failure?.error).toMatchObject({ name: 'McpError' });
});

it.each([
  ['is longer than 8,192 characters', 'x'.repeat(8_193), /`mcp-name` would have more than 8192 characters: shorten/],
  ['has characters that no header has', 'a\u00e9', /`mcp-name` with characters/],
])('sends no call without its header that %s', async (_what, value, problem) => {
  open();
  expect(await answerTo(post({ ...call, headers: [['mcp-name', value]] }))).toMatchObject({ kind: 'broken' });
  expect([sent.length, relay.hasCalled]).toEqual([0, false]);
  expect((relay.failure?.error as Error).message).toMatch(problem);
  const most = [['mcp-name', 'x'.repeat(8_192)]] as const;
  expect(await answerTo(post({ ...call, id: 2, headers: most }))).toMatchObject({ kind: 'head' });
  expect(sent[0]?.headers).toEqual(most);
});

it('sends one call at most', async () => {
  open();
  expect(await answerTo(post(call))).toMatchObject({ kind: 'head' });
  expect(relay.hasCalled).toBe(true);
  expect(await answerTo(post({ ...call, id: 2 }))).toMatchObject({ kind: 'broken', id: 2 });
  expect(sent).toHaveLength(1);
});

it('sends no call where the session only lists', async () => {
  open({ mayCall: false });
  expect(await answerTo(post(call))).toMatchObject({ kind: 'broken' });
  expect([sent.length, relay.hasCalled]).toEqual([0, false]);
});

it('holds an answer back that the thread does not read', async () => {
  open();
  await answerTo(post());
  const chunk = Buffer.alloc(65_536);
  let taken = 0;
  relay.port.on('message', (each: ToThread) => (taken += each.kind === 'bytes' ? each.bytes.length : 0));
  while (body.write(chunk)) await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toBeLessThan(600_000);
  relay.port.postMessage({ kind: 'consumed', id: 1, bytes: taken } satisfies FromThread);
  await once(body, 'drain');
});

it.each<[string, number, number]>([
  ['10,000 pieces of a byte', 10_000, 10_000],
  ['so many pieces of a byte that it is broken off', 200_000, 16_385],
])('passes %s on in few messages', async (_what, pieces, read) => {
  open();
  await answerTo(post());
  const messages: ToThread[] = [];
  relay.port.on('message', (each: ToThread) => messages.push(each));
  const piece = Buffer.from('x');
  body.pause();
  for (let n = 0; n < pieces; n += 1) body.write(piece);
  body.end();
  body.resume();
  await vi.waitFor(() => expect(messages.at(-1)?.kind).toMatch(/end|broken/), 20_000);
  const bytes = messages.flatMap((each) => (each.kind === 'bytes' ? [each.bytes] : []));
  expect(bytes.length).toBeLessThan(40);
  expect(bytes.every((each) => each.length <= 1_024 && each.buffer.byteLength === each.length)).toBe(true);
  const total = bytes.reduce((sum, each) => sum + each.length, 0);
  if (pieces === read) expect([total, messages.at(-1)]).toEqual([read, { kind: 'end', id: 1 }]);
  else {
    expect(total).toBeLessThan(read);
    expect(messages.at(-1)).toEqual({ kind: 'broken', id: 1, why: 'too_many_pieces' });
  }
});

it('passes on what came before an answer breaks off', async () => {
  open();
  await answerTo(post());
  const messages: ToThread[] = [];
  relay.port.on('message', (each: ToThread) => messages.push(each));
  const read = once(body, 'data');
  body.write('early');
  await read;
  body.destroy();
  await vi.waitFor(() => expect(messages).toHaveLength(2));
  expect(messages).toMatchObject([
    { kind: 'bytes', bytes: Uint8Array.from(Buffer.from('early')) },
    { kind: 'broken', why: 'unreachable' },
  ]);
});

it('has a failure by name where a session has too many requests at once', async () => {
  open({ send: () => new Promise(() => undefined) });
  for (let id = 1; id <= 8; id += 1) relay.port.postMessage(post({ id, body: Buffer.from('{"id":1,"result":{}}') }));
  expect(await answerTo(post({ id: 9 }))).toMatchObject({ kind: 'broken', id: 9 });
  expect(relay.failure?.error).toMatchObject({ name: 'McpError', reason: 'too_large' });
});

it.each<[string, Partial<FromThread & { kind: 'request' }>]>([
  ['an answer', { body: Buffer.from('{"id":1,"result":{}}') }],
  ['a word that the session gives up', { body: message('notifications/cancelled') }],
  ['a goodbye', { method: 'DELETE', body: null }],
])('has no failure where %s is not sent', async (_what, more) => {
  open({ send: () => Promise.reject(new Error('no')) });
  expect(await answerTo(post(more))).toMatchObject({ kind: 'broken' });
  expect(relay.failure).toBeNull();
});

it('ends the requests of a session that has ended', async () => {
  open();
  await answerTo(post());
  relay.port.close();
  await once(body, 'close');
  expect(body.destroyed).toBe(true);
});

it('tells why a request was not sent', async () => {
  const refusal = new Error('the gate refused it');
  open({ send: () => Promise.reject(refusal) });
  expect(await answerTo(post())).toEqual({ kind: 'broken', id: 1, why: 'unreachable' });
  expect(relay.failure).toEqual({ error: refusal });
});

// SPDX-License-Identifier: Apache-2.0
import { ConnectionError, ProblemError, TimeoutError } from './errors.ts';
import { sleep } from './platform.ts';
import { problemReply, TestServer } from './specs/test-server.ts';
import { Transport, type Platform } from './transport.ts';

const GET = { method: 'GET', path: '/v1/agents', canRepeat: true };
const POST = { method: 'POST', path: '/v1/agents', body: '{}', canRepeat: false };
const KEYED = { ...POST, headers: { 'idempotency-key': 'k' }, canRepeat: true };

/** The platform of this process, without pauses, and with what it waited. */
const platform = (waited: number[] = []): Platform => ({
  fetch: (url, init) => fetch(url, init),
  now: () => Date.now(),
  chance: () => 0,
  sleep: async (ms, signal) => {
    waited.push(ms);
    await sleep(0, signal);
  },
});
const transportTo = (server: TestServer, waited?: number[]): Transport =>
  new Transport(server.url, 'the-key', platform(waited));
const failure = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => 'none',
    (error: unknown) => error,
  );

it('a request has its key, its headers and its body', async () => {
  await using server = await TestServer.open({ status: 200, body: { ok: true } });
  const answer = await transportTo(server).send(KEYED, {
    headers: { traceparent: 'x', authorization: 'Bearer other' },
  });
  expect(await answer.json()).toEqual({ ok: true });
  expect(server.arrived).toMatchObject([
    {
      method: 'POST',
      path: '/v1/agents',
      body: '{}',
      headers: { authorization: 'Bearer the-key', 'idempotency-key': 'k', traceparent: 'x' },
    },
  ]);
});

it('without a key a request has no authorization', async () => {
  await using server = await TestServer.open({ status: 200 });
  await new Transport(server.url, null, platform()).send(GET);
  expect(server.arrived[0]?.headers['authorization']).toBeUndefined();
});

it('a request is retried as the problem says, with the pause that the server asks for, as the same request', async () => {
  await using server = await TestServer.open(
    problemReply(429, 'rate.limited', 'later', { 'retry-after': '2' }),
    problemReply(503, 'overloaded', 'later'),
    { status: 201, body: { made: 1 } },
  );
  const waited: number[] = [];
  expect(await (await transportTo(server, waited).send(POST)).json()).toEqual({ made: 1 });
  expect(waited).toEqual([2_000, 0]);
  expect(new Set(server.arrived.map((one) => JSON.stringify([one.path, one.body, one.headers]))).size).toBe(1);
});

it('a problem that says `never` is thrown at once, with its code, its place and its operation', async () => {
  await using server = await TestServer.open(problemReply(409, 'conflict', 'never', { 'writ-operation-id': 'op_1' }));
  const error = await failure(transportTo(server).send(KEYED));
  expect(error).toBeInstanceOf(ProblemError);
  expect(error).toMatchObject({ status: 409, code: 'conflict', retry: 'never', operationId: 'op_1' });
  expect((error as Error).message).toBe('it failed [conflict] (POST /v1/agents)');
  expect(server.arrived).toHaveLength(1);
});

it.each([
  ['a problem `same-key`', () => problemReply(504, 'deadline', 'same-key')],
  ['a proxy that answers 502', () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' })],
  ['a connection that breaks before the answer', () => (response: { destroy: () => void }) => response.destroy()],
  [
    'an answer that breaks off',
    () => (response: import('node:http').ServerResponse) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":');
      setTimeout(() => response.destroy(), 20);
    },
  ],
])('%s: a request that may have happened is repeated with its key, and never without one', async (_what, reply) => {
  await using keyed = await TestServer.open(reply(), { status: 200, body: { done: 1 } });
  expect(await (await transportTo(keyed).send(KEYED)).json()).toEqual({ done: 1 });
  expect(keyed.arrived.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', 'k']);
  await using bare = await TestServer.open(reply(), { status: 200 });
  expect(await failure(transportTo(bare).send(POST))).toBeInstanceOf(Error);
  expect(bare.arrived).toHaveLength(1);
});

it('after an attempt that may have happened no error says that nothing happened', async () => {
  const lost = (response: { destroy: () => void }): void => response.destroy();
  const overloaded = problemReply(503, 'overloaded', 'later');
  for (const [replies, sent, retry] of [
    [[lost, overloaded], KEYED, 'same-key'],
    [[problemReply(503, 'database.unavailable', 'same-key'), overloaded], KEYED, 'same-key'],
    [
      [
        { status: 502, body: '<html>' },
        { status: 502, body: '<html>' },
      ],
      KEYED,
      'same-key',
    ],
    [[overloaded, overloaded], KEYED, 'later'],
    [[lost, overloaded], GET, 'later'],
    [[lost, problemReply(409, 'conflict', 'never')], KEYED, 'never'],
  ] as const) {
    await using server = await TestServer.open(...replies);
    expect(await failure(transportTo(server).send(sent, { retries: 1 }))).toMatchObject({ retry });
    expect(server.arrived).toHaveLength(2);
  }
});

it('a database that may have committed is asked again only with a key', async () => {
  await using server = await TestServer.open(problemReply(503, 'database.unavailable', 'same-key'), { status: 200 });
  expect(await failure(transportTo(server).send(POST))).toMatchObject({ code: 'database.unavailable' });
  expect(server.arrived).toHaveLength(1);
});

it('the key follows no redirect', async () => {
  await using other = await TestServer.open({ status: 200 });
  await using server = await TestServer.open({ status: 307, headers: { location: `${other.url}/v1/agents` } });
  const error = await failure(transportTo(server).send(GET));
  expect((error as Error).message).toContain('redirect');
  expect(other.arrived).toEqual([]);
});

it('the caller ends a request, and gets the own reason', async () => {
  await using server = await TestServer.open(() => undefined);
  const stop = new AbortController();
  const sent = failure(transportTo(server).send(GET, { signal: stop.signal }));
  await vi.waitFor(() => expect(server.arrived).toHaveLength(1));
  stop.abort(new Error('enough'));
  expect(await sent).toMatchObject({ message: 'enough' });
  expect(server.arrived).toHaveLength(1);
});

it('a time limit ends a request that gets no answer', async () => {
  await using server = await TestServer.open(() => undefined);
  const error = await failure(transportTo(server).send(GET, { timeoutMs: 50 }));
  expect(error instanceof TimeoutError || error instanceof ConnectionError).toBe(true);
});

it('nobody who listens is an error that names the address', async () => {
  const server = await TestServer.open();
  const { url } = server;
  await server[Symbol.asyncDispose]();
  const error = await failure(new Transport(url, 'k', platform()).send(GET, { retries: 1 }));
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as Error).message).toBe(`${url} does not answer (GET /v1/agents)`);
});

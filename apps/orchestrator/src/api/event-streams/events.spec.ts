// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect } from 'node:net';
import { newId } from '@writ/nest-kit';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi({ WRIT_EVENT_STREAMS_MAX: 3 });
});
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await api.newTenant();
});

type ReceivedEvent = { readonly event: string | undefined; readonly data: Record<string, unknown> };

/** A stream, open from its first event on. */
async function open(
  key: string,
  {
    path = '/v1/events',
    headers = {},
    from = api,
  }: { path?: string; headers?: Record<string, string>; from?: TestApi } = {},
) {
  const gone = new AbortController();
  const answer = await fetch(`${from.url}${path}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    signal: gone.signal,
  });
  const reader = answer
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  const next = async (): Promise<ReceivedEvent | null> => {
    const { value, done } = await reader.read();
    return done ? null : { event: value.event, data: JSON.parse(value.data) as Record<string, unknown> };
  };
  const ready = await next();
  return { answer, ready, next, close: () => gone.abort() };
}
const publish = (state: string, more: object = {}, of = tenant): string => {
  const id = newId('operation');
  api.publishOperation(of.tenantId, id, state, {
    agent_id: of.agentId,
    tool_id: 'fs.write',
    approval_id: null,
    fault_code: null,
    resolution: null,
    at: 5,
    ...more,
  });
  return id;
};

it('streams events of operations of this tenant only', async () => {
  const other = await api.newTenant();
  const stream = await open(tenant.auditor);
  expect([
    stream.answer.status,
    stream.answer.headers.get('content-type'),
    stream.answer.headers.get('cache-control'),
  ]).toEqual([200, 'text/event-stream; charset=utf-8', 'no-store']);
  expect(stream.ready).toEqual({ event: 'ready', data: { v: 1, live_only: true, resumed: false, missed: 'nothing' } });
  publish('committed', {}, other);
  const [held, refused] = [
    publish('held', { approval_id: 'apr_01kdvq8qfwe9gr4v9m1h7e3x2z' }),
    publish('refused', { fault_code: 'approval.denied' }),
  ];
  const common = { agent_id: tenant.agentId, tool_id: 'fs.write', resolution: null, at: 5 };
  expect(await stream.next()).toEqual({
    event: 'operation',
    data: {
      operation_id: held,
      state: 'held',
      approval_id: 'apr_01kdvq8qfwe9gr4v9m1h7e3x2z',
      fault_code: null,
      ...common,
    },
  });
  expect(await stream.next()).toEqual({
    event: 'operation',
    data: { operation_id: refused, state: 'refused', approval_id: null, fault_code: 'approval.denied', ...common },
  });
  stream.close();
});

it("an agent's key receives events of its agent's calls, and none without an agent", async () => {
  const stream = await open(tenant.agent);
  publish('committed', { agent_id: newId('agent') });
  api.publishOperation(tenant.tenantId, newId('operation'), 'committed');
  const mine = publish('committed');
  expect((await stream.next())?.data['operation_id']).toBe(mine);
  stream.close();
});

it('missed events are not sent later, and a client that resumes is informed', async () => {
  publish('committed');
  const stream = await open(tenant.operator, { headers: { 'last-event-id': '17' } });
  expect(stream.ready?.data).toEqual({ v: 1, live_only: true, resumed: false, missed: 'unknown' });
  const seen = publish('no_op');
  expect((await stream.next())?.data['operation_id']).toBe(seen);
  stream.close();
});

it('ends after the requested time', async () => {
  const stream = await open(tenant.operator, { path: '/v1/events?for_ms=20' });
  expect([await stream.next(), await stream.next()]).toEqual([{ event: 'end', data: { reason: 'asked' } }, null]);
});

it('a revoked key receives no more events', async () => {
  const [api_key_id, key] = await (async () => {
    const text = await api.newKey(tenant.tenantId, 'auditor');
    const { items } = await api.keys.list(tenant.tenantId, { cursor: null, limit: 1 });
    return [items[0]!.api_key_id, text] as const;
  })();
  const stream = await open(key);
  const before = publish('committed');
  expect((await stream.next())?.data['operation_id']).toBe(before);
  api.kernel.handlers.set('change.record', () => ({ recorded: newId('record') }));
  expect((await api.ask('DELETE', `/v1/api-keys/${api_key_id}`, { key: tenant.admin })).status).toBe(200);
  publish('committed');
  expect([await stream.next(), await stream.next()]).toEqual([{ event: 'end', data: { reason: 'auth' } }, null]);
});

it('a tenant has a limited number of open streams, and a closed one can be replaced', async () => {
  const streams = [await open(tenant.admin), await open(tenant.operator), await open(tenant.agent)];
  const fourth = await api.ask('GET', '/v1/events?for_ms=0', { key: tenant.admin });
  expect([fourth.json, fourth.headers.get('retry-after')]).toEqual([problem('rate.limited', 429), '1']);
  (await open((await api.newTenant()).admin)).close();
  streams[0]!.close();
  for (;;) {
    const { status } = await api.ask('GET', '/v1/events?for_ms=0', { key: tenant.admin });
    if (status === 200) break;
  }
  for (const stream of streams) stream.close();
});

it('ends all streams when the process stops, with that reason', async () => {
  const own = await openTestApi();
  const { admin } = await own.newTenant();
  const stream = await open(admin, { from: own });
  const closing = own.close();
  expect([await stream.next(), await stream.next()]).toEqual([{ event: 'end', data: { reason: 'stopping' } }, null]);
  await closing;
});

it('a reader that does not read is disconnected with a reason, and delays no other reader', async () => {
  const { port, hostname } = new URL(api.url);
  const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''));
  socket.write(
    `GET /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.admin}\r\nconnection: close\r\n\r\n`,
  );
  await once(socket, 'readable');
  const other = await open(tenant.operator);
  let last = '';
  // As much as the sockets of both sides and the stream's own bound can hold, and more.
  for (let n = 0; n < 100; n++) {
    for (let m = 0; m < 40; m++) last = publish('refused', { fault_code: 'x'.repeat(4_000) });
    let told: ReceivedEvent | null = null;
    while (told?.data['operation_id'] !== last) told = await other.next();
  }
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(socket, 'end');
  expect(text).toContain('event: cut\ndata: {"reason":"the reader is too slow: events were lost"}');
  expect(text).not.toContain(last);
  other.close();
}, 120_000);

// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { CallFailedError, CallRefusedError, UsageError } from './errors.ts';
import { problemReply, TestServer } from './specs/test-server.ts';
import { Writ } from './writ.ts';

const clientOf = (server: TestServer): Writ => new Writ({ url: server.url, apiKey: 'k' });
const RESULT = { operation_id: 'op_1', status: 'ok', tx_outcome: 'no_op', result: { text: 'one' }, error: null };
const FAILED = { ...RESULT, status: 'error', result: null, error: { code: 'token.scope', message: 'no', hint: 'ask' } };
const OPERATION = { operation_id: 'op_1', state: 'held', approval_id: 'apr_1', result: null };
const ended = (state: string, result: object | null): object => ({ ...OPERATION, state, result });

describe('settings', () => {
  it.each([
    [{ url: undefined, apiKey: 'k' }, '`url` is missing'],
    [{ url: '', apiKey: 'k' }, '`url` is missing'],
    [{ url: 'writ.example.org', apiKey: 'k' }, '`writ.example.org` is no URL'],
    [{ url: 'file:///x', apiKey: 'k' }, '`file:` is not supported'],
    [{ url: 'http://a:b@writ', apiKey: 'k' }, 'pass the key as `apiKey`'],
    [{ url: 'http://writ/?a', apiKey: 'k' }, 'a query'],
    [{ url: 'http://writ', apiKey: undefined }, '`apiKey` is missing'],
    [{ url: 'http://writ', apiKey: '' }, '`apiKey` is missing'],
  ])('%j is refused and says why', (settings, why) => {
    expect(() => new Writ(settings)).toThrow(UsageError);
    expect(() => new Writ(settings)).toThrow(why);
  });

  it('an address with a path and a slash at its end is one', async () => {
    await using server = await TestServer.open({ status: 200, body: { agent_id: 'a' } });
    await new Writ({ url: `${server.url}/below/`, apiKey: null }).agents.get('agt_1');
    expect(server.arrived).toMatchObject([{ method: 'GET', path: '/below/v1/agents/agt_1' }]);
  });
});

describe('a call', () => {
  it('that succeeds has its result, and was sent with a new idempotency key', async () => {
    await using server = await TestServer.open({ status: 200, body: RESULT }, { status: 200, body: RESULT });
    const calls = [await clientOf(server).call('fs.read', { path: 'a' }), await clientOf(server).call('fs.read', {})];
    expect(calls[0]).toMatchObject({ outcome: 'ok', operationId: 'op_1', replayed: false, toolResult: RESULT });
    expect(await calls[0]?.result()).toEqual({ text: 'one' });
    const [first, second] = server.arrived;
    expect([first?.path, JSON.parse(first?.body ?? '')]).toEqual([
      '/v1/tool-calls?wait=30000',
      { tool_id: 'fs.read', args: { path: 'a' } },
    ]);
    expect(first?.headers['idempotency-key']).toMatch(/^client:[0-9a-f-]{36}$/);
    expect(second?.headers['idempotency-key']).not.toBe(first?.headers['idempotency-key']);
  });

  it('keeps its key over its attempts, and says that it was replayed', async () => {
    await using server = await TestServer.open(problemReply(504, 'deadline', 'same-key'), {
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
      body: RESULT,
    });
    expect(await clientOf(server).call('fs.write', {}, { idempotencyKey: 'mine' })).toMatchObject({ replayed: true });
    expect(server.arrived.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
  });

  it.each(['refused', 'failed'])('with an error is %s as the header says, without another request', async (outcome) => {
    await using server = await TestServer.open({ status: 200, headers: { 'writ-outcome': outcome }, body: FAILED });
    expect(await clientOf(server).call('fs.read', {})).toMatchObject({ outcome, code: 'token.scope', hint: 'ask' });
    expect(server.arrived).toHaveLength(1);
  });

  it.each([
    ['refused', 'refused', CallRefusedError],
    ['rolled_back', 'failed', CallFailedError],
    ['no_op', 'failed', CallFailedError],
  ] as const)('with an error is told by its operation in the state %s: %s', async (state, outcome, kind) => {
    await using server = await TestServer.open(
      { status: 200, body: FAILED },
      { status: 200, body: ended(state, FAILED) },
    );
    const call = await clientOf(server).call('fs.read', {});
    expect(call).toMatchObject({ outcome, code: 'token.scope' });
    const error = await call.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ code: 'token.scope', hint: 'ask', operationId: 'op_1' });
  });

  it('that nobody knows the effect of has the code of that', async () => {
    await using server = await TestServer.open({ status: 202, body: ended('ambiguous', null) });
    expect(await clientOf(server).call('fs.read', {})).toMatchObject({ outcome: 'failed', code: 'effect.ambiguous' });
  });

  it('that is held waits for its end', async () => {
    await using server = await TestServer.open(
      { status: 202, body: OPERATION },
      { status: 200, body: OPERATION },
      { status: 200, body: ended('performing', null) },
      { status: 200, body: ended('committed', RESULT) },
    );
    const call = await clientOf(server).call('shell.run', {});
    expect(call).toMatchObject({ outcome: 'held', approvalId: 'apr_1' });
    expect(await call.result()).toEqual({ text: 'one' });
    expect(server.arrived.slice(1).every(({ path }) => path.startsWith('/v1/operations/op_1?wait='))).toBe(true);
  });

  it('that is held and denied has no result, but an error with the reason', async () => {
    await using server = await TestServer.open(
      { status: 202, body: OPERATION },
      {
        status: 200,
        body: ended('refused', { ...FAILED, error: { code: 'approval.denied', message: 'no', hint: null } }),
      },
    );
    const call = await clientOf(server).call('shell.run', {});
    await expect(call.result()).rejects.toMatchObject({ name: 'CallRefusedError', code: 'approval.denied' });
  });

  it.each([
    ['runs', ended('performing', null), { outcome: 'running' }],
    ['has ended', ended('refused', FAILED), { outcome: 'refused', code: 'token.scope' }],
  ])('that is held waits for its decision, and then %s', async (_what, operation, decided) => {
    const held = { status: 200, body: OPERATION };
    await using server = await TestServer.open({ ...held, status: 202 }, held, { status: 200, body: operation });
    const call = await clientOf(server).call('shell.run', {});
    expect(await call.decided()).toMatchObject(decided);
    expect(server.arrived.slice(1).map(({ path }) => path)).toEqual(Array(2).fill('/v1/operations/op_1?wait=0'));
  });

  it('that is not held is decided already', async () => {
    await using server = await TestServer.open({ status: 202, body: ended('performing', null) });
    const call = await clientOf(server).call('shell.run', {});
    expect(await call.decided()).toBe(call);
    expect(server.arrived).toHaveLength(1);
  });

  it.each(['settled', 'decided'] as const)('a wait until it is %s has an end of its own', async (state) => {
    const held = { status: 200, body: OPERATION };
    await using server = await TestServer.open({ ...held, status: 202 }, held, held, held, held);
    const call = await clientOf(server).call('shell.run', {});
    await expect(call[state]({ timeoutMs: 300 })).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('methods', () => {
  it('have the ids of the path, the body, the query and options, in this order', async () => {
    await using server = await TestServer.open({ status: 200 }, { status: 200 }, { status: 200, body: 'file' });
    const writ = clientOf(server);
    await writ.approvals.approve('apr_1', { comment: 'well' });
    await writ.workspaces.uploadFile('wsp_1', 'src/ü.txt', new TextEncoder().encode('one'), {}, { retries: 0 });
    expect(await (await writ.workspaces.downloadFile('wsp_1', 'a.txt')).text()).toBe('file');
    expect(server.arrived.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/v1/approvals/apr_1/approve', '{"comment":"well"}'],
      ['PUT', '/v1/workspaces/wsp_1/files/src/%C3%BC.txt', 'one'],
      ['GET', '/v1/workspaces/wsp_1/files/a.txt', ''],
    ]);
  });

  it('a list is one page when awaited, and all items when iterated', async () => {
    const pages = [
      { status: 200, body: { items: [{ agent_id: 'a' }], next_cursor: 'n' } },
      { status: 200, body: { items: [{ agent_id: 'b' }], next_cursor: null } },
    ];
    await using server = await TestServer.open(...pages, ...pages);
    const writ = clientOf(server);
    expect(await writ.agents.list({ limit: 1 })).toMatchObject({ items: [{ agent_id: 'a' }], next_cursor: 'n' });
    server.arrived.length = 0;
    await using again = await TestServer.open(...pages);
    const ids: string[] = [];
    for await (const { agent_id } of clientOf(again).agents.list({ limit: 1 })) ids.push(agent_id);
    expect(ids).toEqual(['a', 'b']);
    expect(again.arrived.map(({ path }) => path)).toEqual(['/v1/agents?limit=1', '/v1/agents?limit=1&cursor=n']);
  });

  it('an id that would lead to another route is refused before anything is sent', async () => {
    await using server = await TestServer.open();
    await expect(async () => clientOf(server).agents.get('../tenants')).rejects.toThrow();
    await expect(async () => clientOf(server).workspaces.downloadFile('wsp_1', '../../tenants')).rejects.toThrow(
      UsageError,
    );
    expect(server.arrived.map(({ path }) => path)).toEqual(['/v1/agents/..%2Ftenants']);
  });
});

test('a change names the state that it is meant for by the answer that was read, or by a tag', async () => {
  const settings = { output_bytes: 200_000, denied_paths: ['etc/ä'], changed_at: null };
  const reply = { status: 200, body: settings };
  await using server = await TestServer.open(reply, reply, reply);
  const { callSettings } = clientOf(server);
  const seen = await callSettings.get();
  await callSettings.set({ output_bytes: 2_000 }, { ifMatch: seen });
  await callSettings.set({ output_bytes: 2_000 }, { ifMatch: 'c0ffee' });
  // The hash of `{"changed_at":null,"denied_paths":["etc/ä"],"output_bytes":200000}`.
  const tag = createHash('sha256')
    .update('{"changed_at":null,"denied_paths":["etc/ä"],"output_bytes":200000}')
    .digest('hex');
  expect(server.arrived.map(({ headers }) => headers['if-match'])).toEqual([undefined, `"${tag}"`, '"c0ffee"']);
});

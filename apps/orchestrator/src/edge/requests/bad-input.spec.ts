// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
});
afterAll(() => api.close());

const post = (text: string | Uint8Array, headers: Record<string, string> = {}) =>
  api.ask('POST', '/v1/tool-calls', { key: tenant.agent, text, headers });
const get = (path: string) => api.ask('GET', path, { key: tenant.admin });
/** Sends raw bytes, which a client library would refuse to send. */
const raw = async (bytes: string): Promise<string> => {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(api.url).port) });
  await once(socket, 'connect');
  socket.end(bytes);
  return await readText(socket);
};

describe('a body', () => {
  it('that nests too deeply is refused with a pointer, however long it is', async () => {
    const nested = await post(`{"args":${'['.repeat(40)}${']'.repeat(40)}}`);
    expect(nested.json).toMatchObject({
      code: 'request.malformed',
      detail: expect.stringContaining('nesting is too deep'),
      pointer: expect.stringMatching(/^\/args\/0/),
    });
    expect((await post('['.repeat(1_000_000))).json).toEqual(problem('request.malformed', 400));
  });

  it.each(['with its length', 'in chunks'])('of 10 MiB, %s, gets a clear answer', async (how) => {
    const text = JSON.stringify({ args: { content: 'x'.repeat(10 * 1024 * 1024) } });
    const answer =
      how === 'in chunks'
        ? await fetch(`${api.url}/v1/tool-calls`, {
            method: 'POST',
            headers: { authorization: `Bearer ${tenant.agent}`, 'content-type': 'application/json' },
            duplex: 'half',
            body: new Blob([text]).stream(),
          } as RequestInit).then(async (response) => ({
            status: response.status,
            json: (await response.json()) as object,
          }))
        : await post(text);
    expect(answer).toMatchObject({
      status: 413,
      json: { code: 'request.too_large', detail: expect.stringContaining('2097152 bytes') },
    });
  });

  it('with a member `__proto__` is refused for an unknown member', async () => {
    expect((await post('{"__proto__":{"tool_id":"fs.read"}}')).json).toEqual(problem('request.malformed', 400));
  });

  it.each([
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22)],
    ['a byte order mark', '\uFEFF{}'],
    ['a comment', '{} // x'],
    ['a trailing comma', '{"a":1,}'],
    ['two values', '{}{}'],
    ['NaN', '{"a":NaN}'],
  ])('of %s is refused', async (_what, text) => {
    expect((await post(text)).json).toEqual(problem('request.malformed', 400));
  });

  it('is not repeated in the answer if a value or name is long', async () => {
    const answer = await post(JSON.stringify({ ['k'.repeat(100_000)]: 'v'.repeat(100_000) }));
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(2_000);
  });

  it('that breaks off does not become a request', async () => {
    const head = `POST /v1/tool-calls HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.agent}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"tool`;
    await raw(head);
    expect(api.kernel.requests).toEqual([]);
    expect((await get('/v1/agents')).status).toBe(200);
  });
});

describe('a URL', () => {
  it.each([
    ['/v1/agents/%00', 'NUL'],
    ['/v1/agents?cursor=%00', 'NUL'],
    ['/v1/agents/%zz', 'percent-encoded'],
    [`/v1/workspaces/x/files/${'a'.repeat(20_000)}`, ''],
  ])('%.40s is refused', async (path, word) => {
    const { status, json } = await get(path);
    expect([400, 413]).toContain(status);
    expect(json['detail']).toContain(word);
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'limit=1&limit=2',
    'state=nonsense',
    'unknown=1',
    'limit=1e2',
    'cursor=',
  ])('with `?%s` is refused by name', async (query) => {
    const { json } = await get(`/v1/operations?${query}`);
    expect(json).toEqual(problem('query.invalid', 400));
    expect(json['detail']).toContain(`\`${query.split('=')[0]}\``);
  });

  it('without a route is answered so, whatever key asks', async () => {
    for (const path of ['/nope', '/v1', '/v1/agent', `/${'x'.repeat(500)}`, '/v1/no?x=secret']) {
      const { json } = await get(path);
      expect(json).toEqual(problem('route.unknown', 404));
      expect(json['detail']).toContain(`\`${path.split('?')[0]!.slice(0, 100)}`);
      expect(json['detail']).not.toMatch(/secret|x{129}/);
    }
  });

  it('of a route whose id is malformed answers as for an id that leads nowhere, and not as for an unknown route', async () => {
    expect((await get('/v1/agents/banana')).json).toEqual(problem('not_found', 404));
  });

  it.each([
    ['..%2f..%2fetc%2fpasswd', 'path.escape'],
    ['%2fetc%2fpasswd', 'path.escape'],
    ['a%0ab', 'path.invalid'],
    ['', 'file.kind'],
  ])('with the file path `%s` leads nowhere', async (path, code) => {
    const { workspace_id } = (await api.ask('POST', '/v1/workspaces', { key: tenant.admin, body: { name: 'w' } }))
      .json as { workspace_id: string };
    expect((await get(`/v1/workspaces/${workspace_id}/files/${path}`)).json['code']).toBe(code);
  });
});

describe('a message that is not HTTP', () => {
  it.each([
    ['GARBAGE\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 413],
    ['GET / HTTP/9.9\r\n\r\n', 400],
  ])('%.20j gets a problem and goes', async (bytes, status) => {
    const answer = await raw(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toEqual(
      problem(status === 413 ? 'request.too_large' : 'request.malformed', status),
    );
  });
});

test('after all of this the API still answers', async () => {
  expect((await get('/v1/agents')).status).toBe(200);
});

// SPDX-License-Identifier: Apache-2.0
import { Bridge } from './bridge.ts';

interface Sent {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const JSON_TYPE = { 'content-type': 'application/json' };

function bridgeTo(answer: (sent: Sent) => Response | Promise<Response>) {
  const [sent, written]: [Sent[], unknown[]] = [[], []];
  const bridge = new Bridge({
    send: async (body, headers, signal) => {
      const one = { body, headers, signal };
      sent.push(one);
      return await answer(one);
    },
    write: (line) => {
      expect(line).not.toContain('\n');
      written.push(JSON.parse(line));
    },
  });
  return { bridge, sent, written };
}

const answerTo = (body: string, result: unknown): Response =>
  Response.json({ jsonrpc: '2.0', id: (JSON.parse(body) as { id: unknown }).id, result });

test('a message of the stateless revision gets the headers that repeat parts of it', async () => {
  const { bridge, sent, written } = bridgeTo(({ body }) => answerTo(body, { ok: true }));
  const params = { name: 'fs.read', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
  bridge.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  await bridge.finished();
  expect(sent.map(({ headers }) => headers)).toEqual([
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'fs.read' },
  ]);
  expect(written).toEqual([{ jsonrpc: '2.0', id: 1, result: { ok: true } }]);
});

test('a name with other characters than visible ASCII is encoded in its header', async () => {
  const { bridge, sent } = bridgeTo(({ body }) => answerTo(body, {}));
  const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
  bridge.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'é\n', ...meta } }));
  await bridge.finished();
  expect(sent[0]!.headers['mcp-name']).toBe(`=?base64?${Buffer.from('é\n').toString('base64')}?=`);
});

test('after initialize every message names the revision that was agreed on', async () => {
  const { bridge, sent } = bridgeTo(({ body }) =>
    answerTo(body, body.includes('initialize') ? { protocolVersion: '2025-11-25' } : {}),
  );
  bridge.receive('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}');
  await bridge.finished();
  bridge.receive('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  await bridge.finished();
  expect(sent.map(({ headers }) => headers)).toEqual([{}, { 'mcp-protocol-version': '2025-11-25' }]);
});

test('each message of a stream becomes a line, whatever the parts in which it arrives', async () => {
  const text =
    ': keepalive\n\nevent: message\ndata: {"jsonrpc":"2.0",\r\ndata: "method":"é"}\r\n\r\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n';
  const bytes = Buffer.from(text);
  const { bridge, written } = bridgeTo(
    () =>
      new Response(ReadableStream.from(Array.from(bytes, (byte) => Uint8Array.of(byte))), {
        headers: { 'content-type': 'text/event-stream' },
      }),
  );
  bridge.receive('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  await bridge.finished();
  expect(written).toEqual([
    { jsonrpc: '2.0', method: 'é' },
    { jsonrpc: '2.0', id: 1, result: {} },
  ]);
});

test('a cancelled request is closed and gets no answer', async () => {
  const { bridge, sent, written } = bridgeTo(({ body, signal }) =>
    body.includes('cancelled')
      ? new Response(null, { status: 202 })
      : new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('closed')));
        }),
  );
  bridge.receive('{"jsonrpc":"2.0","id":"a","method":"tools/call"}');
  bridge.receive('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}');
  await bridge.finished();
  expect([sent[0]!.signal.aborted, written]).toEqual([true, []]);
});

test('a problem, an API that is down and a line that is no message are errors with the id of the request', async () => {
  const problem = { code: 'auth.invalid', detail: 'the API key is not valid' };
  const rejected = bridgeTo(() => new Response(JSON.stringify(problem), { status: 401, headers: JSON_TYPE }));
  rejected.bridge.receive('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await rejected.bridge.finished();
  expect(rejected.written).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32000, message: problem.detail, data: { code: problem.code } } },
  ]);
  const down = bridgeTo(() => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    throw new TypeError('fetch failed', { cause });
  });
  down.bridge.receive('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  down.bridge.receive('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  down.bridge.receive('[]');
  await down.bridge.finished();
  expect(down.written).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } },
    { jsonrpc: '2.0', id: 2, error: { code: -32000, message: expect.stringMatching(/ECONNREFUSED.*is it running/) } },
  ]);
});

test('an answer that breaks off and one that is no JSON are errors with their reason', async () => {
  const broken = bridgeTo(() => {
    throw new TypeError('terminated', { cause: new Error('other side closed') });
  });
  broken.bridge.receive('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await broken.bridge.finished();
  expect(broken.written).toMatchObject([{ id: 1, error: { message: expect.stringContaining('other side closed') } }]);
  const headers = { 'content-type': 'text/event-stream' };
  const odd = bridgeTo(() => new Response('data: <html>\n\n', { headers }));
  odd.bridge.receive('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  await odd.bridge.finished();
  expect(odd.written).toMatchObject([{ id: 2, error: { message: expect.stringContaining('no JSON') } }]);
});

test('an error that is not of the network is not hidden', async () => {
  const { bridge } = bridgeTo(() => {
    throw new RangeError('a bug');
  });
  bridge.receive('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await expect(bridge.finished()).rejects.toThrow('a bug');
});

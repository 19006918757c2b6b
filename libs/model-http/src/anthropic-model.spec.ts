// SPDX-License-Identifier: Apache-2.0
import { localServer, type LocalServer } from '../specs/local-server.ts';
import { OFFERS } from '../tool-desk.ts';
import { AnthropicModel } from './anthropic.ts';

let server: LocalServer;
let reply: { status?: number; body: unknown };
beforeAll(async () => { server = await localServer(() => reply); });
afterAll(() => server.close());
beforeEach(() => { server.asked.length = 0; });

const message = (content: unknown[], stop_reason: string) =>
  ({ body: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } });
const model = () => new AnthropicModel({ apiKey: 'secret', model: 'm', baseUrl: server.url });
const next = (messages: Parameters<AnthropicModel['next']>[0]['messages'] = [{ role: 'user', text: 'fix it' }]) =>
  model().next({ system: 'be good', messages, tools: OFFERS }, new AbortController().signal);

test('text and calls are read, and a tool gets its dot back', async () => {
  reply = message([{ type: 'text', text: 'I read.' }, { type: 'tool_use', id: 'toolu_1', name: 'fs-read', input: { path: 'a' } }], 'tool_use');
  expect(await next()).toEqual({ text: 'I read.', calls: [{ id: 'toolu_1', tool_id: 'fs.read', args: { path: 'a' } }], stop: 'tool_use' });
});

test('the request is of the Messages API', async () => {
  reply = message([{ type: 'text', text: 'done' }], 'end_turn');
  expect((await next()).stop).toBe('end');
  const { url, headers, body } = server.asked[0]!;
  expect(url).toBe('/v1/messages');
  // In one header or the other: which of the two is the library's affair.
  expect(`${String(headers['authorization'])} ${String(headers['x-api-key'])}`).toContain('secret');
  expect(body).toMatchObject({ model: 'm', system: 'be good', messages: [{ role: 'user', content: [{ type: 'text', text: 'fix it' }] }] });
  expect((body as { tools: { name: string }[] }).tools.map(({ name }) => name)).toEqual(OFFERS.map(({ tool_id }) => tool_id.replace('.', '-')));
});

test('the answers to one turn\'s calls are one message', async () => {
  reply = message([], 'end_turn');
  await next([
    { role: 'user', text: 'fix it' },
    { role: 'assistant', text: '', calls: [{ id: 'a', tool_id: 'fs.list', args: {} }, { id: 'b', tool_id: 'fs.read', args: { path: 'x' } }] },
    { role: 'tool', call_id: 'a', text: 'one', is_error: false }, { role: 'tool', call_id: 'b', text: 'two', is_error: true },
  ]);
  expect((server.asked[0]!.body as { messages: unknown[] }).messages.slice(1)).toEqual([
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'fs-list', input: {} }, { type: 'tool_use', id: 'b', name: 'fs-read', input: { path: 'x' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'one', is_error: false }, { type: 'tool_result', tool_use_id: 'b', content: 'two', is_error: true }] },
  ]);
});

test('a reply that was cut off says so', async () => {
  reply = message([{ type: 'text', text: 'and th' }], 'max_tokens');
  expect((await next()).stop).toBe('length');
});

test('a provider that refuses is an error, not a turn', async () => {
  reply = { status: 401, body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } } };
  await expect(next()).rejects.toThrow('invalid x-api-key');
});

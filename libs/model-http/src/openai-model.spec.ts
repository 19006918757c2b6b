// SPDX-License-Identifier: Apache-2.0
import { localServer, type LocalServer } from '../specs/local-server.ts';
import { OFFERS } from '../tool-desk.ts';
import { OpenAiModel } from './openai.ts';

let server: LocalServer;
let reply: { status?: number; body: unknown };
beforeAll(async () => { server = await localServer(() => reply); });
afterAll(() => server.close());
beforeEach(() => { server.asked.length = 0; });

const chat = (message: object, finish_reason: string) =>
  ({ body: { id: 'c', object: 'chat.completion', created: 0, model: 'm', choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: null, ...message } }] } });
const call = (name: string, text: string) => ({ tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: text } }] });
const next = (messages: Parameters<OpenAiModel['next']>[0]['messages'] = [{ role: 'user', text: 'fix it' }]) =>
  new OpenAiModel({ apiKey: 'secret', model: 'm', baseUrl: `${server.url}/v1` }).next({ system: 'be good', messages, tools: OFFERS }, new AbortController().signal);

test('text and calls are read, and a tool gets its dot back', async () => {
  reply = chat({ content: 'I run.', ...call('shell-run', '{"command":"ls"}') }, 'tool_calls');
  expect(await next()).toEqual({ text: 'I run.', calls: [{ id: 'call_1', tool_id: 'shell.run', args: { command: 'ls' } }], stop: 'tool_use' });
});

test('the request is of Chat Completions', async () => {
  reply = chat({ content: 'done' }, 'stop');
  expect(await next([
    { role: 'user', text: 'fix it' }, { role: 'assistant', text: 'I list.', calls: [{ id: 'a', tool_id: 'fs.list', args: {} }] }, { role: 'tool', call_id: 'a', text: 'one', is_error: false },
  ])).toEqual({ text: 'done', calls: [], stop: 'end' });
  expect(server.asked[0]).toMatchObject({ url: '/v1/chat/completions', headers: { authorization: 'Bearer secret' }, body: { model: 'm', messages: [
    { role: 'system', content: 'be good' }, { role: 'user', content: 'fix it' },
    { role: 'assistant', content: 'I list.', tool_calls: [{ id: 'a', type: 'function', function: { name: 'fs-list', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: 'one' },
  ] } });
});

test.each(['{"path":', '"text"', '[1]', 'null'])('arguments that are %s are handed on as what no tool takes', async (text) => {
  reply = chat(call('fs-read', text), 'tool_calls');
  expect((await next()).calls[0]!.args).toEqual({ unreadable_arguments: text });
});

test('a tool that was never offered keeps its name', async () => {
  reply = chat(call('sudo', ''), 'tool_calls');
  expect((await next()).calls).toEqual([{ id: 'call_1', tool_id: 'sudo', args: {} }]);
});

test('no call of a reply that was cut off is run', async () => {
  reply = chat(call('fs-write', '{"path":"a","content":"hal'), 'length');
  expect(await next()).toEqual({ text: '', calls: [], stop: 'length' });
});

test('a provider that refuses, or gives nothing, is an error', async () => {
  reply = { status: 401, body: { error: { message: 'Incorrect API key', type: 'invalid_request_error', code: 'invalid_api_key' } } };
  await expect(next()).rejects.toThrow('Incorrect API key');
  reply = { body: { id: 'c', object: 'chat.completion', created: 0, model: 'm', choices: [] } };
  await expect(next()).rejects.toThrow('no reply');
});

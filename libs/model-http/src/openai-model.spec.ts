// SPDX-License-Identifier: Apache-2.0
import { WireServer } from '@writ/testing';
import { OpenAiModel } from './openai-model.ts';
import { drain, modelContract, sse, type Wire } from './specs/model.contract.ts';

const chunk = (delta: object, finish_reason: string | null = null): string =>
  sse({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
const usage = sse({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'm',
  choices: [],
  usage: { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27, prompt_tokens_details: { cached_tokens: 5 } },
});
const done = sse('[DONE]');
const call = (text: unknown) => ({
  tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'read_file', arguments: text } }],
});
const pieces = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'I re' }),
  chunk({ content: 'ad.' }),
  chunk(call('')),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"pa' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: 'th":"a"}' } }] }),
];
const wire: Wire = {
  textAndCall: [...pieces, chunk({}, 'tool_calls'), usage, done],
  callId: 'call_1',
  words: [chunk({ content: 'done' }), chunk({}, 'stop'), done],
  cutByLength: [chunk(call('{"path":"hal')), chunk({}, 'length'), done],
  refused: [chunk({ refusal: "I can't" }), chunk({}, 'stop'), done],
  unfinished: pieces,
  malformed: [chunk({ content: 'I' }), 'data: {"choices": [\n\n'],
  error: (message) => JSON.stringify({ error: { message, type: 'x', code: null } }),
};

modelContract('Chat Completions', (options) => new OpenAiModel({ ...options, baseUrl: `${options.baseUrl}/v1` }), wire);

describe('Chat Completions', () => {
  let server: WireServer;
  beforeAll(async () => {
    server = await new WireServer().open();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
  });
  const model = () => new OpenAiModel({ apiKey: 'secret', model: 'm', baseUrl: `${server.url}/v1` });

  test.each([
    [
      'a legacy call',
      [chunk({ function_call: { name: 'read_file', arguments: '' } }), chunk({}, 'function_call'), done],
      /legacy `function_call` of `read_file`/,
    ],
    ['a call that never came', [chunk({ content: 'I' }), chunk({}, 'tool_calls'), done], /no call came/],
  ])('%s is a problem for the model, and never a reply without calls', async (_what, chunks, problem) => {
    server.script = { chunks, end: 'whole' };
    const { turn } = await drain(model(), { messages: [{ role: 'user', text: 'fix it' }] });
    expect([turn.calls, turn.problems]).toEqual([[], [expect.stringMatching(problem)]]);
  });

  test('the request is of the API', async () => {
    server.script = { chunks: wire.words, end: 'whole' };
    await drain(model(), {
      messages: [
        { role: 'user', text: 'fix it' },
        { role: 'assistant', text: 'I list.', calls: [{ id: 'a', tool_id: 'fs.list', args: {} }] },
        { role: 'tool', call_id: 'a', tool_id: 'fs.list', text: 'one', standing: 'completed', is_error: false },
      ],
    });
    expect(server.requests[0]).toMatchObject({
      url: '/v1/chat/completions',
      headers: { authorization: 'Bearer secret' },
      body: {
        model: 'm',
        stream: true,
        messages: [
          { role: 'system', content: 'be good' },
          { role: 'user', content: 'fix it' },
          {
            role: 'assistant',
            content: 'I list.',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'list_directory', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'a', content: 'one' },
        ],
      },
    });
    expect(
      (server.requests[0]?.body['tools'] as { function: { name: string } }[]).map((tool) => tool.function.name),
    ).toEqual(['read_file', 'bash']);
  });

  test('arguments that are an object are used as such', async () => {
    server.script = { chunks: [chunk(call({ path: 'a' })), chunk({}, 'tool_calls'), done], end: 'whole' };
    expect((await drain(model())).turn.calls).toEqual([{ id: 'call_1', tool_id: 'fs.read', args: { path: 'a' } }]);
  });

  test.each(['{"path":', '"text"', '[1]', 'null', [], [1], null])(
    'arguments that are %j are a problem of the call, not of the reply',
    async (text) => {
      server.script = { chunks: [chunk(call(text)), chunk({}, 'tool_calls'), done], end: 'whole' };
      expect((await drain(model())).turn.calls).toEqual([
        {
          id: 'call_1',
          tool_id: 'fs.read',
          args: {},
          problem: expect.stringMatching(/must be a JSON object|no JSON that is taken/),
        },
      ]);
    },
  );

  test('other servers: whole calls without an index or id, a stop of "stop", usage without choices', async () => {
    server.script = {
      chunks: [
        chunk({ tool_calls: [{ function: { name: 'read_file', arguments: '{"path":"a"}' } }] }),
        chunk({ tool_calls: [{ function: { name: 'sudo', arguments: '' } }] }),
        chunk({}, 'stop'),
        sse({ id: 'c', object: 'chat.completion.chunk', usage: { prompt_tokens: 1, completion_tokens: 2 } }),
        done,
      ],
      end: 'whole',
    };
    expect((await drain(model())).turn).toEqual({
      text: '',
      stop: 'tool_use',
      usage: { input_tokens: 1, cached_tokens: 0, output_tokens: 2 },
      // A tool that was never offered keeps its name, and the kernel reports it as unknown.
      calls: [
        { id: 'call_0', tool_id: 'fs.read', args: { path: 'a' } },
        { id: 'call_1', tool_id: 'sudo', args: {} },
      ],
    });
  });

  test('an error within the stream is a fault', async () => {
    server.script = {
      chunks: [chunk({ content: 'I' }), sse({ error: { message: 'the engine stopped', type: 'server_error' } })],
      end: 'whole',
    };
    await expect(drain(model())).rejects.toMatchObject({
      fault: 'unavailable',
      message: expect.stringContaining('the engine stopped'),
    });
  });
});

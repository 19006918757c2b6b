// SPDX-License-Identifier: Apache-2.0
import { WireServer } from '@writ/testing';
import { AnthropicModel } from './anthropic-model.ts';
import { drain, modelContract, sse, type Wire } from './specs/model.contract.ts';

const event = (data: { type: string } & Record<string, unknown>): string => sse(data, data.type);
const start = event({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 12, cache_read_input_tokens: 5, cache_creation_input_tokens: 3, output_tokens: 1 },
  },
});
const block = (index: number, content_block: object, ...deltas: object[]): string[] => [
  event({ type: 'content_block_start', index, content_block }),
  ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
  event({ type: 'content_block_stop', index }),
];
const text = (index: number, ...pieces: string[]): string[] =>
  block(
    index,
    { type: 'text', text: '', citations: null },
    ...pieces.map((piece) => ({ type: 'text_delta', text: piece })),
  );
const call = (index: number, ...pieces: string[]): string[] =>
  block(
    index,
    { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} },
    ...pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  );
const end = (stop_reason: string): string[] => [
  event({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } }),
  event({ type: 'message_stop' }),
];
const ping = event({ type: 'ping' });
const pieces = [start, ping, ...text(0, 'I re', 'ad.'), ...call(1, '', '{"pa', 'th":"a"}')];
const wire: Wire = {
  textAndCall: [...pieces, ...end('tool_use')],
  callId: 'toolu_1',
  words: [start, ...text(0, 'done'), ...end('end_turn')],
  cutByLength: [
    start,
    event({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 't', name: 'read_file', input: {} },
    }),
    ...end('max_tokens'),
  ],
  refused: [start, ...text(0, 'I'), ...end('refusal')],
  unfinished: pieces,
  malformed: [start, 'event: content_block_delta\ndata: {"type": \n\n'],
  error: (message) => JSON.stringify({ type: 'error', error: { type: 'x', message } }),
};

modelContract('Messages', (options) => new AnthropicModel(options), wire);

describe('Messages', () => {
  let server: WireServer;
  beforeAll(async () => {
    server = await new WireServer().open();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
  });
  const model = () => new AnthropicModel({ apiKey: 'secret', model: 'm', baseUrl: server.url });

  test('the request is of the API', async () => {
    server.script = { chunks: wire.words, end: 'whole' };
    await drain(model());
    const { url, headers, body } = server.requests[0]!;
    expect(url).toBe('/v1/messages');
    // In one of two headers: the library decides which.
    expect(`${String(headers['authorization'])} ${String(headers['x-api-key'])}`).toContain('secret');
    expect(body).toMatchObject({
      model: 'm',
      stream: true,
      system: [{ text: 'be good' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'fix it' }] }],
    });
    expect((body['tools'] as { name: string }[]).map(({ name }) => name)).toEqual(['read_file', 'bash']);
  });

  test("the answers to one turn's calls are one message", async () => {
    server.script = { chunks: wire.words, end: 'whole' };
    await drain(model(), {
      messages: [
        { role: 'user', text: 'fix it' },
        {
          role: 'assistant',
          text: '',
          calls: [
            { id: 'a', tool_id: 'fs.list', args: {} },
            { id: 'b', tool_id: 'fs.read', args: { path: 'x' } },
          ],
        },
        { role: 'tool', call_id: 'a', tool_id: 'fs.list', text: 'one', standing: 'completed', is_error: false },
        { role: 'tool', call_id: 'b', tool_id: 'fs.read', text: 'two', standing: 'failed', is_error: true },
      ],
    });
    expect((server.requests[0]?.body['messages'] as unknown[]).slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 'list_directory', input: {} },
          { type: 'tool_use', id: 'b', name: 'read_file', input: { path: 'x' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'one', is_error: false },
          { type: 'tool_result', tool_use_id: 'b', content: 'two', is_error: true },
        ],
      },
    ]);
  });

  test('thoughts are returned signed and unchanged, and are no text', async () => {
    const thoughts = block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'let me' },
      { type: 'thinking_delta', thinking: ' see' },
      { type: 'signature_delta', signature: 'SIGNED' },
    );
    server.script = { chunks: [start, ...thoughts, ...call(1, '{"path":"a"}'), ...end('tool_use')], end: 'whole' };
    const { turn } = await drain(model());
    expect(turn.text).toBe('');
    server.script = { chunks: wire.words, end: 'whole' };
    await drain(model(), {
      messages: [
        { role: 'user', text: 'fix it' },
        { role: 'assistant', text: turn.text, calls: turn.calls, native: turn.native },
        { role: 'tool', call_id: 'toolu_1', tool_id: 'fs.read', text: 'x', standing: 'completed', is_error: false },
      ],
    });
    expect((server.requests[1]?.body['messages'] as unknown[])[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'let me see', signature: 'SIGNED' },
        { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a' } },
      ],
    });
  });

  test('arguments that are no object are a problem of the call, not of the reply', async () => {
    server.script = { chunks: [start, ...call(0, '{"path":'), ...end('tool_use')], end: 'whole' };
    expect((await drain(model())).turn.calls).toEqual([
      {
        id: 'toolu_1',
        tool_id: 'fs.read',
        args: {},
        problem: expect.stringMatching(/must be a JSON object|no JSON that is taken/),
      },
    ]);
  });

  test.each([
    ['an object that stands where the block begins', { path: 'a' }, { args: { path: 'a' } }],
    ['null', null, { args: {}, problem: expect.stringContaining('null') as string }],
    ['an array', [], { args: {}, problem: expect.stringContaining('an array') as string }],
  ])('arguments that are %s are read as what they are, or refused', async (_what, input, read) => {
    server.script = {
      chunks: [start, ...block(0, { type: 'tool_use', id: 'toolu_1', name: 'read_file', input }), ...end('tool_use')],
      end: 'whole',
    };
    expect((await drain(model())).turn.calls).toEqual([{ id: 'toolu_1', tool_id: 'fs.read', ...read }]);
  });

  test('an error within the stream is mapped by its type', async () => {
    for (const [type, fault] of [
      ['overloaded_error', 'overloaded'],
      ['rate_limit_error', 'rate_limited'],
      ['something_new', 'unavailable'],
    ] as const) {
      server.script = { chunks: [start, event({ type: 'error', error: { type, message: 'said so' } })], end: 'whole' };
      await expect(drain(model())).rejects.toMatchObject({ fault });
    }
  });
});

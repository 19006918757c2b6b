// SPDX-License-Identifier: Apache-2.0
import { WireServer } from '@writ/testing';
import { GeminiModel } from './gemini-model.ts';
import { drain, modelContract, sse, type Wire } from './specs/model.contract.ts';

const chunk = (parts: readonly object[], more: object = {}): string =>
  sse({ candidates: [{ index: 0, content: { role: 'model', parts }, ...more }], modelVersion: 'm' });
const end = (finishReason: string): string =>
  sse({
    candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason }],
    modelVersion: 'm',
    usageMetadata: {
      promptTokenCount: 20,
      cachedContentTokenCount: 5,
      candidatesTokenCount: 4,
      thoughtsTokenCount: 3,
      totalTokenCount: 27,
    },
  });
const call = { functionCall: { id: 'fc_1', name: 'read_file', args: { path: 'a' } } };
const pieces = [chunk([{ text: 'I re' }]), chunk([{ text: 'ad.' }]), chunk([call])];
const wire: Wire = {
  textAndCall: [...pieces, end('STOP')],
  callId: 'fc_1',
  words: [chunk([{ text: 'done' }]), end('STOP')],
  cutByLength: [chunk([{ text: 'I' }]), end('MAX_TOKENS')],
  refused: [chunk([{ text: 'I' }]), end('SAFETY')],
  unfinished: pieces,
  malformed: [chunk([{ text: 'I' }]), 'data: {"candidates": [\n\n'],
  error: (message) => JSON.stringify({ error: { code: 0, message, status: 'X' } }),
};

modelContract('Gemini', (options) => new GeminiModel(options), wire);

describe('Gemini', () => {
  let server: WireServer;
  beforeAll(async () => {
    server = await new WireServer().open();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
  });
  const model = () => new GeminiModel({ apiKey: 'secret', model: 'm', baseUrl: server.url });

  test('the request is of the API', async () => {
    server.script = { chunks: wire.words, end: 'whole' };
    await drain(model());
    const { url, headers, body } = server.requests[0]!;
    // The library decides the version of the API.
    expect(url).toMatch(/^\/v1\w*\/models\/m:streamGenerateContent\?alt=sse$/);
    expect(headers['x-goog-api-key']).toBe('secret');
    expect(body).toMatchObject({
      systemInstruction: { parts: [{ text: 'be good' }] },
      contents: [{ role: 'user', parts: [{ text: 'fix it' }] }],
    });
    expect(JSON.stringify(body['tools'])).toContain('"name":"read_file"');
  });

  test('signed thoughts are returned unchanged; answers name their call, with its id if it has one', async () => {
    const parts = [
      { text: 'let me see', thought: true },
      { functionCall: { name: 'read_file', args: { path: 'a' } }, thoughtSignature: 'U0lHTkVE' },
    ];
    server.script = { chunks: [chunk(parts), end('STOP')], end: 'whole' };
    const { turn } = await drain(model());
    expect(turn).toMatchObject({ text: '', calls: [{ tool_id: 'fs.read', args: { path: 'a' } }] });
    server.script = { chunks: wire.words, end: 'whole' };
    await drain(model(), {
      messages: [
        { role: 'user', text: 'fix it' },
        { role: 'assistant', text: turn.text, calls: turn.calls, native: turn.native },
        {
          role: 'tool',
          call_id: turn.calls[0]!.id,
          tool_id: 'fs.read',
          text: 'x',
          standing: 'completed',
          is_error: false,
        },
        { role: 'tool', call_id: 'fc_2', tool_id: 'shell.run', text: 'no', standing: 'failed', is_error: true },
      ],
    });
    expect((server.requests[1]?.body['contents'] as unknown[]).slice(1)).toEqual([
      { role: 'model', parts },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'read_file', response: { output: 'x' } } },
          { functionResponse: { id: 'fc_2', name: 'bash', response: { error: 'no' } } },
        ],
      },
    ]);
  });

  test.each([
    ['of no arguments', { functionCall: { name: 'read_file' } }, { args: {} }],
    [
      'whose arguments are null',
      { functionCall: { name: 'read_file', args: null } },
      { args: {}, problem: expect.stringContaining('null') as string },
    ],
    [
      'whose arguments are an array',
      { functionCall: { name: 'read_file', args: [] } },
      { args: {}, problem: expect.stringContaining('an array') as string },
    ],
    [
      'within a thought',
      { ...call, thought: true },
      { args: {}, problem: expect.stringContaining('in a thought') as string },
    ],
  ])('a call %s is read as what it is, or refused', async (_what, part, read) => {
    server.script = { chunks: [chunk([part]), end('STOP')], end: 'whole' };
    expect((await drain(model())).turn.calls).toEqual([expect.objectContaining({ tool_id: 'fs.read', ...read })]);
  });

  test("a blocked prompt is a refusal; a call that the provider couldn't read may be repaired", async () => {
    server.script = { chunks: [sse({ promptFeedback: { blockReason: 'SAFETY' } })], end: 'whole' };
    expect((await drain(model())).turn.stop).toBe('refusal');
    server.script = { chunks: [end('MALFORMED_FUNCTION_CALL')], end: 'whole' };
    expect((await drain(model())).turn).toMatchObject({
      stop: 'end',
      calls: [],
      problems: [expect.stringContaining('MALFORMED_FUNCTION_CALL')],
    });
  });

  test('the retry delay comes from the error if there is no header', async () => {
    server.script = {
      status: 429,
      chunks: [
        JSON.stringify({
          error: {
            code: 429,
            message: 'quota',
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '31s' }],
          },
        }),
      ],
      end: 'whole',
    };
    await expect(drain(model())).rejects.toMatchObject({ fault: 'rate_limited', retryAfterMs: 31_000 });
  });
});

// SPDX-License-Identifier: Apache-2.0
// Providers' responses in wire format, generated from their content.
import type { DialectName } from '../dialect.ts';

export interface NativeAnswer {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
}
type Form = (answer: NativeAnswer) => string;
interface Forms {
  readonly whole: Form;
  readonly stream: Form;
  readonly cutOff: Form;
}

export const sse = (events: readonly string[]): string => events.map((data) => `data: ${data}\n\n`).join('');
const named = (events: readonly { readonly type: string; readonly [member: string]: unknown }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
/** A text in two pieces, as in a stream. */
const halves = (text: string): [string, string] => [
  text.slice(0, Math.ceil(text.length / 2)),
  text.slice(Math.ceil(text.length / 2)),
];

const chatReason = (calls: NativeAnswer['calls']): string => (calls.length > 0 ? 'tool_calls' : 'stop');
const chatCalls = (calls: NativeAnswer['calls']): object[] =>
  calls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }));
const chatWhole = ({ text, calls }: NativeAnswer, reason = chatReason(calls)): string =>
  JSON.stringify({
    id: 'c1',
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content: text, tool_calls: chatCalls(calls) }, finish_reason: reason },
    ],
    usage: { total_tokens: 9 },
  });
const chatStream = ({ text, calls }: NativeAnswer): string => {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  const pieces = calls.flatMap(({ id, name, args }, index) => {
    const [head, tail] = halves(JSON.stringify(args));
    return [
      { index, id, type: 'function', function: { name, arguments: '' } },
      { index, function: { arguments: head } },
      { index, function: { arguments: tail } },
    ].map((part) => chunk({ tool_calls: [part] }));
  });
  return sse([
    chunk({ role: 'assistant', content: '' }),
    ...halves(text).map((content) => chunk({ content })),
    ...pieces,
    chunk({}, chatReason(calls)),
    '[DONE]',
  ]);
};

const items = ({ text, calls }: NativeAnswer): object[] => [
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
  ...calls.map(({ id, name, args }) => ({
    type: 'function_call',
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: JSON.stringify(args),
  })),
];
const response = (answer: NativeAnswer, status = 'completed'): object => ({
  object: 'response',
  status,
  output: items(answer),
  ...(status === 'incomplete' ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
});
const responsesStream = (answer: NativeAnswer): string =>
  named([
    { type: 'response.created', response: { object: 'response', status: 'in_progress', output: [] } },
    ...halves(answer.text).map((delta) => ({ type: 'response.output_text.delta', output_index: 0, delta })),
    ...items(answer).map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: response(answer) },
  ] as { type: string }[]);

const anthropicBlocks = ({ text, calls }: NativeAnswer): object[] => [
  ...(text === '' ? [] : [{ type: 'text', text }]),
  ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
];
const anthropicWhole = (
  answer: NativeAnswer,
  stop_reason = answer.calls.length > 0 ? 'tool_use' : 'end_turn',
): string =>
  JSON.stringify({
    type: 'message',
    role: 'assistant',
    content: anthropicBlocks(answer),
    stop_reason,
    usage: { output_tokens: 3 },
  });
const anthropicStream = ({ text, calls }: NativeAnswer): string =>
  named([
    { type: 'message_start', message: { type: 'message', content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    ...halves(text).map((each) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: each },
    })),
    { type: 'content_block_stop', index: 0 },
    ...calls.flatMap(({ id, name, args }, n) => [
      { type: 'content_block_start', index: n + 1, content_block: { type: 'tool_use', id, name, input: {} } },
      ...halves(JSON.stringify(args)).map((partial_json) => ({
        type: 'content_block_delta',
        index: n + 1,
        delta: { type: 'input_json_delta', partial_json },
      })),
      { type: 'content_block_stop', index: n + 1 },
    ]),
    { type: 'message_delta', delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn' } },
    { type: 'message_stop' },
  ] as { type: string }[]);

const geminiParts = ({ text, calls }: NativeAnswer): object[] => [
  ...(text === '' ? [] : [{ text }]),
  ...calls.map(({ id, name, args }) => ({ functionCall: { ...(id === '' ? {} : { id }), name, args } })),
];
const candidate = (parts: readonly object[], finishReason?: string): object => ({
  candidates: [
    { content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }), index: 0 },
  ],
});
const geminiStream = (answer: NativeAnswer): string =>
  sse(
    [
      ...halves(answer.text).map((text) => candidate([{ text }])),
      ...geminiParts({ ...answer, text: '' }).map((part) => candidate([part])),
      candidate([{ text: '' }], 'STOP'),
      { usageMetadata: {} },
    ].map((each) => JSON.stringify(each)),
  );

/** Each provider's response: whole, as a stream, and truncated by its length. */
export const NATIVE = {
  openai: { whole: chatWhole, stream: chatStream, cutOff: (answer) => chatWhole(answer, 'length') },
  'openai-responses': {
    whole: (answer) => JSON.stringify(response(answer)),
    stream: responsesStream,
    cutOff: (answer) => JSON.stringify(response(answer, 'incomplete')),
  },
  anthropic: {
    whole: anthropicWhole,
    stream: anthropicStream,
    cutOff: (answer) => anthropicWhole(answer, 'max_tokens'),
  },
  gemini: {
    whole: (answer) => JSON.stringify(candidate(geminiParts(answer), 'STOP')),
    stream: geminiStream,
    cutOff: (answer) => JSON.stringify([candidate(geminiParts(answer), 'MAX_TOKENS')]),
  },
} as const satisfies Partial<Record<DialectName, Forms>>;

/** One call with the given arguments, in each provider's format: as JSON, or as text. */
export const WITH_ARGUMENTS: Readonly<Record<keyof typeof NATIVE, readonly ((args: unknown) => string)[]>> = {
  openai: [
    (args) =>
      JSON.stringify({
        choices: [
          {
            message: { tool_calls: [{ id: 'a', function: { name: 'bash', arguments: args } }] },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    (args) =>
      sse(
        [
          { delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'bash', arguments: args } }] } },
          { delta: {}, finish_reason: 'tool_calls' },
        ].map((choice) => JSON.stringify({ choices: [choice] })),
      ),
  ],
  'openai-responses': [
    (args) =>
      JSON.stringify({
        object: 'response',
        status: 'completed',
        output: [{ type: 'function_call', call_id: 'a', name: 'bash', arguments: args }],
      }),
  ],
  anthropic: [
    (input) =>
      JSON.stringify({
        type: 'message',
        content: [{ type: 'tool_use', id: 'a', name: 'bash', input }],
        stop_reason: 'tool_use',
      }),
    (input) =>
      named([
        { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'bash', input } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
        { type: 'message_stop' },
      ]),
    (partial_json) =>
      named([
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'a', name: 'bash', input: {} },
        },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      ]),
  ],
  gemini: [
    (args) =>
      JSON.stringify({
        candidates: [{ content: { parts: [{ functionCall: { id: 'a', name: 'bash', args } }] }, finishReason: 'STOP' }],
      }),
  ],
};

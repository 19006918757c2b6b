// SPDX-License-Identifier: Apache-2.0
// A model on loopback, in the formats of OpenAI (chat completions) and Anthropic (messages). What it is asked says
// which tool it calls: `refund 5`, `close c-7`. It then repeats what it is told of the call.
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '@writ/stack';
import { sse, WireServer, type WireRequest, type WireScript } from '@writ/testing';

interface Reply {
  readonly text?: string;
  readonly tool?: string;
  readonly args?: object;
}

const textOf = (content: JsonValue | string): string =>
  typeof content === 'string'
    ? content
    : (content as JsonValue[]).map(({ text, content: inner }) => (inner === undefined ? text : textOf(inner))).join('');

function replyTo(asked: string): Reply {
  const [, cents, customer] = /refund (\d+)|close (\S+)/.exec(asked) ?? [];
  if (cents !== undefined) return { tool: 'refund', args: { cents: Number(cents) } };
  return customer === undefined ? { text: 'nothing' } : { tool: 'close_account', args: { customer } };
}

const json = (body: object): WireScript => ({
  headers: { 'content-type': 'application/json' },
  chunks: [JSON.stringify(body)],
  end: 'whole',
});

function chatCompletion({ messages }: JsonValue): WireScript {
  const last = (messages as JsonValue[]).at(-1)!;
  const { text, tool, args } =
    last.role === 'tool' ? { text: `told: ${textOf(last.content)}` } : replyTo(textOf(last.content));
  const called = { name: tool, arguments: JSON.stringify(args) };
  const message =
    tool === undefined
      ? { role: 'assistant', content: text }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: `call_${randomUUID()}`, type: 'function', function: called }],
        };
  const choices = [{ index: 0, message, finish_reason: tool === undefined ? 'stop' : 'tool_calls' }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  // Each reply has an id of its own: LangChain takes two of one id for the same.
  return json({ id: randomUUID(), object: 'chat.completion', created: 0, model: 'local', choices, usage });
}

function anthropicMessage({ messages, tools = [], stream }: JsonValue): WireScript {
  const last = (messages as JsonValue[]).filter(({ role }) => role === 'user').at(-1)!;
  const parts: JsonValue[] = typeof last.content === 'string' ? [] : (last.content as JsonValue[]);
  const results = parts.filter(({ type }) => type === 'tool_result');
  const { text, tool, args } =
    results.length > 0 ? { text: `told: ${textOf(results as never)}` } : replyTo(textOf(last.content));
  // The names of a server's tools have a prefix.
  const name = (tools as { name: string }[])
    .map((one) => one.name)
    .find((one) => tool !== undefined && one.endsWith(tool));
  const block =
    name === undefined
      ? { type: 'text', text: text ?? 'nothing' }
      : { type: 'tool_use', id: `toolu_${randomUUID().replaceAll('-', '')}`, name, input: args };
  const stop_reason = name === undefined ? 'end_turn' : 'tool_use';
  const message = {
    ...{ id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: 'local', content: [block] },
    ...{ stop_reason, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
  };
  return stream === true ? streamed(message, block, stop_reason) : json(message);
}

function streamed(message: object, block: JsonValue, stop_reason: string): WireScript {
  const isText = block.type === 'text';
  const started = isText ? { ...block, text: '' } : { ...block, input: {} };
  const delta = isText
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
  const events: [string, object][] = [
    ['message_start', { message: { ...message, content: [], stop_reason: null } }],
    ['content_block_start', { index: 0, content_block: started }],
    ['content_block_delta', { index: 0, delta }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } }],
    ['message_stop', {}],
  ];
  return { chunks: events.map(([type, data]) => sse({ type, ...data }, type)), end: 'whole' };
}

/** Starts the model. */
export async function startAdapterModel(): Promise<WireServer> {
  const model = new WireServer();
  model.script = ({ url, body }: WireRequest) =>
    url.includes('/chat/completions') ? chatCompletion(body as JsonValue) : anthropicMessage(body as JsonValue);
  return await model.open();
}

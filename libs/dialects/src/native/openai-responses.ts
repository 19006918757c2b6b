// SPDX-License-Identifier: Apache-2.0
//
// OpenAI's responses: a `response` object, and the events of its stream.
// https://platform.openai.com/docs/api-reference/responses
import type { JsonValue } from '@writ/digest';
import { quoted } from '../text/shown.ts';
import { failedBy, listOf, newCall, objectOf, stringOf, type NativeTurn, type ReadFrame } from './turn.ts';

type Members = { readonly [key: string]: JsonValue };

export function readResponses(): ReadFrame {
  /** places of messages whose text came as deltas, so that it isn't said twice */
  const told = new Set<string>();
  const placeOf = (event: Members): string => `${JSON.stringify(event['output_index'] ?? 0)}`;
  return (turn, value, whole) => {
    if (failedBy(turn, value)) return;
    const type = stringOf(value['type']);
    if (whole || value['object'] === 'response') answer(turn, value, true);
    else if (type === 'response.output_text.delta' || type === 'response.refusal.delta') {
      told.add(placeOf(value));
      turn.text(value['delta']);
    } else if (type === 'response.output_item.done') item(turn, objectOf(value['item']), !told.has(placeOf(value)));
    else if (type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed')
      answer(turn, objectOf(value['response']), false);
    else if (type === 'error') turn.fail(`the provider's stream failed: ${quoted(stringOf(value['message']))}`);
  };
}

/** The whole answer. At the end of a stream its items have come already. */
function answer(turn: NativeTurn, response: Members, withItems: boolean): void {
  if (failedBy(turn, response)) return;
  const items = listOf(response['output']);
  if (withItems) for (const each of items) item(turn, each, true);
  const calls = items.some(({ type }) => type === 'function_call');
  if (response['status'] === 'completed') turn.stop = calls ? 'tool_use' : 'end';
  else if (response['status'] === 'incomplete')
    turn.stop = objectOf(response['incomplete_details'])['reason'] === 'content_filter' ? 'end' : 'length';
  else turn.fail(`the answer is ${quoted(stringOf(response['status']))} and not completed`);
}

function item(turn: NativeTurn, { type, call_id, name, arguments: args, content }: Members, withText: boolean): void {
  if (type === 'function_call') turn.add(newCall(stringOf(call_id), stringOf(name), args));
  else if (type === 'message' && withText)
    for (const part of listOf(content)) turn.text(part['text'] ?? part['refusal']);
}

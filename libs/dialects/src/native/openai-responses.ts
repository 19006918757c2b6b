// SPDX-License-Identifier: Apache-2.0
//
// OpenAI's responses: a `response` object, and the events of its stream.
// https://platform.openai.com/docs/api-reference/responses
import type { JsonValue } from '@writ/digest';
import { quoted } from '../text/truncate.ts';
import { reportError, listOf, newCall, objectOf, stringOf, type NativeTurn, type ReadFrame } from './turn.ts';

type Members = { readonly [key: string]: JsonValue };

export function readResponses(): ReadFrame {
  /** indexes of messages whose text came as deltas, so that it isn't added twice */
  const streamed = new Set<string>();
  const indexOf = (event: Members): string => `${JSON.stringify(event['output_index'] ?? 0)}`;
  return (turn, value, whole) => {
    if (reportError(turn, value)) return;
    const type = stringOf(value['type']);
    if (whole || value['object'] === 'response') addResponse(turn, value, true);
    else if (type === 'response.output_text.delta' || type === 'response.refusal.delta') {
      streamed.add(indexOf(value));
      turn.text(value['delta']);
    } else if (type === 'response.output_item.done')
      addItem(turn, objectOf(value['item']), !streamed.has(indexOf(value)));
    else if (type === 'response.completed' || type === 'response.incomplete' || type === 'response.failed')
      addResponse(turn, objectOf(value['response']), false);
    else if (type === 'error') turn.fail(`the provider's stream failed: ${quoted(stringOf(value['message']))}`);
  };
}

/** Adds a whole response. At the end of a stream its items have been added already. */
function addResponse(turn: NativeTurn, response: Members, withItems: boolean): void {
  if (reportError(turn, response)) return;
  const items = listOf(response['output']);
  if (withItems) for (const each of items) addItem(turn, each, true);
  const calls = items.some(({ type }) => type === 'function_call');
  if (response['status'] === 'completed') turn.stop = calls ? 'tool_use' : 'end';
  else if (response['status'] === 'incomplete')
    turn.stop = objectOf(response['incomplete_details'])['reason'] === 'content_filter' ? 'end' : 'length';
  else turn.fail(`the answer is ${quoted(stringOf(response['status']))} and not completed`);
}

/** Calls that the provider itself runs. */
const RUN_BY_PROVIDER: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
]);

function addItem(
  turn: NativeTurn,
  { type, call_id, name, arguments: args, content }: Members,
  withText: boolean,
): void {
  const kind = stringOf(type);
  if (type === 'function_call') turn.add(newCall(stringOf(call_id), stringOf(name), args));
  else if (RUN_BY_PROVIDER.has(kind))
    turn.warn(`the provider ran a ${quoted(kind)} itself: Writ recorded nothing of it`);
  else if (kind.endsWith('_call') || kind === 'mcp_approval_request') {
    const call = turn.add(newCall(stringOf(call_id), stringOf(name) || kind));
    call.problem = `a ${quoted(kind)} is not taken: call functions`;
  } else if (type === 'message' && withText)
    for (const part of listOf(content)) turn.text(part['text'] ?? part['refusal']);
}

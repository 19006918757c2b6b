// SPDX-License-Identifier: Apache-2.0
//
// OpenAI's chat completions (and of servers like it): `chat.completion`, and the chunks of its stream.
// https://platform.openai.com/docs/api-reference/chat
import type { JsonValue } from '@writ/digest';
import type { Stop } from '../dialect.ts';
import { isObject } from '../text/read-json.ts';
import { quoted } from '../text/truncate.ts';
import {
  callsOf,
  reportError,
  listOf,
  newCall,
  objectOf,
  stringOf,
  type NativeCall,
  type NativeTurn,
  type ReadFrame,
} from './turn.ts';

const STOPS: Readonly<Record<string, Stop>> = {
  stop: 'end',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'length',
  content_filter: 'end',
};
type Members = { readonly [key: string]: JsonValue };

export function readChat(): ReadFrame {
  const calls = new Map<number, NativeCall>();
  return (turn, value) => {
    if (reportError(turn, value)) return;
    const choices = listOf(value['choices']);
    if (choices.some(({ index }) => index !== undefined && index !== 0))
      turn.warn('the answer has several choices: the first one is read');
    const choice = choices.find(({ index }) => index === undefined || index === 0);
    if (choice === undefined) return;
    const message = objectOf(choice['delta'] ?? choice['message']);
    turn.text(message['content']);
    turn.text(message['refusal']);
    for (const part of callsOf(turn, message['tool_calls'])) addCallPart(turn, calls, part);
    reportLegacyCall(turn, message['function_call']);
    const { finish_reason } = choice;
    if (typeof finish_reason === 'string') turn.stop = STOPS[finish_reason] ?? 'end';
    if (finish_reason === 'content_filter') turn.warn("the provider's filter cut the answer");
  };
}

/** The form of calls before `tool_calls`: they have no id, so nothing could answer them. */
function reportLegacyCall(turn: NativeTurn, part: JsonValue | undefined): void {
  if (part === undefined || part === null) return;
  const name = stringOf(objectOf(part)['name']);
  // In a stream the first piece has the name.
  if (name !== '' || !isObject(part))
    turn.fail(`the legacy \`function_call\` of ${quoted(name)} is not taken, so nothing runs: use \`tool_calls\``);
}

/** A call comes whole, or in pieces with its index; servers that omit the index send whole calls. */
function addCallPart(turn: NativeTurn, calls: Map<number, NativeCall>, part: Members): void {
  const functionPart = objectOf(part['function']);
  const index = typeof part['index'] === 'number' ? part['index'] : calls.size;
  let call = calls.get(index);
  if (call === undefined) calls.set(index, (call = turn.add(newCall('', ''))));
  call.id ||= stringOf(part['id']);
  call.name ||= stringOf(functionPart['name']);
  call.args.add(functionPart['arguments']);
}

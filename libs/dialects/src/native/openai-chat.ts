// SPDX-License-Identifier: Apache-2.0
//
// OpenAI's chat completions (and of servers like it): `chat.completion`, and the chunks of its stream.
// https://platform.openai.com/docs/api-reference/chat
import type { JsonValue } from '@writ/digest';
import type { Stop } from '../dialect.ts';
import {
  callsOf,
  failedBy,
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
    if (failedBy(turn, value)) return;
    const choices = listOf(value['choices']);
    if (choices.some(({ index }) => index !== undefined && index !== 0))
      turn.warn('the answer has several choices: the first one is read');
    const choice = choices.find(({ index }) => index === undefined || index === 0);
    if (choice === undefined) return;
    const said = objectOf(choice['delta'] ?? choice['message']);
    turn.text(said['content']);
    turn.text(said['refusal']);
    for (const part of callsOf(turn, said['tool_calls'])) take(turn, calls, part);
    const { finish_reason } = choice;
    if (typeof finish_reason === 'string') turn.stop = STOPS[finish_reason] ?? 'end';
    if (finish_reason === 'content_filter') turn.warn("the provider's filter cut the answer");
  };
}

/**
 * A call comes whole, or in pieces with its place among the calls; servers that leave the place out send them whole.
 */
function take(turn: NativeTurn, calls: Map<number, NativeCall>, part: Members): void {
  const made = objectOf(part['function']);
  const index = typeof part['index'] === 'number' ? part['index'] : calls.size;
  let call = calls.get(index);
  if (call === undefined) calls.set(index, (call = turn.add(newCall('', ''))));
  call.id ||= stringOf(part['id']);
  call.name ||= stringOf(made['name']);
  call.args.add(made['arguments']);
}

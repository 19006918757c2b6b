// SPDX-License-Identifier: Apache-2.0
//
// Anthropic's messages: a `message` object, and the events of its stream.
// https://docs.anthropic.com/en/api/messages-streaming
import type { JsonValue } from '@writ/digest';
import type { Stop } from '../dialect.ts';
import { isObject } from '../text/read-json.ts';
import {
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
  end_turn: 'end',
  stop_sequence: 'end',
  pause_turn: 'end',
  refusal: 'end',
  tool_use: 'tool_use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
};

type Members = { readonly [key: string]: JsonValue };

export function readAnthropic(): ReadFrame {
  const open = new Map<JsonValue | undefined, NativeCall>();
  return (turn, value) => {
    if (failedBy(turn, value)) return;
    const { type, index } = value;
    if (type === 'message') {
      for (const block of listOf(value['content'])) whole(turn, block);
      stopped(turn, value);
    } else if (type === 'content_block_start') started(turn, open, index, objectOf(value['content_block']));
    else if (type === 'content_block_delta') {
      const delta = objectOf(value['delta']);
      if (delta['type'] === 'text_delta') turn.text(delta['text']);
      if (delta['type'] === 'input_json_delta') open.get(index)?.args.add(delta['partial_json']);
    } else if (type === 'message_delta') stopped(turn, objectOf(value['delta']));
  };
}

function whole(turn: NativeTurn, { type, text, id, name, input }: Members): void {
  if (type === 'text') turn.text(text);
  if (type === 'tool_use') turn.add(newCall(stringOf(id), stringOf(name), input));
}

function started(
  turn: NativeTurn,
  open: Map<JsonValue | undefined, NativeCall>,
  index: JsonValue | undefined,
  block: Members,
): void {
  const { type, text, id, name, input } = block;
  if (type === 'text') turn.text(text);
  // The empty object stands for arguments that come in pieces; servers of other makers send all of them here.
  const given = isObject(input) && Object.keys(input).length === 0 ? undefined : input;
  if (type === 'tool_use') open.set(index, turn.add(newCall(stringOf(id), stringOf(name), given)));
}

function stopped(turn: NativeTurn, { stop_reason }: Members): void {
  if (typeof stop_reason === 'string') turn.stop = STOPS[stop_reason] ?? 'end';
}

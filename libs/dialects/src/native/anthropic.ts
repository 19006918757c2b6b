// SPDX-License-Identifier: Apache-2.0
//
// Anthropic's messages: a `message` object, and the events of its stream.
// https://docs.anthropic.com/en/api/messages-streaming
import type { JsonValue } from '@writ/digest';
import type { Stop } from '../dialect.ts';
import { isObject } from '../text/read-json.ts';
import {
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
  const begun = new Set<JsonValue | undefined>();
  return (turn, value) => {
    if (reportError(turn, value)) return;
    const { type, index } = value;
    if (type === 'content_block_start') begun.add(index);
    if (type === 'message') {
      for (const block of listOf(value['content'])) addBlock(turn, block);
      setStop(turn, value);
    } else if (type === 'content_block_start') startBlock(turn, open, index, objectOf(value['content_block']));
    else if (type === 'content_block_delta') {
      const delta = objectOf(value['delta']);
      if (delta['type'] === 'text_delta') turn.text(delta['text']);
      if (delta['type'] === 'input_json_delta') {
        open.get(index)?.args.add(delta['partial_json']);
        if (!begun.has(index)) turn.warn('arguments came for a call whose beginning is missing: they are not read');
        begun.add(index);
      }
    } else if (type === 'message_delta') setStop(turn, objectOf(value['delta']));
  };
}

function addBlock(turn: NativeTurn, { type, text, id, name, input }: Members): void {
  if (type === 'text') turn.text(text);
  if (type === 'tool_use') turn.add(newCall(stringOf(id), stringOf(name), input));
  warnOfServerTool(turn, type);
}

/** Tools that the provider itself runs. */
function warnOfServerTool(turn: NativeTurn, type: JsonValue | undefined): void {
  if (type === 'server_tool_use' || type === 'mcp_tool_use')
    turn.warn(`the provider ran a \`${type}\` itself: Writ recorded nothing of it`);
}

function startBlock(
  turn: NativeTurn,
  open: Map<JsonValue | undefined, NativeCall>,
  index: JsonValue | undefined,
  block: Members,
): void {
  const { type, text, id, name, input } = block;
  if (type === 'text') turn.text(text);
  // An empty object means that the arguments come in pieces; other servers send all of them here.
  const given = isObject(input) && Object.keys(input).length === 0 ? undefined : input;
  if (type === 'tool_use') open.set(index, turn.add(newCall(stringOf(id), stringOf(name), given)));
  warnOfServerTool(turn, type);
}

function setStop(turn: NativeTurn, { stop_reason }: Members): void {
  if (typeof stop_reason === 'string') turn.stop = STOPS[stop_reason] ?? 'end';
}

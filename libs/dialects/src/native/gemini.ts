// SPDX-License-Identifier: Apache-2.0
//
// Gemini's `generateContent`: a response, a list of them, or their stream. https://ai.google.dev/api/generate-content
import type { JsonValue } from '@writ/digest';
import type { Stop } from '../dialect.ts';
import { quoted } from '../text/truncate.ts';
import { reportError, listOf, newCall, objectOf, stringOf, type NativeTurn, type ReadFrame } from './turn.ts';

const UNREADABLE_CALLS: ReadonlySet<string> = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
]);
/** The problem of a call within a model's thought. */
const IN_THOUGHT = 'it stands in a thought, so it was not run: call outside of thoughts';
type Members = { readonly [key: string]: JsonValue };

export function readGemini(): ReadFrame {
  let calls = 0;
  return (turn, value) => {
    if (reportError(turn, value)) return;
    const { blockReason } = objectOf(value['promptFeedback']);
    if (typeof blockReason === 'string') turn.fail(`the provider refused the prompt: ${quoted(blockReason)}`);
    const [candidate] = listOf(value['candidates']);
    if (candidate === undefined) return;
    for (const part of listOf(objectOf(candidate['content'])['parts'])) calls += addPart(turn, part) ? 1 : 0;
    const { finishReason } = candidate;
    if (typeof finishReason === 'string') turn.stop = stopOf(turn, finishReason, calls);
  };
}

/** Adds a part of a response, without thoughts. Returns whether it was a call. */
function addPart(turn: NativeTurn, { text, thought, functionCall, function_call }: Members): boolean {
  if (thought !== true) turn.text(text);
  // Servers that relay the protocol's own JSON may keep the names of its definition.
  const written = functionCall ?? function_call;
  if (written === undefined) return false;
  const { id, name, args } = objectOf(written);
  const call = turn.add(newCall(stringOf(id), stringOf(name), args));
  if (thought === true) call.problem = IN_THOUGHT;
  return true;
}

function stopOf(turn: NativeTurn, reason: string, calls: number): Stop {
  if (reason === 'MAX_TOKENS') return 'length';
  if (UNREADABLE_CALLS.has(reason)) turn.fail(`the provider could not read the model's calls: ${quoted(reason)}`);
  else if (reason !== 'STOP') turn.warn(`the provider stopped the answer: ${quoted(reason)}`);
  return calls > 0 ? 'tool_use' : 'end';
}

// SPDX-License-Identifier: Apache-2.0
//
// Gemini's `generateContent`: an answer, a list of them, or their stream. https://ai.google.dev/api/generate-content
import type { JsonValue } from '@writ/digest';
import type { Stop } from '../dialect.ts';
import { quoted } from '../text/shown.ts';
import { failedBy, listOf, newCall, objectOf, stringOf, type NativeTurn, type ReadFrame } from './turn.ts';

const BROKEN: ReadonlySet<string> = new Set(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']);
/** Of a call within what a model thinks. */
const IN_THOUGHT = 'it stands in a thought, so it was not run: call outside of thoughts';
type Members = { readonly [key: string]: JsonValue };

export function readGemini(): ReadFrame {
  let calls = 0;
  return (turn, value) => {
    if (failedBy(turn, value)) return;
    const { blockReason } = objectOf(value['promptFeedback']);
    if (typeof blockReason === 'string') turn.fail(`the provider refused the prompt: ${quoted(blockReason)}`);
    const [candidate] = listOf(value['candidates']);
    if (candidate === undefined) return;
    for (const part of listOf(objectOf(candidate['content'])['parts'])) calls += take(turn, part) ? 1 : 0;
    const { finishReason } = candidate;
    if (typeof finishReason === 'string') turn.stop = stopOf(turn, finishReason, calls);
  };
}

/** A part of an answer; thoughts are for nobody. Says whether it was a call. */
function take(turn: NativeTurn, { text, thought, functionCall }: Members): boolean {
  if (thought !== true) turn.text(text);
  if (functionCall === undefined) return false;
  const { id, name, args } = objectOf(functionCall);
  const call = turn.add(newCall(stringOf(id), stringOf(name), args));
  if (thought === true) call.problem = IN_THOUGHT;
  return true;
}

function stopOf(turn: NativeTurn, reason: string, calls: number): Stop {
  if (reason === 'MAX_TOKENS') return 'length';
  if (BROKEN.has(reason)) turn.fail(`the provider could not read the model's calls: ${quoted(reason)}`);
  else if (reason !== 'STOP') turn.warn(`the provider stopped the answer: ${quoted(reason)}`);
  return calls > 0 ? 'tool_use' : 'end';
}

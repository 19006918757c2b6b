// SPDX-License-Identifier: Apache-2.0
//
// What runs in worker threads: work of which a caller decides how long it takes. INVARIANT (nothing kept): a task is a
// function of its input alone, so a thread holds nothing of one tenant when it begins with another's.
import type { JsonValue } from '@writ/digest';
import type { RenderedMessage, Parsed } from '@writ/dialects';
import { compareTexts, type CompareBudget, type ComparedText, type TextPair } from '../calls/compare-texts.ts';
import { previewChange, type ChangePreview, type StagedText } from '../calls/preview-change.ts';
import { readBody, readJson, type Body, type JsonText } from './read-body.ts';
import { readDelta, type DeltaHead, type DeltaText } from '../calls/read-delta.ts';
import { readTurn, renderTurn, type Answered, type ModelOutput } from '../runs/turns/read-turn.ts';

/** One pair of texts takes milliseconds unless it was made to take long; a page of them is waited for by a person. */
const COMPARE_BUDGET: CompareBudget = { eachMs: 250, allMs: 2_000 };

const monotonic = (): number => performance.now();

/** The tasks by their names. */
export const TASKS = {
  'body.read': (body: Body): unknown => readBody(body),
  'json.read': (text: JsonText): JsonValue => readJson(text),
  'texts.compare': (pairs: readonly TextPair[]): (ComparedText | null)[] =>
    compareTexts(pairs, COMPARE_BUDGET, monotonic),
  'change.preview': (staged: StagedText): ChangePreview => previewChange(staged, COMPARE_BUDGET, monotonic),
  'delta.read': (delta: DeltaText): DeltaHead => readDelta(delta),
  'turn.read': (output: ModelOutput): Parsed => readTurn(output),
  'turn.render': (answered: Answered): RenderedMessage[] => renderTurn(answered),
};
export type Tasks = typeof TASKS;

// SPDX-License-Identifier: Apache-2.0
import { taskOf } from '../edge/work/worker-tasks.ts';
import { compareTexts, type CompareBudget, type ComparedText, type TextPair } from './diffs/compare-texts.ts';
import { previewChange, type ChangePreview, type StagedText } from './diffs/preview-change.ts';
import { readDelta, type DeltaHead, type DeltaText } from './diffs/read-delta.ts';

/** An ordinary pair of texts takes milliseconds; a person waits for a page of them. */
const COMPARE_BUDGET: CompareBudget = { eachMs: 250, allMs: 2_000 };

const monotonic = (): number => performance.now();

/** The tasks of this module for worker threads, by name. */
export const CALL_TASKS = {
  'texts.compare': (pairs: readonly TextPair[]): (ComparedText | null)[] =>
    compareTexts(pairs, COMPARE_BUDGET, monotonic),
  'change.preview': (staged: StagedText): ChangePreview => previewChange(staged, COMPARE_BUDGET, monotonic),
  'delta.read': (delta: DeltaText): DeltaHead => readDelta(delta),
};
type CallTasks = typeof CALL_TASKS;

export const COMPARE_TEXTS = taskOf<CallTasks, 'texts.compare'>('texts.compare', 10_000);
export const PREVIEW_CHANGE = taskOf<CallTasks, 'change.preview'>('change.preview', 5_000);
export const READ_DELTA = taskOf<CallTasks, 'delta.read'>('delta.read', 5_000);

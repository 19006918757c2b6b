// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { editedText, FILE_TOOL_FAULTS, ToolFault, type EditArgs } from '@writ/workspace';
import { compareTexts, type CompareBudget } from './compare-texts.ts';

/** A write or an edit that is staged, and the text that the file has; null where there is no file. */
export interface StagedText {
  readonly path: string;
  readonly old: string | null;
  readonly change: { readonly content: string } | { readonly edits: EditArgs['edits'] };
}

/** What the change would do: its diff, null where that is too long to show; or why it can't be made. */
export type ChangePreview =
  | { readonly diff: string | null }
  | { readonly failed: { readonly code: string; readonly message: string; readonly hint: string | null } };

/** Longest text that is compared, in bytes: what a person reads. */
export const COMPARED_BYTES_MAX = 256 * 1024;

/** Makes the change on the text, by the code that will make it in the workspace, and compares. */
export function previewChange(
  { path, old, change }: StagedText,
  budget: CompareBudget,
  now: () => number,
): ChangePreview {
  try {
    const after = 'content' in change ? change.content : editedText(old ?? '', { path, edits: change.edits }).text;
    if (Math.max(Buffer.byteLength(after), Buffer.byteLength(old ?? '')) > COMPARED_BYTES_MAX) return { diff: null };
    return { diff: compareTexts([{ path, old, now: after }], budget, now)[0]?.text ?? null };
  } catch (error) {
    if (!(error instanceof Fault) || !FILE_TOOL_FAULTS.has(error.code)) throw error;
    return {
      failed: { code: error.code, message: error.message, hint: error instanceof ToolFault ? error.hint : null },
    };
  }
}

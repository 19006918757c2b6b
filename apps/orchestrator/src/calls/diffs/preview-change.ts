// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { editedText, FILE_TOOL_FAULTS, ToolFault, type EditArgs } from '@writ/workspace';
import { compareTexts, type CompareBudget } from './compare-texts.ts';

/** A staged write or edit, and the current text of the file; null where there is no file. */
export interface StagedText {
  readonly path: string;
  readonly old: string | null;
  readonly change: { readonly content: string } | { readonly edits: EditArgs['edits'] };
}

/** The effect of the change: its diff, null where that is too long to show; or why the change can't be made. */
export type ChangePreview =
  | { readonly diff: string | null }
  | { readonly failed: { readonly code: string; readonly message: string; readonly hint: string | null } };

/** Longest text that is compared, in bytes: as much as a person reads. */
export const COMPARED_BYTES_MAX = 256 * 1024;

/** Applies the change to the text, with the code that will apply it in the workspace, and compares the two. */
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

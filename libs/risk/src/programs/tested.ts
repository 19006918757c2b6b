// SPDX-License-Identifier: Apache-2.0
import { noteName } from '../shell/evaluate.ts';
import type { Field } from '../shell/field.ts';
import type { Shell } from '../shell/shell.ts';

/** Tests whether a name is set, or is a reference to another variable. */
export const ASKS_FOR_NAME = /^-[vR]$/;

/** Notes what `[` and `test` evaluate in their words: a tested name may have an index. */
export function noteTested(words: readonly Field[], shell: Shell): void {
  for (const [index, { text }] of words.entries())
    if (ASKS_FOR_NAME.test(text)) noteName(words[index + 1]?.text ?? '', shell);
}

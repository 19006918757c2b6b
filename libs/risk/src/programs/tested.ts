// SPDX-License-Identifier: Apache-2.0
import { noteName } from '../shell/evaluate.ts';
import type { Field } from '../shell/field.ts';
import type { Shell } from '../shell/shell.ts';

/** Ask whether a name is set, or is one of another variable. */
export const ASKS_FOR_NAME = /^-[vR]$/;

/** Notes what `[` and `test` evaluate of their words: a name that is asked for may have an index. */
export function noteTested(words: readonly Field[], shell: Shell): void {
  for (const [index, { text }] of words.entries())
    if (ASKS_FOR_NAME.test(text)) noteName(words[index + 1]?.text ?? '', shell);
}

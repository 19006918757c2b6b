// SPDX-License-Identifier: Apache-2.0
//
// Texts of a server that a person has to judge: definitions of tools, and questions.
import { hiddenInSubject, pointerOf } from '@writ/contract';

/** C0 and C1 controls but tab, line feed and carriage return; and separators that are shown as none. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/u;

/**
 * The first character of a text that is not shown as it is stored: `U+202E`. Null: there is none. Total and pure.
 * @param hiddenIn finds invisible characters: any in a text that a person judges, and fewer in a text for a model
 */
export function hiddenCharacter(text: string, hiddenIn = hiddenInSubject): string | null {
  const [control] = CONTROL.exec(text) ?? [];
  return hiddenIn(text) ?? (control === undefined ? null : codePoint(control));
}

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * Every text of a value of JSON, of any depth and width, with its pointer. A name of a member is a text, too, and its
 * pointer is that of its object.
 */
export function* textsIn(value: unknown): Generator<{ readonly pointer: string; readonly text: string }> {
  const open: { readonly pointer: string; readonly value: unknown }[] = [{ pointer: '', value }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { pointer, value: each } = next;
    if (typeof each === 'string') yield { pointer, text: each };
    if (typeof each !== 'object' || each === null) continue;
    for (const [name, member] of Object.entries(each)) {
      if (!Array.isArray(each)) yield { pointer, text: name };
      open.push({ pointer: `${pointer}${pointerOf(name)}`, value: member });
    }
  }
}

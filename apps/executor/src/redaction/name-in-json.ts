// SPDX-License-Identifier: Apache-2.0
import { parseJson } from '@writ/digest';
import type { SecretValues } from './redactor.ts';

/** It ends an escape that the text before has begun. */
const BETWEEN = '\n\n';

/**
 * The name of a secret value that JSON of others holds, or null. For JSON that is shown whole or not at all: each text
 * and each name of a member is searched as its reader reads it. INVARIANT (texts within texts): a text that is JSON is
 * searched as JSON too, since each level of it escapes the characters of a value once more. INVARIANT (one search):
 * many short texts cost no more than a long one, and a value that is split over two of them is found as well.
 */
export function nameInJson(values: SecretValues, value: unknown): string | null {
  if (!values.any) return null;
  // The JSON has the numbers as well, and each text that needs no escape.
  const texts = [JSON.stringify(value) ?? '', ...escapedTexts(value)];
  return values.nameIn(Buffer.from(texts.join(BETWEEN)));
}

/** Every text and every name that JSON escapes, and those within texts that are JSON. */
function* escapedTexts(value: unknown): Generator<string> {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string' && isEscaped(next)) {
      yield next;
      open.push(jsonIn(next));
    }
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) for (const name of Object.keys(next)) open.push(name);
    for (const member of Object.values(next)) open.push(member);
  }
}

const isEscaped = (text: string): boolean => JSON.stringify(text).length !== text.length + 2;

/** The value of a text that is JSON; undefined for any other text. Each level has twice the escapes of the next. */
function jsonIn(text: string): unknown {
  if (!/^\s*["[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { parseIJson, type JsonValue } from '@writ/digest';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What I-JSON forbids although it may come through `JSON.parse` and back unchanged: escaped characters (lone surrogates and NUL among them), and numbers of 16 digits or more. */
const NEEDS_A_READER = /\\u|(?:^|[:,[])-?\d{16}|e\+/;

/**
 * Reads the statement of a record as strictly as `parseIJson`, for a fifth of its cost: a text that `JSON.stringify` gives back to the letter names no key twice and has
 * no other spelling. The kernel writes all of its records so; any other text is read character by character.
 *
 * @throws JsonError, or TypeError for bytes that are not UTF-8
 */
export function readStatement(payload: Uint8Array): JsonValue {
  const text = utf8.decode(payload);
  // As many brackets as may stand in each other: no deeper than the reader lets through.
  if (!NEEDS_A_READER.test(text) && (text.match(/[[{]/g)?.length ?? 0) <= LIMITS.argsDepth.max) {
    const value = parsedOrUndefined(text);
    if (value !== undefined && JSON.stringify(value) === text) return value;
  }
  return parseIJson(payload, { depthMax: LIMITS.argsDepth.max });
}

function parsedOrUndefined(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined; // the strict reader says where it is wrong
  }
}

// SPDX-License-Identifier: Apache-2.0
// Bodies that an API answers with, which are attacker-controlled: a thread reads one that is long.
import { JsonError, parseIJson, type JsonValue } from '@writ/digest';

/** The levels that a result may have. */
const DEPTH_MAX = 32;

/** The JSON of a text; null for what is none, and for what a result can't hold: then the text itself is the body. */
export function jsonOf(text: string): { readonly json: JsonValue } | null {
  // The database takes no NUL in a text, not even an escaped one.
  if (/\\u0000/.test(text)) return null;
  try {
    return { json: parseIJson(text, { depthMax: DEPTH_MAX }) };
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

/** The work on bodies for worker threads. */
export const API_TASKS = { 'api.body': jsonOf } as const;

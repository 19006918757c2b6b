// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { JsonError, parseIJson, type JsonValue } from '@writ/digest';

/** Nesting that a dialect adds around arguments: an envelope, its list, an action. */
const WRAPPING = 6;

/**
 * Parses a model's JSON by the rules of the API: attacker-controlled. A problem has its pointer and position in the
 * text.
 */
export function readJson(text: string): { readonly value: JsonValue } | { readonly problem: string } {
  try {
    return { value: parseIJson(text, { depthMax: LIMITS.argsDepth.max + WRAPPING }) };
  } catch (error) {
    if (error instanceof JsonError) return { problem: error.message };
    throw error;
  }
}

export const isObject = (value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

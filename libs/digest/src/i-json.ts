// SPDX-License-Identifier: Apache-2.0
import { JsonError } from './json-error.ts';
import type { JsonReason } from './json-error.ts';

/** The values of `parseIJson` and `canonicalJson`. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * The deepest nesting that a caller may allow. The readers below recurse once or a few times per level. So they stay
 * far from the end of the stack, and no input can exhaust it.
 */
export const DEPTH_CEILING = 512;

/**
 * The reason why I-JSON (RFC 7493 §2.1) forbids a string, or null. NUL is our addition: Postgres can't store it in
 * text. Noncharacters such as U+FFFE are accepted, although RFC 7493 forbids them: they occur in real files, survive
 * every hop, and Unicode allows them in interchange since Corrigendum 9.
 */
export function stringFault(text: string): JsonReason | null {
  if (!text.isWellFormed()) return 'lone_surrogate';
  return text.includes('\0') ? 'nul' : null;
}

/**
 * Answers whether a double represents exactly one number (RFC 7493 §2.2). Every double of magnitude 2^53 or more is an
 * integer that its neighbours also round to, so one comparison refuses them all, together with infinities and NaN.
 */
export function isExactNumber(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/**
 * Throws a plain Error if the requested depth could exhaust the stack: a bug of the caller, not a fault of the input.
 */
export function requireDepth(depthMax: number): void {
  if (!Number.isInteger(depthMax) || depthMax < 0 || depthMax > DEPTH_CEILING) {
    throw new Error(`depthMax must be an integer between 0 and ${String(DEPTH_CEILING)}`);
  }
}

/** Throws a JsonError for the first fault of a string at this pointer. */
export function requireString(text: string, pointer: () => string): void {
  const fault = stringFault(text);
  if (fault !== null) throw new JsonError(fault, pointer());
}

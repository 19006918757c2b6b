// SPDX-License-Identifier: Apache-2.0
import type { SecretValues } from './redactor.ts';

/** A shorter text was not cut: every bound of a text that others wrote is larger. */
const CUT_CHARS_MIN = 200;

/**
 * JSON of texts that others wrote, fit to be shown and stored: without secret values, without NUL and without halves of
 * characters. INVARIANT (no half of a value): a long text may have been cut within a value, so that the beginning of a
 * value at its end is removed too. Names of members stay: `withShownNames` is for JSON whose names others choose.
 */
export function shownJson(values: SecretValues, value: unknown): unknown {
  if (typeof value === 'string') {
    const isCut = value.length >= CUT_CHARS_MIN;
    const text = isCut && value.endsWith('…') ? value.slice(0, -1) : value;
    const shown = values.redactText(text.replaceAll('\0', '\uFFFD').toWellFormed(), isCut);
    return text === value ? shown : `${shown}…`;
  }
  if (Array.isArray(value)) return value.map((member) => shownJson(values, member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shownJson(values, member)]));
}

/** JSON without secret values in its names. INVARIANT (one search): names without values take one search for all. */
export function withShownNames(values: SecretValues, value: unknown): unknown {
  const names = [...namesIn(value)].join('\n\n');
  return values.nameIn(Buffer.from(names)) === null ? value : renamed(values, value);
}

function namesIn(value: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, member] of Object.entries(next)) {
      if (!Array.isArray(next)) names.add(name);
      open.push(member);
    }
  }
  return names;
}

function renamed(values: SecretValues, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(values, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [values.redactText(name), renamed(values, member)]),
  );
}

// SPDX-License-Identifier: Apache-2.0

/**
 * One step of a pointer into a result: the name of a member or the index of an item; null for all members of an object
 * and all items of a list.
 */
export type PointerStep = string | null;

/** Limits on what one rule redacts. Records name all of it, so it stays short. */
export const REDACTION_LIMITS = { pointers: 16, steps: 16, chars: 1024 } as const;
/** The most bytes, as JSON, that rules and pointers of one call take in its record. */
export const REDACTIONS_BYTES_MAX = 2048;

/** The pointers of a rule, or what is wrong with them: what, and what to do about it. */
export type RedactionRead =
  | { readonly ok: true; readonly pointers: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly help: string };

const wrong = (message: string, help: string): RedactionRead => ({ ok: false, message, help });

/**
 * Reads the pointers in the text of `@redact`: JSON pointers (RFC 6901), separated by spaces. `*` is every member and
 * every item. A name with a space has `~2` for it.
 */
export function readRedaction(text: string): RedactionRead {
  const { pointers: pointersMax, steps, chars } = REDACTION_LIMITS;
  if (text.length > chars) return wrong(`\`@redact\` is longer than ${chars} characters`, 'use `*`, or more rules');
  const pointers = text.split(/\s+/).filter((pointer) => pointer !== '');
  if (pointers.length === 0) return wrong('`@redact` names no member', 'write `@redact("/customer/email")`');
  if (pointers.length > pointersMax)
    return wrong(`\`@redact\` names more than ${pointersMax} members`, 'use `*`, or more rules');
  for (const pointer of pointers) {
    const shown = `\`${pointer.slice(0, 64)}\``;
    if (!pointer.startsWith('/'))
      return wrong(`${shown} is no JSON pointer`, 'begin it with `/`, and separate two by a space');
    if (/~(?![012])/.test(pointer))
      return wrong(
        `${shown} has a \`~\` that stands for nothing`,
        'write `~0` for `~`, `~1` for `/`, `~2` for a space',
      );
    if (stepsOf(pointer).length > steps) return wrong(`${shown} has more than ${steps} steps`, 'redact a member above');
  }
  return { ok: true, pointers: [...new Set(pointers)] };
}

/** The steps of a pointer that `readRedaction` has accepted. */
export const stepsOf = (pointer: string): PointerStep[] =>
  pointer
    .slice(1)
    .split('/')
    .map((step) => (step === '*' ? null : nameOf(step)));

/** In this order, so that `~01` is `~1` and no slash. */
const nameOf = (step: string): string =>
  step.replaceAll('~2', ' ').replaceAll('~1', '/').replaceAll('~0', '~').normalize('NFC');

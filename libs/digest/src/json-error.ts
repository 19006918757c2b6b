// SPDX-License-Identifier: Apache-2.0

/** Every reason why a text or value is not JSON that Writ accepts; closed, so that callers can map each one. */
export type JsonReason =
  | 'too_large'
  | 'utf8'
  | 'syntax'
  | 'too_deep'
  | 'duplicate_key'
  | 'number_range'
  | 'lone_surrogate'
  | 'nul'
  | 'not_json';

const MESSAGES: Readonly<Record<JsonReason, string>> = {
  too_large: 'text is too long',
  utf8: 'bytes are not valid UTF-8',
  syntax: 'text is not valid JSON',
  too_deep: 'nesting is too deep',
  duplicate_key: 'object has the same key twice',
  number_range: 'number is not a finite double below 2^53 in magnitude',
  lone_surrogate: 'string has an unpaired surrogate',
  nul: 'string has a NUL character',
  not_json: 'value has no JSON form',
};

/** Enough of a pointer to find the position; keys are attacker-controlled and may be as long as the text itself. */
const POINTER_SHOWN_MAX = 120;

/**
 * Why a text or a value was refused, and where.
 *
 * `pointer` is an RFC 6901 pointer to the innermost value that had begun. `line` and `column` are 1-based, the column
 * in UTF-16 code units; both are 0 without a text to point into (a value, or bytes that don't decode).
 */
export class JsonError extends Error {
  readonly pointer: string;
  readonly line: number;
  readonly column: number;
  readonly reason: JsonReason;

  constructor(reason: JsonReason, pointer: string, line = 0, column = 0) {
    super(`${MESSAGES[reason]}${formatPosition(pointer, line, column)}`);
    this.name = 'JsonError';
    this.reason = reason;
    this.pointer = pointer;
    this.line = line;
    this.column = column;
  }
}

/** One RFC 6901 reference token. */
export function pointerToken(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function formatPosition(pointer: string, line: number, column: number): string {
  const shown = pointer.length > POINTER_SHOWN_MAX ? `${pointer.slice(0, POINTER_SHOWN_MAX)}…` : pointer;
  const at = shown === '' ? '' : ` at \`${shown}\``;
  return line === 0 ? at : `${at} (line ${String(line)}, column ${String(column)})`;
}

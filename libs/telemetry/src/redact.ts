// SPDX-License-Identifier: Apache-2.0

/**
 * Names whose values a log line never shows, at any depth: arguments, contents and outputs of calls (logs and receipts
 * hold only their hashes), and all secrets. Compared without case, `_` and `-`.
 */
const HIDDEN = new Set([
  'args',
  'arguments',
  'argsinline',
  'argssalt',
  'salt',
  'payload',
  'body',
  'content',
  'contents',
  'bytes',
  'edits',
  'find',
  'replace',
  'command',
  'stdin',
  'stdout',
  'stderr',
  'output',
  'result',
  'diff',
  'env',
  'headers',
  'cookie',
  'authorization',
  'password',
  'secret',
  'secrets',
  'token',
  'apikey',
  'key',
  'privatekey',
  'masterkey',
  'envelope',
  'sig',
  'signatures',
  // properties of database errors
  'query',
  'parameters',
  'where',
  'internalquery',
]);

/** Replaces a hidden value. */
export const REDACTED = '[redacted]';
/** Deeper than any of our lines; anything below isn't shown. */
const depthMax = 6;
/** Longer lists are cut. */
const itemsMax = 50;
/** Longest text of one field; a stack trace fits. */
const textMax = 8_192;

/**
 * Copies a log line's fields without the values that must not be shown. Bytes, functions and deep structures become
 * their kind.
 */
export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isHidden(name) ? REDACTED : clean(value, 1)]),
  );
}

function isHidden(name: string): boolean {
  return HIDDEN.has(name.toLowerCase().replaceAll(/[_-]/g, ''));
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > textMax ? `${value.slice(0, textMax)}…` : value;
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object')
    return typeof value === 'function' || typeof value === 'symbol' ? `[${typeof value}]` : value;
  if (value instanceof Error) return cleanError(value, depth);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= depthMax) return '[deep]';
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => clean(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isHidden(name) ? REDACTED : clean(inner, depth + 1)]),
  );
}

/** Of an error, only the properties that our own code sets: other libraries attach queries and requests to theirs. */
function cleanError(error: Error, depth: number): Record<string, unknown> {
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  return {
    type: error.name,
    message: clean(error.message, depth),
    ...(typeof code === 'string' ? { code } : {}),
    // A Fault's detail is safe to show; a database error's detail holds the row.
    ...(error.name === 'Fault' && typeof detail === 'string' ? { detail: clean(detail, depth) } : {}),
    stack: clean(error.stack, depth),
    ...(error.cause === undefined || depth >= depthMax ? {} : { cause: clean(error.cause, depth + 1) }),
  };
}

// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http';
import type { Call } from '../calls/runner.ts';

/** How many headers of an answer are returned, and how long each may be. */
const HEADERS_MAX = 64;
const HEADER_CHARS_MAX = 1_024;

/**
 * The headers of an answer without secret values, as the caller sees them. INVARIANT (redacted before cut): the
 * redactor would not find a value that was cut in two.
 */
export function headersWithout({ headers }: IncomingMessage, values: Call['values']): Record<string, string> {
  const redacted = (text: string): string =>
    (values?.redactText(text) ?? text).replaceAll(/[^\x20-\x7e]/g, '?').slice(0, HEADER_CHARS_MAX);
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, HEADERS_MAX)
      .map(([name, value]) => [name, redacted([value].flat().join(', '))]),
  );
}

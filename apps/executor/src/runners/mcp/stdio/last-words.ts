// SPDX-License-Identifier: Apache-2.0
//
// What is told of a process that ended. INVARIANT (redacted before cut): whatever is cut off by us is cut off after the
// redaction. Where the beginning was lost before, so much is dropped that no rest of a value is at the new beginning.
import { quoted } from '@writ/mcp-client';
import type { SandboxReason } from '@writ/sandbox';
import { SecretValues, type NamedValue } from '../../../redaction/redactor.ts';
import type { ProcessEnd } from './kept-process.ts';

/** As much as a message quotes. */
const SHOWN_CHARS_MAX = 400;
/** The longest encoding of a byte on one line, `\u0041`. */
const FORM_BYTES_MAX = 6;
const LINE_FEED = 0x0a;

/** How a process ended, and its last words: on one line, redacted, and marked as a quotation. */
export function wordsOf(end: ProcessEnd, named: readonly NamedValue[]): string {
  const values = new SecretValues(named);
  const whole = end.isCut ? end.words.subarray(lostBytes(end.words, values)) : end.words;
  // A process that is killed may have said the first half of a value last.
  const said = values.redactText(whole.toString('utf8'), true).trim();
  if (said === '') return howOf(end);
  const chars = [...said];
  const isCut = end.isCut || chars.length > SHOWN_CHARS_MAX;
  const shown = quoted(chars.slice(-SHOWN_CHARS_MAX).join(''), (text) => text);
  return `${howOf(end)}: ${isCut ? 'the end of what it said: ' : ''}${shown}`;
}

/** Bytes that may be the rest of a value: as many as its longest form has, and the rest of a line in any case. */
function lostBytes(words: Buffer, { named }: SecretValues): number {
  const longest = Math.max(0, ...named.map(([, value]) => Buffer.byteLength(value)));
  return Math.max(longest * FORM_BYTES_MAX, words.indexOf(LINE_FEED) + 1);
}

/** Limits that end a process, whatever its status is then. */
const LIMITS: ReadonlySet<SandboxReason | null> = new Set<SandboxReason>(['cpu', 'memory', 'wall', 'engine']);

function howOf({ result }: ProcessEnd): string {
  if (result === null || result.ended === 'killed') return '';
  const { exitCode, signal, reason, detail, ended } = result;
  if (!LIMITS.has(reason)) {
    if (exitCode !== null) return ` with exit status ${String(exitCode)}`;
    if (signal !== null) return ` by the signal ${signal}`;
  }
  return ` (${detail ?? reason ?? ended})`;
}

// SPDX-License-Identifier: Apache-2.0

export const MCP_FAILURES = [
  /** The connection broke, or there was none, or the server ended its answer early. */
  'unreachable',
  /** The server refused the credential, or wants one: 401 or 403. */
  'denied',
  /**
   * The server refused the request before anything could begin: 404 or 405, or an error of JSON-RPC by which it could
   * not read the message.
   */
  'refused',
  /** The server answered with an error that leaves open what it did. */
  'failed',
  /** The answer is none of MCP. */
  'malformed',
  /** The server sent more than is read. */
  'too_large',
  /** What the call would send is more than its transport takes. Nothing was sent. */
  'unsendable',
  /** The time was over. */
  'timeout',
  /** The tool is defined otherwise than it is pinned. Nothing was sent to it. */
  'changed',
  /** The server lists no such tool any more. Nothing was sent to it. */
  'gone',
  /** The server wants what is not supported: input while a call runs, sampling, elicitation, tasks. */
  'unsupported',
  /** The structured result does not have the form that the pinned definition promises. */
  'result_invalid',
] as const;
export type McpFailure = (typeof MCP_FAILURES)[number];

/** Why a server of MCP did not do what was asked. The message may quote it, cut and without control characters. */
export class McpError extends Error {
  readonly reason: McpFailure;

  constructor(reason: McpFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'McpError';
    this.reason = reason;
  }
}

/** Removes secret values from what a server says. @param isCut whether the text was cut off, perhaps within a value */
export type Redact = (text: string, isCut?: boolean) => string;

/** Long enough for a sentence that says what is wrong with arguments. */
const QUOTED_CHARS_MAX = 400;
/** As much of a server's words is read for a quotation. */
const READ_CHARS_MAX = 16 * QUOTED_CHARS_MAX;

/**
 * A server's words for a message of ours: on one line, cut, and marked as a quotation. INVARIANT (redacted before cut):
 * nobody finds a value that was cut in two.
 */
export function quoted(text: string, redact: Redact): string {
  const read = text.slice(0, READ_CHARS_MAX);
  const isCut = read !== text;
  const line = redact(isCut ? read.replace(/[\ud800-\udbff]$/, '') : read, isCut)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  const shown = [...line].slice(0, QUOTED_CHARS_MAX).join('');
  return `“${shown}${shown === line && !isCut ? '' : '…'}”`;
}

/** A place within a value of the server, whose member names may hold anything; the root is `/`. */
export function shownPlace(pointer: string, redact: Redact): string {
  const tokens = pointer.split('/').slice(1);
  const plain = tokens.map((token) => redact(token.replaceAll('~1', '/').replaceAll('~0', '~')));
  return `/${plain.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}

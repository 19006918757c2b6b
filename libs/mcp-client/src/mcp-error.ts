// SPDX-License-Identifier: Apache-2.0

export const MCP_FAILURES = [
  /** The connection broke, or there was none, or the server ended its answer early. */
  'unreachable',
  /** The server refused the credential, or wants one: 401 or 403. */
  'denied',
  /** The server refused the request, and did nothing: 4xx, or an error of JSON-RPC that blames the request. */
  'refused',
  /** The server answered with an error that leaves open what it did. */
  'failed',
  /** The answer is none of MCP. */
  'malformed',
  /** The server sent more than is read. */
  'too_large',
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

/** Long enough for a sentence that says what is wrong with arguments. */
const QUOTED_CHARS_MAX = 400;

/** A server's words for a message of ours: on one line, cut, and marked as a quotation. */
export function quoted(text: string): string {
  const line = text
    .slice(0, 4 * QUOTED_CHARS_MAX)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  const shown = [...line].slice(0, QUOTED_CHARS_MAX).join('');
  return `“${shown}${shown === line ? '' : '…'}”`;
}

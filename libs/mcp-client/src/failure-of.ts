// SPDX-License-Identifier: Apache-2.0
import {
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
  UnsupportedProtocolVersionError,
} from '@modelcontextprotocol/client';
import { McpError, quoted, type McpFailure, type Redact } from './mcp-error.ts';

/**
 * Errors of JSON-RPC by which nothing began: the message could not be read, or its headers were compared with it before
 * (revision 2026-07-28). No other error says that. Ordinary SDKs answer InvalidParams after a tool ran, when its result
 * doesn't have the form that it promises; and tools throw errors of any code, such as those of a server that they ask.
 */
const NOTHING_BEGAN: ReadonlySet<number> = new Set([ProtocolErrorCode.ParseError, -32020]);
/**
 * Statuses by which nothing began, beside 401 and 403: no such session or address, and no such method there. All others
 * come from whatever stands before a server, or from its program, and not from the tool. They are fewer than those of a
 * tool over HTTP, whose status is the answer of the operation itself (RFC 9110 §15.5).
 */
const STATUSES_OF_NOTHING: ReadonlySet<number> = new Set([404, 405]);
/** The server would go on if its client could do more: sampling, or asking a person. */
const WANTS_MORE: ReadonlySet<number> = new Set([
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UrlElicitationRequired,
]);

const OF_SDK: Readonly<Partial<Record<SdkErrorCode, McpFailure>>> = {
  [SdkErrorCode.RequestTimeout]: 'timeout',
  [SdkErrorCode.ConnectionClosed]: 'unreachable',
  [SdkErrorCode.SendFailed]: 'unreachable',
  [SdkErrorCode.UnsupportedResultType]: 'unsupported',
};

/** @param error what the SDK threw */
export function failureOf(error: unknown, redact: Redact): McpError {
  if (error instanceof McpError) return error;
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) return denied(401);
  if (error instanceof UnsupportedProtocolVersionError)
    return new McpError('malformed', 'the server speaks no revision of MCP that is supported', { cause: error });
  if (error instanceof ProtocolError) return ofProtocol(error, redact);
  if (error instanceof SdkHttpError) return ofStatus(error.status ?? 0);
  if (error instanceof SdkError) return ofSdk(error, redact);
  return new McpError('malformed', "the server's answer is none of MCP", { cause: error });
}

function ofProtocol(error: ProtocolError, redact: Redact): McpError {
  const { code, message } = error;
  const options = { cause: error };
  if (WANTS_MORE.has(code))
    return new McpError('unsupported', `the server wants more of its client than is supported (${code})`, options);
  const words = quoted(message, redact);
  return NOTHING_BEGAN.has(code)
    ? new McpError('refused', `the server refused the request (${code}): ${words}`, options)
    : new McpError('failed', `the server answered with an error (${code}): ${words}`, options);
}

function ofStatus(status: number): McpError {
  if (status === 401 || status === 403) return denied(status);
  return STATUSES_OF_NOTHING.has(status)
    ? new McpError('refused', `the server refused the request with the status ${status}`)
    : new McpError('failed', `the server answered with the status ${status}`);
}

const denied = (status: number): McpError =>
  new McpError('denied', `the server refused the credential, or wants one (${status})`);

function ofSdk(error: SdkError, redact: Redact): McpError {
  const reason = OF_SDK[error.code] ?? null;
  if (reason === 'timeout') return new McpError(reason, 'the server did not answer in time', { cause: error });
  if (reason === 'unreachable') return new McpError(reason, 'the connection to the server broke off', { cause: error });
  if (reason === 'unsupported')
    return new McpError(reason, 'the server answers with a question, and calls answer none', { cause: error });
  // What negotiation failed with is more than that it failed.
  if (error.code === SdkErrorCode.EraNegotiationFailed && error.cause !== undefined)
    return failureOf(error.cause, redact);
  return new McpError('malformed', "the server's answer is none of MCP", { cause: error });
}

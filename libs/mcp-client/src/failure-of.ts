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
import { McpError, quoted, type McpFailure } from './mcp-error.ts';

/** Errors of JSON-RPC that blame the request: nothing was carried out. */
const BLAMES_REQUEST: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InvalidParams,
  /** a header doesn't repeat what the body says (revision 2026-07-28) */
  -32020,
]);
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
export function failureOf(error: unknown): McpError {
  if (error instanceof McpError) return error;
  if (error instanceof UnauthorizedError || error instanceof InsufficientScopeError) return denied(401);
  if (error instanceof UnsupportedProtocolVersionError)
    return new McpError('malformed', 'the server speaks no revision of MCP that is supported', { cause: error });
  if (error instanceof ProtocolError) return ofProtocol(error);
  if (error instanceof SdkHttpError) return ofStatus(error.status ?? 0);
  if (error instanceof SdkError) return ofSdk(error);
  return new McpError('malformed', "the server's answer is none of MCP", { cause: error });
}

function ofProtocol(error: ProtocolError): McpError {
  const { code, message } = error;
  const options = { cause: error };
  if (WANTS_MORE.has(code))
    return new McpError('unsupported', `the server wants more of its client than is supported (${code})`, options);
  return BLAMES_REQUEST.has(code)
    ? new McpError('refused', `the server refused the request (${code}): ${quoted(message)}`, options)
    : new McpError('failed', `the server answered with an error (${code}): ${quoted(message)}`, options);
}

function ofStatus(status: number): McpError {
  if (status === 401 || status === 403) return denied(status);
  return status >= 400 && status <= 499
    ? new McpError('refused', `the server refused the request with the status ${status}`)
    : new McpError('failed', `the server answered with the status ${status}`);
}

const denied = (status: number): McpError =>
  new McpError('denied', `the server refused the credential, or wants one (${status})`);

function ofSdk(error: SdkError): McpError {
  const reason = OF_SDK[error.code] ?? null;
  if (reason === 'timeout') return new McpError(reason, 'the server did not answer in time', { cause: error });
  if (reason === 'unreachable') return new McpError(reason, 'the connection to the server broke off', { cause: error });
  if (reason === 'unsupported')
    return new McpError(reason, 'the server answers with a question, and calls answer none', { cause: error });
  // What negotiation failed with is more than that it failed.
  if (error.code === SdkErrorCode.EraNegotiationFailed && error.cause !== undefined) return failureOf(error.cause);
  return new McpError('malformed', "the server's answer is none of MCP", { cause: error });
}

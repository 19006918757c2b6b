// SPDX-License-Identifier: Apache-2.0
// What the event loop of a service needs. Nothing here loads the SDK, or reads what a server sends.
export { MCP_FAILURES, McpError, quoted, type McpFailure, type Redact } from './mcp-error.ts';
export { RequestRelay, type RelayedAnswer, type RelayedRequest, type RelayOptions } from './request-relay.ts';
export { LineRelay, type LineRelayOptions } from './stdio/line-relay.ts';
export type { Handshake, LineWork } from './stdio/line-messages.ts';
export type {
  CallDone,
  CallWork,
  ListedTool,
  Listing,
  ListWork,
  RemoteAnswer,
  RemoteContent,
  SessionDone,
  SkippedTool,
} from './session-work.ts';

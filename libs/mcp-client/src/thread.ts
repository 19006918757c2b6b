// SPDX-License-Identifier: Apache-2.0
// What a worker thread runs: it speaks the protocol, and reads what a server sends. Few threads need the SDK, which
// takes a tenth of a second to load, so that it is loaded for the first session.
import type { Redact } from './mcp-error.ts';
import type { CallDone, CallWork, Listing, ListWork, SessionDone } from './session-work.ts';

/** Lists the tools of a server. @param redact removes secret values from what the server says */
export const listRemoteTools = async (work: ListWork, redact: Redact): Promise<SessionDone<Listing>> =>
  (await import('./list-tools.ts')).listRemoteTools(work, redact);

/**
 * Calls a tool, once. Its definition is compared with the pinned one before.
 * @param redact removes secret values from what the server says
 */
export const callRemoteTool = async (work: CallWork, redact: Redact): Promise<SessionDone<CallDone>> =>
  (await import('./call-tool.ts')).callRemoteTool(work, redact);

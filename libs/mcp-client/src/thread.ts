// SPDX-License-Identifier: Apache-2.0
// What a worker thread runs: it speaks the protocol, and reads what a server sends. Few threads need the SDK, which
// takes a tenth of a second to load, so that it is loaded for the first session.
import type { CallDone, CallWork, Listing, ListWork, SessionDone } from './session-work.ts';

/** Lists the tools of a server. */
export const listRemoteTools = async (work: ListWork): Promise<SessionDone<Listing>> =>
  (await import('./list-tools.ts')).listRemoteTools(work);

/** Calls a tool, once. Its definition is compared with the pinned one before. */
export const callRemoteTool = async (work: CallWork): Promise<SessionDone<CallDone>> =>
  (await import('./call-tool.ts')).callRemoteTool(work);

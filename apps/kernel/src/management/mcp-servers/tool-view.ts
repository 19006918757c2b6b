// SPDX-License-Identifier: Apache-2.0
import { parseMessage, McpRemoteTool, type McpServerToolView } from '@writ/contract';
import { parseJson } from '@writ/digest';
import type { Rows } from '../../foundation/tenancy/index.ts';

export type McpToolRow = NonNullable<Awaited<ReturnType<Rows['mcp_tool']['findFirst']>>>;

/** The definition in stored bytes. */
export const definitionIn = (bytes: Uint8Array): McpRemoteTool =>
  parseMessage(McpRemoteTool, parseJson(Buffer.from(bytes).toString('utf8')));

const seenOf = (bytes: Uint8Array | null, digest: string | null): McpServerToolView['seen'] =>
  bytes === null || digest === null ? null : { digest, definition: definitionIn(bytes) };

/** A tool of a server, with both definitions: a reader compares them. */
export const toolView = (server: string, row: McpToolRow): McpServerToolView => ({
  server,
  remote_name: row.remote_name,
  tool_id: row.tool_id,
  state: row.state as McpServerToolView['state'],
  seen: seenOf(row.seen, row.seen_digest),
  accepted: seenOf(row.accepted, row.accepted_digest),
  problems: row.problems as unknown as McpServerToolView['problems'],
  suggested: row.suggested as McpServerToolView['suggested'],
  seen_at: Number(row.seen_at),
  decided_by: row.decided_by,
  decided_at: row.decided_at === null ? null : Number(row.decided_at),
});

// SPDX-License-Identifier: Apache-2.0
import type { McpServerToolView } from '@writ/contract';

/** The digests of a tool that decide its state; null where there is none. */
export interface ToolDigests {
  readonly seen_digest: string | null;
  readonly accepted_digest: string | null;
  readonly refused_digest: string | null;
}

/**
 * The state of a tool of an MCP server. INVARIANT (what was looked at): it is `accepted`, and in force, only while the
 * server lists the accepted definition. The constraint of kernel.mcp_tool says the same. Pure.
 */
export function stateOf({ seen_digest, accepted_digest, refused_digest }: ToolDigests): McpServerToolView['state'] {
  if (seen_digest === null) return 'gone';
  if (seen_digest === refused_digest) return 'refused';
  if (seen_digest === accepted_digest) return 'accepted';
  return accepted_digest === null ? 'new' : 'changed';
}

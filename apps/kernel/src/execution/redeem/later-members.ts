// SPDX-License-Identifier: Apache-2.0
import {
  REDEMPTION_MEMBERS,
  type Permit,
  type RedeemRequest,
  type Redemption,
  type ToolDefinition,
} from '@writ/contract';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** What an executor says of itself when it gets a redemption. */
export type Redeemer = Pick<RedeemRequest, 'public_key'> & { readonly knows?: readonly string[] | undefined };

/**
 * INVARIANT (readable to its reader): a redemption has no member that its executor doesn't know, since one of the
 * version before refuses the whole of it, and the call would end without having run.
 */
export function redemptionFor({ knows = [] }: Redeemer, redemption: Redemption): Redemption {
  const hidden = new Set<string>(REDEMPTION_MEMBERS.filter((name) => !knows.includes(name)));
  return Object.fromEntries(Object.entries(redemption).filter(([name]) => !hidden.has(name))) as Redemption;
}

/** The family of tools of MCP servers. */
export const MCP_PREFIX = 'mcp.';

/**
 * Answers whether the permit is of a program that speaks MCP, and the executor is of a version that knows none. Such an
 * executor would lose the attempt: it takes each MCP server for an address.
 */
export const isOfUnknownProgram = (
  { tool_id, image_digest }: Pick<Permit, 'tool_id' | 'image_digest'>,
  { knows = [] }: Redeemer,
): boolean => tool_id.startsWith(MCP_PREFIX) && image_digest !== null && !knows.includes('acts_for');

/** For whom the call of a program acts, and in which session: what the program keeps belongs to that alone. */
export function ownerOf(
  { person, proposed_by, session_id, capability_token_id }: OperationRow,
  tool: ToolDefinition,
): Pick<Redemption, 'acts_for' | 'session'> {
  if (tool.mcp === undefined || tool.in_container !== true) return {};
  return { acts_for: person ?? proposed_by, session: session_id ?? capability_token_id };
}

// SPDX-License-Identifier: Apache-2.0
import type { McpProgramsReply, McpServerToolView } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** A claimed server, as kernel.claim_mcp_server returns it. */
export interface ClaimedServer {
  readonly tenant_id: string;
  readonly resource_id: string;
  readonly claim: number;
}

/** The functions of `sql/functions/mcp-servers` that the kernel calls. */
export const mcpServersFunctions = {
  claimMcpServer: kernelFunction<ClaimedServer | null>()(
    'kernel.claim_mcp_server_of',
    { executor: sqlTypes.text, lease_ms: sqlTypes.integer, each: sqlTypes.integer, transports: sqlTypes.textArray },
    { returns: 'value' },
  ),
  liveMcpPrograms: kernelFunction<McpProgramsReply['live']>()(
    'kernel.live_mcp_programs',
    { tenant: sqlTypes.text, executor: sqlTypes.text, first: sqlTypes.textArray, last: sqlTypes.textArray },
    { returns: 'value' },
  ),
  mcpToolState: kernelFunction<McpServerToolView['state'] | null>()(
    'kernel.mcp_tool_state',
    { tenant: sqlTypes.text, tool: sqlTypes.text },
    { returns: 'value' },
  ),
  listMcpServerAgain: kernelFunction<boolean>()(
    'kernel.list_mcp_server_again',
    { tenant: sqlTypes.text, tool: sqlTypes.text },
    { returns: 'value' },
  ),
} as const;

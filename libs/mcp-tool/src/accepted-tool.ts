// SPDX-License-Identifier: Apache-2.0
import {
  MCP_LIMITS,
  type BoundResource,
  type McpAsk,
  type McpRemoteTool,
  type McpTool,
  type ToolCategory,
} from '@writ/contract';
import { namesInput } from './names-input.ts';
import { mcpToolId } from './names.ts';
import { parametersOf, remoteDigest } from './remote-tool.ts';
import { withInput } from './server-questions.ts';
import { mayAsk } from './server-requests.ts';

const DESCRIPTION_CHARS_MAX = 4096;
const TITLE_CHARS_MAX = 128;

/** The server of a tool: its settings say what it may ask of the client. */
export type ServerOfTool = Pick<BoundResource, 'name' | 'digest'> & { readonly asks?: readonly McpAsk[] | undefined };

/**
 * The document of an accepted tool, without its version.
 * @param tool a definition without problems
 */
export function acceptedTool(
  { name: server, digest: server_digest, asks }: ServerOfTool,
  localName: string,
  tool: McpRemoteTool,
  category: ToolCategory,
): Omit<McpTool, 'version'> {
  const title = tool.title?.slice(0, TITLE_CHARS_MAX).toWellFormed();
  const parameters = parametersOf(tool.inputSchema);
  // A tool with an argument of that name was accepted before the name was reserved. It can't ask.
  const canAsk = asks !== undefined && mayAsk(tool.name) && !namesInput(tool.inputSchema);
  return {
    v: 1,
    kind: 'mcp',
    tool_id: mcpToolId(server, localName),
    ...(title === undefined || title === '' ? {} : { title }),
    description: describedBy(server, tool.description),
    category,
    parameters: canAsk ? withInput(parameters, asks) : parameters,
    result: tool.outputSchema === undefined ? null : parametersOf(tool.outputSchema),
    timeout_ms: MCP_LIMITS.callMs,
    server,
    server_digest,
    remote_name: tool.name,
    remote_digest: remoteDigest(tool),
    ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
    ...(canAsk ? { asks: [...asks] } : {}),
  };
}

/** The description that models read. It says whose words they are. */
function describedBy(server: string, text: string | undefined): string {
  const whose = `MCP server \`${server}\`: `;
  const words = text === undefined || text.trim() === '' ? 'no description' : text;
  return `${whose}${words}`.slice(0, DESCRIPTION_CHARS_MAX).toWellFormed();
}

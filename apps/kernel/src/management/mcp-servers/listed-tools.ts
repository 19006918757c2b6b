// SPDX-License-Identifier: Apache-2.0
//
// Reads what an executor says that an MCP server lists. Attacker-controlled: the server wrote each definition.
import { McpListing, McpSkippedTool, parseMessage, type McpServerToolView } from '@writ/contract';
import { JsonError, parseJson, sha256Hex } from '@writ/digest';
import { remoteBytes, remoteProblems, suggestedCategory, type McpToolProblem } from '@writ/mcp-tool';

/** A tool that a server lists. */
export interface ListedTool {
  readonly name: string;
  /** RFC 8785 bytes of its definition, and their hex SHA-256 */
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly problems: readonly McpToolProblem[];
  readonly suggested: McpServerToolView['suggested'];
}

/** Everything that a server lists. A tool that has no digest is skipped. */
export interface ListedTools {
  readonly tools: readonly ListedTool[];
  readonly skipped: readonly McpSkippedTool[];
}

/** The listing in the bytes that an executor stored. For a worker thread. @throws Fault `request.malformed` */
export function readListing({ bytes }: { readonly bytes: Uint8Array }): ListedTools {
  const { tools, skipped = [] } = parseMessage(McpListing, parseJson(Buffer.from(bytes).toString('utf8')));
  const read = new Map<string, ListedTool>();
  const unread: McpSkippedTool[] = [...skipped];
  for (const tool of tools) {
    try {
      const bytesOfTool = remoteBytes(tool);
      if (read.has(tool.name)) unread.push({ name: tool.name, problem: 'the server lists it twice' });
      else
        read.set(tool.name, {
          name: tool.name,
          bytes: bytesOfTool,
          digest: sha256Hex(bytesOfTool),
          problems: remoteProblems(tool),
          suggested: suggestedCategory(tool),
        });
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      unread.push({ name: tool.name.toWellFormed().replaceAll('\0', ''), problem: 'the definition is no I-JSON' });
    }
  }
  return { tools: [...read.values()], skipped: unread };
}

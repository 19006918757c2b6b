// SPDX-License-Identifier: Apache-2.0
//
// Reads what an executor says that an MCP server lists. Attacker-controlled: the server wrote each definition.
import {
  McpListing,
  parseMessage,
  type McpRemoteTool,
  type McpServerToolView,
  type McpSkippedTool,
  type Problem,
} from '@writ/contract';
import { JsonError, parseJson, sha256Hex } from '@writ/digest';
import {
  isServerRequest,
  remoteBytes,
  remoteProblems,
  RESERVED_NAME,
  serverRequestDigest,
  suggestedCategory,
} from '@writ/mcp-tool';

/** A tool that a server lists. */
export interface ListedTool {
  readonly name: string;
  /** RFC 8785 bytes of its definition, and their hex SHA-256 */
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly problems: readonly Problem[];
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
  const unread = new Map(skipped.map((one) => [one.name, one]));
  for (const tool of tools) {
    const { name } = tool;
    // A tool of the server that has the name of a request of MCP is skipped, and doesn't count beside that request.
    const isTwice = read.has(name) || (unread.has(name) && !isServerRequest(name));
    const one = isTwice ? 'the server lists it twice' : listedTool(tool);
    if (typeof one !== 'string') {
      read.set(name, one);
      continue;
    }
    // INVARIANT (one meaning): of two tools with one name neither is used, since nobody knows which a call means.
    read.delete(name);
    unread.set(name, { name, problem: one });
  }
  const shown = [...unread.values()].map(({ name, problem }) => ({
    name: name.toWellFormed().replaceAll('\0', ''),
    problem,
  }));
  return { tools: [...read.values()], skipped: shown };
}

/** The tool; or why it can't be used. */
function listedTool(tool: McpRemoteTool): ListedTool | string {
  const { name } = tool;
  try {
    const bytes = remoteBytes(tool);
    const digest = sha256Hex(bytes);
    // INVARIANT (Writ's own): under the name of a request of MCP there is no definition of a server.
    if (isServerRequest(name) && digest !== serverRequestDigest(name)) return RESERVED_NAME;
    const problems = remoteProblems(tool);
    return { name, bytes, digest, problems, suggested: suggestedCategory(tool) };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return 'the definition is no I-JSON';
  }
}

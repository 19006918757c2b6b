// SPDX-License-Identifier: Apache-2.0
import type { Caller, McpAsk, McpRemoteTool, McpTool } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { KernelClient } from '../../../calls/kernel/kernel-client.ts';

/** A tool of a server, pinned by its definition. */
export interface PinnedTool {
  readonly tool_id: string;
  /** hex SHA-256 of the definition */
  readonly digest: string;
}

/** What the server of a tool may ask its client for, and which server that is. */
export interface AskingServer {
  readonly asks: readonly McpAsk[];
  /** the digest of the server's settings as the tool in force has it; null: there is no such tool */
  readonly digest: string | null;
}

/** Characters of the definitions that are kept: the longest listings of some servers. */
const KEPT_CHARS_MAX = 16 * 1024 * 1024;

/** What mounts ask about the tools of an MCP server. */
export class RemoteTools {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  /** by their digests: a digest has one definition, whoever asks */
  readonly #definitions = new LRUCache<string, McpRemoteTool>({
    maxSize: KEPT_CHARS_MAX,
    sizeCalculation: (definition) => JSON.stringify(definition).length,
  });

  constructor(kernel: Pick<KernelClient, 'ask'>) {
    this.#kernel = kernel;
  }

  /** The tool that has this name at the server; null where none was ever accepted. */
  async find(caller: Caller, name: string, remote_name: string): Promise<PinnedTool | null> {
    return (await this.#kernel.ask('mcp_server.find_tool', caller, { name, remote_name })).tool;
  }

  /** Whether there is a server of that name that the caller's agent may use. */
  async isUsable(caller: Caller, name: string): Promise<boolean> {
    const page = { cursor: null, limit: 1 };
    const asked = { page, kind: 'mcp_server', name, agent_id: null } as const;
    return (await this.#kernel.ask('resource.list', caller, asked)).items.length > 0;
  }

  /** The definitions by the ids of their tools, exactly as the server lists them. A tool that has changed has none. */
  async definitions(
    caller: Caller,
    name: string,
    tools: readonly PinnedTool[],
  ): Promise<ReadonlyMap<string, McpRemoteTool>> {
    const digests = new Map(tools.map(({ tool_id, digest }) => [tool_id, digest]));
    const found = new Map<string, McpRemoteTool>();
    let missing: string[] = [];
    for (const { tool_id, digest } of tools) {
      const kept = this.#definitions.get(digest);
      if (kept === undefined) missing.push(tool_id);
      else found.set(tool_id, kept);
    }
    while (missing.length > 0) {
      const { items, rest } = await this.#kernel.ask('mcp_server.definitions', caller, { name, tool_ids: missing });
      for (const { tool_id, digest, definition } of items) {
        if (digests.get(tool_id) !== digest) continue;
        this.#definitions.set(digest, definition);
        found.set(tool_id, definition);
      }
      // A reply without a definition leaves nothing to ask again for.
      missing = items.length === 0 ? [] : rest;
    }
    return found;
  }

  /** Whether the tool declares the form of its structured result; also where that can't be found out. */
  async promisesStructure(caller: Caller, tool_id: string): Promise<boolean> {
    try {
      const tool = await this.#document(caller, tool_id);
      return tool === null || tool.result !== null;
    } catch {
      // The call has its end whatever this question has.
      return true;
    }
  }

  async asking(caller: Caller, tool_id: string): Promise<AskingServer> {
    const tool = await this.#document(caller, tool_id);
    return { asks: tool?.asks ?? [], digest: tool?.server_digest ?? null };
  }

  /** The tool in force; null for none. */
  async #document(caller: Caller, tool_id: string): Promise<McpTool | null> {
    const page = { cursor: null, limit: 1 };
    const { items } = await this.#kernel.ask('tool.list', caller, { page, tool_id });
    const tool = items[0]?.tool;
    return tool !== undefined && 'kind' in tool && tool.kind === 'mcp' ? tool : null;
  }
}

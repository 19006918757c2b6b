// SPDX-License-Identifier: Apache-2.0
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type ListToolsResult,
  type Tool,
} from '@modelcontextprotocol/server';
import { FAULTS, MCP_INPUT, type McpOperation } from '@writ/contract';
import { offeredTools } from '@writ/dialects';
import { isServerRequest, mcpToolId, unlistedName } from '@writ/mcp-tool';
import type { Offers } from '../../../calls/kernel/offers.ts';
import type { CallContext } from '../call-context.ts';
import type { CallTool } from '../call-tool.ts';
import type { McpAccess } from '../access.ts';
import type { Asked } from '../held-state.ts';
import { saidInMeta } from '../proposed-body.ts';
import { OPERATION_TOOLS } from '../tool-entries.ts';
import type { PinnedTool, RemoteTools } from './remote-tools.ts';
import { askableAt } from './server-questions.ts';

/** Tools of one page: all definitions of a server are no longer than a page may be. */
const PAGE = 50;
/** As long as the name of a tool may be that a server lists. */
const NAME_CHARS_MAX = 128;
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** Tools about operations, by which a client gets the end of a call that takes long or is held. */
const OWN: readonly Tool[] = OPERATION_TOOLS.map(({ outputSchema: _any, ...tool }) => ({
  ...tool,
  name: tool.name.replaceAll('.', '_'),
}));

/** What the tools of a mount are served with. */
export interface MountedToolsParts {
  readonly offers: Pick<Offers, 'of'>;
  readonly calls: Pick<CallTool, 'run' | 'wait' | 'cancel'>;
  readonly remote: Pick<RemoteTools, 'asking' | 'definitions' | 'isUsable'>;
}

type Named = PinnedTool & { readonly name: string };

/** The tools of one server, under the names that they have there. */
export class MountedTools {
  readonly #parts: MountedToolsParts;
  readonly #access: McpAccess;
  readonly #server: string;
  readonly #called: PinnedTool | null;

  /** @param called the tool that the request calls, which was found by its name; null for none */
  constructor(parts: MountedToolsParts, access: McpAccess, server: string, called: PinnedTool | null) {
    this.#parts = parts;
    this.#access = access;
    this.#server = server;
    this.#called = called;
  }

  /** One page, by name; Writ's tools are at the end of the last. A cursor is the last name of the page before. */
  async list(cursor: string | undefined): Promise<ListToolsResult> {
    if (cursor !== undefined && !isName(cursor))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the cursor is of no list of tools');
    const { granted, taken } = await this.#listed();
    if (granted.length === 0) await this.#requireServer();
    const after = granted.filter(({ name }) => cursor === undefined || name > cursor).sort(byName);
    const page = after.slice(0, PAGE);
    const definitions = await this.#parts.remote.definitions(this.#access.caller, this.#server, page);
    // INVARIANT (exactly as listed): an administrator accepted the definition, so a client gets it unchanged.
    const tools = page.flatMap(({ tool_id }) => {
      const definition = definitions.get(tool_id);
      return definition === undefined ? [] : [definition as Tool];
    });
    const last = after.length > page.length ? page.at(-1) : undefined;
    if (last !== undefined) return { tools, nextCursor: last.name };
    return { tools: [...tools, ...OWN.filter(({ name }) => !taken.has(name))] };
  }

  /** @param contextOf makes the context of a call */
  async call(
    contextOf: (asked: Asked) => CallContext,
    params: CallToolRequest['params'],
  ): Promise<CallToolResult | InputRequiredResult> {
    const { name, arguments: args = {}, _meta: meta } = params;
    if (!isName(name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'this is no name of a tool');
    if (Object.hasOwn(args, MCP_INPUT))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `\`${MCP_INPUT}\` is no argument of the tool: answer the server with \`inputResponses\``,
      );
    const { calls, remote } = this.#parts;
    // A tool that isn't there or isn't granted is proposed as well: the kernel refuses it, and records that.
    const isOwn = OWN.some((tool) => tool.name === name) && !(await this.#isTaken(name));
    const id = this.#called === null || isOwn ? mcpToolId(this.#server, unlistedName(name)) : this.#called.tool_id;
    const context = contextOf({ id, args, ...saidInMeta(meta) });
    if (isOwn && name === 'operations_wait') return await calls.wait(context, args['operation_id']);
    if (isOwn && name === 'operations_cancel') return await calls.cancel(context, args['operation_id']);
    const askable = await askableAt(remote, context, this.#called === null ? null : id);
    // A task has no way to pass a question on, so a call that may be answered with one becomes no task.
    const canTakeTasks = context.canTakeTasks && (askable.asks === null || askable.asks.length === 0);
    return await calls.run({ ...context, ...askable, canTakeTasks }, { ...params, name: id });
  }

  /**
   * Answers whether a tool in force has the name, whether or not it is granted. INVARIANT (called as listed): a list
   * shows Writ's tool of a name exactly where a call of the name reaches it.
   */
  async #isTaken(name: string): Promise<boolean> {
    // What was never accepted is not in force.
    return this.#called !== null && (await this.#listed()).taken.has(name);
  }

  /** An empty list would say that the server has no tools. @throws ProtocolError with `not_found` */
  async #requireServer(): Promise<void> {
    if (await this.#parts.remote.isUsable(this.#access.caller, this.#server)) return;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `there is no MCP server \`${this.#server}\` that this agent may use: see \`?server=\` in the address`,
      { code: 'not_found', retry: FAULTS.not_found.retry },
    );
  }

  /** @returns `taken` the names of all tools of the server that are in force */
  async #listed(): Promise<{ readonly granted: Named[]; readonly taken: ReadonlySet<string> }> {
    const { caller, tokenId } = this.#access;
    const offer = await this.#parts.offers.of(caller, tokenId, { subAgents: false });
    // Requests for resources, prompts and completions are no tools at a mount (mounted-requests.ts).
    const isServed = (mcp: McpOperation | undefined): mcp is McpOperation =>
      mcp?.server === this.#server && !isServerRequest(mcp.remote_name);
    const taken = new Set(offer.tools.flatMap(({ mcp }) => (isServed(mcp) ? [mcp.remote_name] : [])));
    const granted = offeredTools(offer).flatMap(({ tool_id, mcp }) =>
      isServed(mcp) ? [{ name: mcp.remote_name, tool_id, digest: mcp.remote_digest }] : [],
    );
    return { granted, taken };
  }
}

/** Answers whether a tool of a server can have this name, which is attacker-controlled. */
export const isName = (name: unknown): name is string =>
  typeof name === 'string' && name !== '' && name.length <= NAME_CHARS_MAX;

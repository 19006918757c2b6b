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
import { offeredTools, type Offer } from '@writ/dialects';
import type { Offers } from '../../calls/kernel/offers.ts';
import type { CallContext } from './call-context.ts';
import type { CallTool } from './call-tool.ts';
import type { McpAccess } from './access.ts';
import type { Asked } from './held-state.ts';
import { saidInMeta } from './proposed-body.ts';
import { searchTools } from './search-tools.ts';
import { shownText } from './shown-text.ts';
import { OPERATION_TOOLS, SEARCH_TOOLS, toolEntry } from './tool-entries.ts';
import { toolNames, type ToolIds } from './tool-names.ts';

/** Tools of one page of the list. */
const PAGE = 50;
/** A name of the list, or an id. */
const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/** What the tools of a request are served with. */
export interface ServedToolsParts {
  readonly offers: Pick<Offers, 'of'>;
  readonly calls: Pick<CallTool, 'run' | 'wait' | 'cancel'>;
  readonly ids: Pick<ToolIds, 'of'>;
}

/** A tool that can be listed. Its entry is made only where it is shown. */
interface Listed {
  readonly name: string;
  readonly id: string;
  readonly description: string;
  readonly entry: () => Tool;
}

/** The tools of one request. */
export class ServedTools {
  readonly #parts: ServedToolsParts;
  readonly #access: McpAccess;

  constructor(parts: ServedToolsParts, access: McpAccess) {
    this.#parts = parts;
    this.#access = access;
  }

  /** One page, in the order of the names. A cursor is the last name of the page before. */
  async list(cursor: string | undefined): Promise<ListToolsResult> {
    if (cursor !== undefined && !TOOL_NAME.test(cursor))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the cursor is of no list of tools');
    const after = (await this.#listed()).filter(({ name }) => cursor === undefined || name > cursor).sort(byName);
    const page = after.slice(0, PAGE);
    const last = after.length > page.length ? page.at(-1) : undefined;
    return { tools: page.map(shown), ...(last === undefined ? {} : { nextCursor: last.name }) };
  }

  /** @param contextOf makes the context of a call */
  async call(
    contextOf: (asked: Asked) => CallContext,
    params: CallToolRequest['params'],
  ): Promise<CallToolResult | InputRequiredResult> {
    const { arguments: args = {}, _meta: meta } = params;
    if (!TOOL_NAME.test(params.name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'this is no name of a tool');
    const { calls, ids } = this.#parts;
    const id = await ids.of(this.#access.caller, params.name);
    const context = contextOf({ id, args, ...saidInMeta(meta) });
    switch (id) {
      case 'operations.wait':
        return await calls.wait(context, args['operation_id']);
      case 'operations.cancel':
        return await calls.cancel(context, args['operation_id']);
      case 'tools.search':
        return structured({ tools: await this.#search(args) });
      case 'tools.describe':
        return structured({ tools: await this.#describe(args) });
      default:
        // A tool that the token doesn't grant is proposed as well: the kernel refuses it, and records that.
        return await calls.run(context, { ...params, name: id });
    }
  }

  async #listed(): Promise<Listed[]> {
    if (this.#access.catalogue === 'search') return listedOf([...OPERATION_TOOLS, ...SEARCH_TOOLS]);
    return [...listedOf(OPERATION_TOOLS), ...(await this.#granted())];
  }

  async #granted(): Promise<Listed[]> {
    const offer: Offer = await this.#parts.offers.of(this.#access.caller, this.#access.tokenId, {
      // A sub-agent runs within a session or a turn, which a client of MCP has not.
      subAgents: false,
    });
    // The names of all tools of the tenant: a grant does not change how a tool is called.
    const names = toolNames(offer.tools.map(({ tool_id }) => tool_id));
    return offeredTools(offer).map((tool) => ({
      id: tool.tool_id,
      name: names.get(tool.tool_id) ?? tool.tool_id,
      description: tool.description,
      entry: () => toolEntry(tool),
    }));
  }

  async #search({ query, limit = 10 }: Record<string, unknown>): Promise<Record<string, unknown>[]> {
    if (typeof query !== 'string' || query.length > 200)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, '`query` must be a text of at most 200 characters');
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > PAGE)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `\`limit\` must be between 1 and ${PAGE}`);
    const found = searchTools(await this.#granted(), query, limit);
    return found.map(({ name, description }) => ({ name, description: shownText(description) }));
  }

  async #describe({ names }: Record<string, unknown>): Promise<Tool[]> {
    if (!Array.isArray(names) || names.length > 20)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, '`names` must be a list of at most 20 names');
    const wanted = new Set(names as unknown[]);
    return (await this.#granted()).filter(({ id, name }) => wanted.has(name) || wanted.has(id)).map(shown);
  }
}

function listedOf(tools: readonly Tool[]): Listed[] {
  const names = toolNames([]);
  return tools.map((tool) => ({
    id: tool.name,
    name: names.get(tool.name) ?? tool.name,
    description: tool.description ?? '',
    entry: () => tool,
  }));
}

const shown = ({ name, id, entry }: Listed): Tool => ({ ...entry(), name, title: id });

const structured = (structuredContent: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
});

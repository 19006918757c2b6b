// SPDX-License-Identifier: Apache-2.0
//
// The server of one request. It is made anew for each: what it lists and calls depends on the key and the token of that
// request, and nothing outlives the answer.
import {
  CLIENT_CAPABILITIES_META_KEY,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type ListToolsResult,
  type McpRequestContext,
  type RequestStateCodec,
  type ServerContext,
  type ServerOptions,
  type Tool,
} from '@modelcontextprotocol/server';
import { Fault, type ToolDefinition } from '@writ/contract';
import { offeredTools, type Offer } from '@writ/dialects';
import { VERSION } from '@writ/nest-kit';
import type { Offers } from '../../calls/kernel/offers.ts';
import type { CallContext, CallTool, HeldState } from './call-tool.ts';
import { clientWordOf } from './client-name.ts';
import type { McpConnection } from './connection.ts';
import { protocolErrorOf } from './protocol-error.ts';
import { searchTools } from './search-tools.ts';
import { shownText } from './shown-text.ts';
import { OPERATION_TOOLS, SEARCH_TOOLS, toolEntry } from './tool-entries.ts';
import type { McpPrompts } from './mcp-prompts.ts';
import type { McpResources } from './mcp-resources.ts';
import { canTakeTasks, TaskParams, TASKS_EXTENSION, type McpTasks } from './tasks.ts';

/** Tools of one page of the list. */
const PAGE = 50;
/** How long a client may keep a list, in milliseconds: a granted or removed tool shows after it. */
const LIST_TTL_MS = 10_000;
const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;

const INSTRUCTIONS = [
  'Each tool call is decided by a policy before it runs, and is a transaction: it takes effect whole or not at all.',
  "Paths are relative to the workspace. When a call is refused or denied, accept that: don't try the same in another way.",
  'A call that is held waits for a person; `operations.wait` gives its end later.',
].join(' ');

/** What a server is made of. */
export interface McpServerParts {
  readonly offers: Pick<Offers, 'of'>;
  readonly calls: CallTool;
  readonly resources: McpResources;
  readonly prompts: McpPrompts;
  readonly tasks: McpTasks;
  readonly states: RequestStateCodec<HeldState>;
  /** is called with a bug */
  readonly report: (error: unknown) => void;
}

/** Makes the server of one request. */
export function mcpServer(
  parts: McpServerParts,
  connection: McpConnection,
  { era }: Pick<McpRequestContext, 'era'>,
): McpServer {
  const isModern = era === 'modern';
  const made = new McpServer({ name: 'writ', title: 'Writ', version: VERSION }, optionsOf(parts, isModern));
  const { server } = made;
  const contextOf = (request: ServerContext, name: string): CallContext => ({
    connection,
    request,
    of: `${request.mcpReq.method} ${name}`,
    client: clientWordOf(server.getClientVersion()),
    isModern,
    canElicit: isModern && canElicit(request),
    canTakeTasks: isModern && canTakeTasks(request),
  });
  const tools = new ServedTools(parts, connection);
  const { resources, prompts } = parts;
  const guarded = <T>(run: () => Promise<T>): Promise<T> => withoutFaults(run, parts.report);
  server.setRequestHandler('tools/list', ({ params }) => guarded(() => tools.list(params?.cursor)));
  server.setRequestHandler('tools/call', ({ params }, request) =>
    guarded(() => tools.call(contextOf(request, params.name), params)),
  );
  server.setRequestHandler('resources/list', ({ params }) => guarded(() => resources.list(connection, params?.cursor)));
  server.setRequestHandler('resources/templates/list', () => resources.templates());
  server.setRequestHandler('resources/read', ({ params }, request) =>
    guarded(() => resources.read(contextOf(request, params.uri), params.uri)),
  );
  server.setRequestHandler('prompts/list', () => guarded(() => prompts.list(connection)));
  server.setRequestHandler('prompts/get', ({ params }, request) =>
    guarded(() => prompts.get(contextOf(request, params.name), params.name)),
  );
  server.setRequestHandler('completion/complete', ({ params }) =>
    guarded(() => resources.complete(connection, params)),
  );
  if (isModern) serveTasks(made, parts, connection);
  return made;
}

const optionsOf = ({ states }: McpServerParts, isModern: boolean): ServerOptions => ({
  capabilities: {
    // The SDK says that it tells of changes unless it is told otherwise. Lists have a lifetime instead.
    tools: { listChanged: false },
    resources: { listChanged: false, subscribe: false },
    prompts: { listChanged: false },
    completions: {},
    ...(isModern ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
  },
  instructions: INSTRUCTIONS,
  cacheHints: {
    'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
    'prompts/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
    'resources/templates/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
  },
  requestState: { verify: (state, context) => states.verify(state, context) },
});

/** The requests of the extension for tasks, which only the stateless revision has. */
function serveTasks({ server }: McpServer, { tasks, report }: McpServerParts, connection: McpConnection): void {
  for (const name of ['get', 'update', 'cancel'] as const)
    server.setRequestHandler(`tasks/${name}`, { params: TaskParams }, (params, request) =>
      withoutFaults(() => tasks[name](connection, request, params), report),
    );
}

/** The tools of one connection. */
class ServedTools {
  readonly #parts: McpServerParts;
  readonly #connection: McpConnection;

  constructor(parts: McpServerParts, connection: McpConnection) {
    this.#parts = parts;
    this.#connection = connection;
  }

  /** One page, in the order of the names. A cursor is the last name of the page before. */
  async list(cursor: string | undefined): Promise<ListToolsResult> {
    if (cursor !== undefined && !TOOL_NAME.test(cursor))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'the cursor is of no list of tools');
    const all = await this.#entries();
    const after = all.filter(({ name }) => cursor === undefined || name > cursor);
    const page = after.slice(0, PAGE);
    const last = after.length > page.length ? page.at(-1) : undefined;
    return { tools: page, ...(last === undefined ? {} : { nextCursor: last.name }) };
  }

  async call(context: CallContext, params: CallToolRequest['params']): Promise<CallToolResult | InputRequiredResult> {
    const { name, arguments: args = {} } = params;
    if (!TOOL_NAME.test(name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'this is no name of a tool');
    const { calls } = this.#parts;
    switch (name) {
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
        return await calls.run(context, params);
    }
  }

  async #entries(): Promise<Tool[]> {
    const entries =
      this.#connection.catalogue === 'search'
        ? [...OPERATION_TOOLS, ...SEARCH_TOOLS]
        : [...OPERATION_TOOLS, ...(await this.#granted()).map(toolEntry)];
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async #granted(): Promise<ToolDefinition[]> {
    const offer: Offer = await this.#parts.offers.of(this.#connection.caller, this.#connection.tokenId, {
      // A sub-agent runs within a session or a turn, which a client of MCP has not.
      subAgents: false,
    });
    return offeredTools(offer);
  }

  async #search({ query, limit = 10 }: Record<string, unknown>): Promise<Record<string, unknown>[]> {
    if (typeof query !== 'string' || query.length > 200)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, '`query` must be a text of at most 200 characters');
    if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > PAGE)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `\`limit\` must be between 1 and ${PAGE}`);
    const found = searchTools(await this.#granted(), query, limit);
    return found.map(({ tool_id: name, description }) => ({ name, description: shownText(description) }));
  }

  async #describe({ names }: Record<string, unknown>): Promise<Tool[]> {
    if (!Array.isArray(names) || names.length > 20)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, '`names` must be a list of at most 20 names');
    const wanted = new Set(names as unknown[]);
    return (await this.#granted()).filter(({ tool_id }) => wanted.has(tool_id)).map(toolEntry);
  }
}

const structured = (structuredContent: Record<string, unknown>): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
});

/** Whether the client can show its user a form, as the envelope of its request says. */
function canElicit({ mcpReq: { envelope } }: ServerContext): boolean {
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = (envelope ?? {}) as Record<string, unknown>;
  const { elicitation } = (capabilities ?? {}) as {
    readonly elicitation?: { readonly form?: unknown; readonly url?: unknown };
  };
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Faults outside of a tool's call become errors of the protocol. A bug is reported, and its message is not sent. */
async function withoutFaults<T>(run: () => Promise<T>, report: McpServerParts['report']): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof Fault) throw protocolErrorOf(error);
    report(error);
    throw protocolErrorOf(new Fault('internal'));
  }
}

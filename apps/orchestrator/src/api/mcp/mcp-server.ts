// SPDX-License-Identifier: Apache-2.0
//
// The server of one request. It is made anew for each: what it lists and calls depends on the key and the token of that
// request, and nothing outlives the answer.
import {
  McpServer,
  ProtocolError,
  type McpRequestContext,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { Fault } from '@writ/contract';
import { VERSION } from '@writ/nest-kit';
import type { Offers } from '../../calls/kernel/offers.ts';
import type { CallContext } from './call-context.ts';
import type { CallTool } from './call-tool.ts';
import { clientWordOf } from './client-name.ts';
import type { McpAccess } from './access.ts';
import { askedAt, type Asked } from './held-state.ts';
import { NO_FEATURES, type MountedFeatures } from './mount/mounted-features.ts';
import { mountedRequest } from './mount/mounted-requests.ts';
import { MountResults } from './mount/mount-results.ts';
import { MountedTools } from './mount/mounted-tools.ts';
import type { PinnedTool, RemoteTools } from './mount/remote-tools.ts';
import { declaredAsks } from './mount/server-questions.ts';
import { protocolErrorOf } from './protocol-error.ts';
import { OWN_RESULTS, type Results } from './results.ts';
import { ServedTools } from './served-tools.ts';
import type { ToolIds } from './tool-names.ts';
import type { McpPrompts } from './mcp-prompts.ts';
import type { McpResources } from './mcp-resources.ts';
import { canTakeTasks, TaskParams, TASKS_EXTENSION, type McpTasks } from './tasks.ts';

/** How long a client may keep a list, in milliseconds: a granted or removed tool shows after it. */
const LIST_TTL_MS = 10_000;

const INSTRUCTIONS = [
  'Each tool call is decided by a policy before it runs, and is a transaction: it takes effect whole or not at all.',
  "Paths are relative to the workspace. When a call is refused or denied, accept that: don't try the same in another way.",
  'A call that is held waits for a person; `operations_wait` gives its end later.',
].join(' ');
const MOUNT_INSTRUCTIONS = [
  "Each tool call is decided by a policy before it runs. When one is refused or denied, accept that: don't try the same in another way.",
  'A call that is held waits for a person; `operations_wait` gives its end later.',
].join(' ');

/** What a server is made of. */
export interface McpServerParts {
  readonly offers: Pick<Offers, 'of'>;
  readonly calls: CallTool;
  readonly ids: ToolIds;
  readonly remote: RemoteTools;
  readonly resources: McpResources;
  readonly prompts: McpPrompts;
  readonly tasks: McpTasks;
  /** is called with a bug */
  readonly report: (error: unknown) => void;
}

/** What of a request decides how it is served. */
export interface ServedRequest extends Pick<McpRequestContext, 'era'> {
  /** the arguments of a call, which its message is without */
  readonly args?: Record<string, unknown> | undefined;
  /** the tool of a mount that the request calls; null for none, and where all of Writ is served */
  readonly called?: PinnedTool | null;
  /** what a mount has beside tools, as far as the request needs it */
  readonly features?: MountedFeatures;
}

/** Makes the server of one request. */
export function mcpServer(parts: McpServerParts, access: McpAccess, of: ServedRequest): McpServer {
  const { era, args, called = null, features = NO_FEATURES } = of;
  const isModern = era === 'modern';
  const mounted = access.server;
  const made = new McpServer(
    identityOf(mounted),
    optionsOf(mounted === null ? OWN_CAPABILITIES : features.declared, mounted, isModern),
  );
  const { server } = made;
  const results = mounted === null ? OWN_RESULTS : mountResults(parts, access, mounted, isModern);
  const contextOf: ContextOf = (request, asked) => ({
    access,
    request,
    asked: askedAt(access, request.mcpReq.method, asked),
    client: clientWordOf(server.getClientVersion()),
    isModern,
    canElicit: isModern && declaredAsks(request).includes('elicitation'),
    canOpenPages: isModern && declaredAsks(request).includes('elicitation_url'),
    asks: null,
    serverDigest: null,
    canTakeTasks: isModern && canTakeTasks(request),
    results,
  });
  const tools = mounted === null ? new ServedTools(parts, access) : new MountedTools(parts, access, mounted, called);
  const guarded: Guarded = (run) => withoutFaults(run, parts.report);
  server.setRequestHandler('tools/list', ({ params }) => guarded(() => tools.list(params?.cursor)));
  server.setRequestHandler('tools/call', ({ params }, request) =>
    guarded(() =>
      tools.call((asked) => contextOf(request, asked), args === undefined ? params : { ...params, arguments: args }),
    ),
  );
  if (mounted === null) serveOwn(made, parts, access, { contextOf, guarded });
  else serveFeatures(made, parts, features, { contextOf, guarded });
  if (isModern) serveTasks(made, parts, access, results);
  return made;
}

type ContextOf = (request: ServerContext, asked: Asked) => CallContext;
type Guarded = <T>(run: () => Promise<T>) => Promise<T>;
interface Served {
  readonly contextOf: ContextOf;
  readonly guarded: Guarded;
}

const identityOf = (mounted: string | null) =>
  mounted === null
    ? { name: 'writ', title: 'Writ', version: VERSION }
    : { name: `writ-${mounted}`, title: `${mounted}, through Writ`, version: VERSION };

const mountResults = (
  { remote }: McpServerParts,
  { caller }: McpAccess,
  server: string,
  isModern: boolean,
): MountResults =>
  new MountResults({ server, isModern, promisesStructure: (toolId) => remote.promisesStructure(caller, toolId) });

/** Resources, prompts and completions of the server of a mount. */
function serveFeatures(
  { server }: McpServer,
  { calls, remote }: McpServerParts,
  { request: asked }: MountedFeatures,
  { contextOf, guarded }: Served,
): void {
  if (asked === null) return;
  server.setRequestHandler(asked.method, ({ params }, request) =>
    guarded(() => mountedRequest({ calls, remote }, asked, (of) => contextOf(request, of), params)),
  );
}

/** Resources and prompts of Writ. */
function serveOwn(
  { server }: McpServer,
  { resources, prompts }: McpServerParts,
  access: McpAccess,
  { contextOf, guarded }: Served,
): void {
  server.setRequestHandler('resources/list', ({ params }) => guarded(() => resources.list(access, params?.cursor)));
  server.setRequestHandler('resources/templates/list', () => resources.templates());
  server.setRequestHandler('resources/read', ({ params }, request) =>
    guarded(() => resources.read(contextOf(request, { uri: params.uri }), params.uri)),
  );
  server.setRequestHandler('prompts/list', ({ params }) => guarded(() => prompts.list(access, params?.cursor)));
  server.setRequestHandler('prompts/get', ({ params }, request) =>
    guarded(() => prompts.get(contextOf(request, { name: params.name, args: params.arguments ?? {} }), params.name)),
  );
  server.setRequestHandler('completion/complete', ({ params }) => guarded(() => resources.complete(access, params)));
}

const listHint = { ttlMs: LIST_TTL_MS, cacheScope: 'private' } as const;

const optionsOf = (
  besides: ServerOptions['capabilities'],
  mounted: string | null,
  isModern: boolean,
): ServerOptions => ({
  capabilities: {
    // The SDK announces notifications of changes by default. Lists have a lifetime instead.
    tools: { listChanged: false },
    ...besides,
    ...(isModern ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
  },
  instructions: mounted === null ? INSTRUCTIONS : MOUNT_INSTRUCTIONS,
  cacheHints: {
    'tools/list': listHint,
    'prompts/list': listHint,
    'resources/templates/list': listHint,
    // Operations are the resources of Writ, and a call that a client makes is one at once.
    ...(mounted === null ? {} : { 'resources/list': listHint }),
  },
});

/** What Writ has beside tools. */
const OWN_CAPABILITIES = {
  resources: { listChanged: false, subscribe: false },
  prompts: { listChanged: false },
  completions: {},
};

/** The requests of the extension for tasks, which only the stateless revision has. */
function serveTasks(
  { server }: McpServer,
  { tasks, report }: McpServerParts,
  access: McpAccess,
  results: Results,
): void {
  for (const name of ['get', 'update', 'cancel'] as const)
    server.setRequestHandler(`tasks/${name}`, { params: TaskParams }, (params, request) =>
      withoutFaults(() => tasks[name](access, request, params, results), report),
    );
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

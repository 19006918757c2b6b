// SPDX-License-Identifier: Apache-2.0
//
// A server with everything that the conformance suite of MCP asks for, made of the official SDK: stateless in the
// revision 2026-07-28, with sessions in 2025-11-25. It knows nothing of Writ.
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  hostHeaderValidationResponse,
  inputRequired,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  WebStandardStreamableHTTPServerTransport,
  type GetPromptResult,
  type InputRequiredResult,
  type ReadResourceResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { answerByFetch } from '@writ/testing';
import { ASKED_OF_PROMPT, contextOfPrompt, everyTool, PIXEL, type Round } from './everything-tools.ts';

const CACHE = { ttlMs: 60_000, cacheScope: 'public' } as const;
const RESOURCES = [
  { uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched-resource', mimeType: 'text/plain' },
];
/** It asks its client before it is read. The suite doesn't know it. */
export const ASKING_RESOURCE = 'test://asking';
const argument = (name: string) => ({ name, required: true });
const prompt = (name: string, ...names: readonly string[]) => ({
  name,
  description: `The fixture ${name}.`,
  ...(names.length === 0 ? {} : { arguments: names.map(argument) }),
});
const PROMPTS = [
  prompt('test_simple_prompt'),
  prompt('test_prompt_with_arguments', 'arg1', 'arg2'),
  prompt('test_prompt_with_embedded_resource', 'resourceUri'),
  prompt('test_prompt_with_image'),
  prompt('test_input_required_result_prompt'),
];

const states = createRequestStateCodec<Round>({ key: randomBytes(32), ttlSeconds: 600 });

function everythingServer(): McpServer {
  const made = new McpServer(
    { name: 'everything', version: '1' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} },
      cacheHints: { 'tools/list': CACHE, 'prompts/list': CACHE, 'resources/list': CACHE, 'resources/read': CACHE },
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  for (const { name, inputSchema = { type: 'object' }, run } of everyTool(states))
    made.registerTool(
      name,
      { description: `The fixture ${name}.`, inputSchema: fromJsonSchema<Record<string, unknown>>(inputSchema) },
      (args, context) => run(args, context),
    );
  const { server } = made;
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) => resourceAt(uri, context));
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS }));
  server.setRequestHandler('prompts/get', ({ params }, context) => promptOf(params.name, params.arguments, context));
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }));
  return made;
}

/** A resource that no list has asks for what it contains. */
function resourceAt(uri: string, context: ServerContext): ReadResourceResult | InputRequiredResult {
  if (uri !== ASKING_RESOURCE) return { contents: [contentOf(uri)] };
  const told = contextOfPrompt(context);
  return told === undefined ? inputRequired({ inputRequests: ASKED_OF_PROMPT }) : { contents: [{ uri, text: told }] };
}

function contentOf(uri: string) {
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PIXEL };
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
  if (id !== undefined) return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) };
  if (!RESOURCES.some((resource) => resource.uri === uri)) throw new ResourceNotFoundError(uri);
  return { uri, mimeType: 'text/plain', text: `The content of ${uri}.` };
}

function promptOf(
  name: string,
  args: Readonly<Record<string, string>> = {},
  context: ServerContext,
): GetPromptResult | InputRequiredResult {
  const said = (...contents: readonly GetPromptResult['messages'][number]['content'][]): GetPromptResult => ({
    messages: contents.map((content) => ({ role: 'user', content })),
  });
  const text = (words: string) => ({ type: 'text', text: words }) as const;
  switch (name) {
    case 'test_simple_prompt':
      return said(text('This is a simple prompt for testing.'));
    case 'test_prompt_with_arguments':
      return said(text(`Prompt with arguments: arg1='${args['arg1']}', arg2='${args['arg2']}'`));
    case 'test_prompt_with_embedded_resource': {
      const resource = { uri: args['resourceUri'] ?? '', mimeType: 'text/plain', text: 'embedded' };
      return said({ type: 'resource', resource }, text('Please process the embedded resource above.'));
    }
    case 'test_prompt_with_image':
      return said({ type: 'image', data: PIXEL, mimeType: 'image/png' }, text('Please analyze the image above.'));
    case 'test_input_required_result_prompt': {
      const told = contextOfPrompt(context);
      return told === undefined ? inputRequired({ inputRequests: ASKED_OF_PROMPT }) : said(text(told));
    }
    default:
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'there is no such prompt');
  }
}

/** Listens to both revisions at one address. @param hosts names by which clients reach it, beside those of loopback */
export function everythingListener(hosts: readonly string[] = []): RequestListener {
  const modern = createMcpHandler(everythingServer, { legacy: 'reject' });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const legacy = async (request: Request, parsedBody: unknown): Promise<Response> => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
    if (known !== undefined) return await known.handleRequest(request, { parsedBody });
    if (request.headers.has('mcp-session-id')) return new Response(null, { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await everythingServer().connect(transport);
    return await transport.handleRequest(request, { parsedBody });
  };
  const answer = async (request: Request, parsedBody: unknown): Promise<Response> =>
    hostHeaderValidationResponse(request, [...localhostAllowedHostnames(), ...hosts]) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    ((await isLegacyRequest(request, parsedBody))
      ? await legacy(request, parsedBody)
      : await modern.fetch(request, { parsedBody }));
  return (asked, sent) => {
    serve(asked, sent, answer).catch((error: unknown) => sent.destroy(error as Error));
  };
}

async function serve(
  asked: IncomingMessage,
  sent: ServerResponse,
  answer: (request: Request, parsedBody: unknown) => Promise<Response>,
): Promise<void> {
  const { method, headers, url = '/' } = asked;
  const body = await text(asked);
  const address = `http://${headers.host ?? 'localhost'}${url}`;
  await answerByFetch((request) => answer(request, parsed(body)), address, { method, headers, body }, sent);
}

/** Undefined for what is no JSON: the SDK reads the body itself then, and answers with its error. */
function parsed(body: string): unknown {
  try {
    return body === '' ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}

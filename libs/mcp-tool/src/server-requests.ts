// SPDX-License-Identifier: Apache-2.0
//
// What an MCP server gives beside its tools: resources, prompts and completions (MCP 2026-07-28, "Server features").
// Each request is a tool of Writ with the definition below, so that the kernel decides and records it as any call, and
// sees its arguments. The definitions are Writ's own, and the same for every server.
import type { JsonSchemaText, McpRemoteTool } from '@writ/contract';
import { remoteDigest } from './remote-tool.ts';

/** Requests to a server that are tools of Writ, by the capability that a server declares for them. */
const BY_CAPABILITY = {
  resources: ['resources/list', 'resources/templates/list', 'resources/read'],
  prompts: ['prompts/list', 'prompts/get'],
  completions: ['completion/complete'],
} as const;

export type McpServerRequest = (typeof BY_CAPABILITY)[keyof typeof BY_CAPABILITY][number];

/** Characters of an address, a name or a cursor. */
const TEXT = { type: 'string', maxLength: 4096 } as const;
const REQUIRED = { ...TEXT, minLength: 1 } as const;
const closed = (properties: JsonSchemaText, required: readonly string[]): JsonSchemaText => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const listed = (member: string): JsonSchemaText => ({
  type: 'object',
  properties: { [member]: { type: 'array', items: { type: 'object' } }, nextCursor: TEXT },
  required: [member],
});
const PAGE = closed({ cursor: TEXT }, []);
const TEXTS = { type: 'object', additionalProperties: { type: 'string' } };

/** The input, the output, and what the request does. */
const REQUESTS: Readonly<Record<McpServerRequest, readonly [JsonSchemaText, JsonSchemaText, string]>> = {
  'resources/list': [PAGE, listed('resources'), 'Lists a page of the resources of the server.'],
  'resources/templates/list': [
    PAGE,
    listed('resourceTemplates'),
    'Lists a page of the templates by which addresses of resources are made.',
  ],
  'resources/read': [
    closed({ uri: REQUIRED }, ['uri']),
    { type: 'object', properties: { contents: { type: 'array', items: { type: 'object' } } }, required: ['contents'] },
    'Reads the resource with this address.',
  ],
  'prompts/list': [PAGE, listed('prompts'), 'Lists a page of the prompts of the server.'],
  'prompts/get': [
    closed({ name: REQUIRED, arguments: TEXTS }, ['name']),
    {
      type: 'object',
      properties: { description: { type: 'string' }, messages: { type: 'array', items: { type: 'object' } } },
      required: ['messages'],
    },
    'Gets the messages of the prompt with this name.',
  ],
  'completion/complete': [
    closed(
      {
        ref: closed({ type: { enum: ['ref/prompt', 'ref/resource'] }, name: TEXT, title: TEXT, uri: TEXT }, ['type']),
        argument: closed({ name: REQUIRED, value: { type: 'string' } }, ['name', 'value']),
        context: closed({ arguments: TEXTS }, []),
      },
      ['ref', 'argument'],
    ),
    { type: 'object', properties: { completion: { type: 'object' } }, required: ['completion'] },
    'Completes an argument of a prompt, or a variable of a template.',
  ],
};

const definitionOf = (name: McpServerRequest): McpRemoteTool => {
  const [inputSchema, outputSchema, description] = REQUESTS[name];
  return { name, description, inputSchema, outputSchema, annotations: { readOnlyHint: true, openWorldHint: false } };
};

const DEFINITIONS: ReadonlyMap<string, { readonly definition: McpRemoteTool; readonly digest: string }> = new Map(
  Object.values(BY_CAPABILITY)
    .flat()
    .map((name) => {
      const definition = definitionOf(name);
      return [name, { definition, digest: remoteDigest(definition) }];
    }),
);

/**
 * Whether a tool has the name of a request of a server. Such a name is Writ's: a tool of the server that has it can't
 * be used, and is skipped when tools are listed.
 */
export const isServerRequest = (name: string): name is McpServerRequest => DEFINITIONS.has(name);

/** Why a tool of a server with the name of a request can't be used. */
export const RESERVED_NAME = 'the name is reserved for a request of MCP itself, and no tool can have it';

/** The names of all requests that are tools of Writ. */
export const SERVER_REQUEST_NAMES: readonly McpServerRequest[] = Object.values(BY_CAPABILITY).flat();

/** A server answers no other request with a question to its client (MCP 2026-07-28, "Multi round-trip requests"). */
const MAY_ASK: ReadonlySet<string> = new Set<McpServerRequest>(['resources/read', 'prompts/get']);

/** Whether a server may answer a call of this name with a question: of any tool, and of two requests beside tools. */
export const mayAsk = (name: string): boolean => !isServerRequest(name) || MAY_ASK.has(name);

/** The definitions of the requests that a server takes which declares these capabilities. Total and pure. */
export const serverRequests = (capabilities: Readonly<Record<string, unknown>>): readonly McpRemoteTool[] =>
  Object.entries(BY_CAPABILITY).flatMap(([capability, names]) =>
    typeof capabilities[capability] === 'object' && capabilities[capability] !== null ? names.map(definitionOf) : [],
  );

/** The digest by which a request of a server is pinned. */
export const serverRequestDigest = (name: McpServerRequest): string => DEFINITIONS.get(name)?.digest ?? '';

// SPDX-License-Identifier: Apache-2.0
import { MCP_SERVER_NAME } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, Key } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';

const Id = Type.Union([Type.String({ maxLength: 256 }), Type.Number(), Type.Null()]);
const Any = Type.Optional(Type.Unknown());

/** One message of JSON-RPC 2.0. The revisions that are served have no batches. */
export const McpMessage = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Id),
    method: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    result: Any,
    error: Any,
  },
  closed,
);

export type McpMessage = Static<typeof McpMessage>;

/** How a client sees the tools. */
export const CatalogueMode = Type.Enum(['all', 'search'], {
  description: '`search`: the list has only tools that find and describe the others; `all` by default',
});

/** The MCP server of a mount. */
export const MountedServer = Type.String({
  pattern: MCP_SERVER_NAME,
  description:
    'a registered MCP server, which is served as if the client spoke to it itself; by default all of Writ is served',
});

const shared = {
  method: 'POST',
  tag: 'mcp',
  allowed: ['admin', 'agent'],
  query: Type.Object(
    {
      workspace_id: Type.Optional({
        ...Key,
        description: 'the workspace of the calls; by default that of the capability token',
      }),
      tools: Type.Optional(CatalogueMode),
      server: Type.Optional(MountedServer),
    },
    closed,
  ),
  body: McpMessage,
  answers: {
    200: {
      description: 'The answer of the Model Context Protocol, or its stream of messages',
      media: 'application/json',
      streamed: 'text/event-stream',
    },
    202: { description: 'A notification was accepted' },
    400: { description: 'An error of JSON-RPC: the message is none that is served here', media: 'application/json' },
    404: { description: 'An error of JSON-RPC: there is no such method', media: 'application/json' },
    406: { description: 'An error of JSON-RPC: `Accept` lacks a type of the answer', media: 'application/json' },
    415: { description: 'An error of JSON-RPC: the type of the message is another', media: 'application/json' },
  },
} as const;

export const MCP = {
  post: route({
    ...shared,
    id: 'postMcp',
    path: '/mcp',
    summary:
      'Speaks the Model Context Protocol, under the capability token that the header `Writ-Token` names, or the only one of the agent',
    faults: ['request.wrong_host', 'not_found', 'conflict', 'token.revoked', 'token.expired', 'token.not_yet_valid'],
  }),
  postWithToken: route({
    ...shared,
    id: 'postMcpWithToken',
    path: '/mcp/{capability_token_id}',
    params: { capability_token_id: 'token' },
    summary: 'Speaks the Model Context Protocol, under this capability token',
    faults: ['request.wrong_host', 'not_found', 'token.revoked', 'token.expired', 'token.not_yet_valid'],
  }),
};

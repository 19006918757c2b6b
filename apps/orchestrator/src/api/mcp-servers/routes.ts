// SPDX-License-Identifier: Apache-2.0
import {
  McpConnectionView,
  MCP_SERVER_REQUESTS,
  MCP_TOOL_STATES,
  McpDecisionReply,
  McpServerView,
} from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { McpConnectionLink, McpConnectionList, McpServerList, McpServerToolList } from './views.ts';

const READER_ROLES = ['admin', 'operator', 'auditor'] as const;
const shared = { tag: 'MCP servers', path: '/v1/mcp-servers' } as const;
const one = { tag: 'MCP servers', path: '/v1/mcp-servers/{mcp_server}', params: { mcp_server: 'mcpServer' } } as const;

/** MCP servers behind Writ. They are registered, changed and removed as resources of the kind `mcp_server`. */
export const MCP_SERVERS = {
  list: route({
    ...shared,
    id: 'listMcpServers',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Lists the MCP servers of the tenant, by name',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of servers, each with what its last listing said', schema: McpServerList } },
  }),
  read: route({
    ...one,
    id: 'readMcpServer',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Shows one MCP server',
    answers: { 200: { description: 'The server', schema: McpServerView } },
  }),
  refresh: route({
    ...one,
    path: '/v1/mcp-servers/{mcp_server}/refresh',
    id: 'refreshMcpServer',
    method: 'POST',
    allowed: ['admin'],
    summary: 'Has an executor list the tools of an MCP server as soon as one is free',
    body: Type.Object({}, closed),
    answers: { 200: { description: 'The server, which is due now', schema: McpServerView } },
  }),
  tools: route({
    ...one,
    path: '/v1/mcp-servers/{mcp_server}/tools',
    id: 'listMcpServerTools',
    method: 'GET',
    allowed: READER_ROLES,
    summary: "Lists what an MCP server lists, in the server's own words, with what was accepted of it",
    query: Type.Object({ ...paging, state: Type.Optional(Type.Enum([...MCP_TOOL_STATES])) }, closed),
    answers: { 200: { description: 'A page of tools, by their names at the server', schema: McpServerToolList } },
  }),
  accept: route({
    ...one,
    path: '/v1/mcp-servers/{mcp_server}/tools/accept',
    id: 'acceptMcpServerTools',
    method: 'POST',
    allowed: ['admin'],
    summary: 'Puts tools into force with the definitions that were looked at: all of them, or none',
    body: Type.Object({ tools: MCP_SERVER_REQUESTS['mcp_server.accept'].properties.tools }, closed),
    answers: { 200: { description: 'The tools, which are in force', schema: McpDecisionReply } },
    faults: ['conflict', 'args.invalid', 'limit.exceeded'],
  }),
  refuse: route({
    ...one,
    path: '/v1/mcp-servers/{mcp_server}/tools/refuse',
    id: 'refuseMcpServerTools',
    method: 'POST',
    allowed: ['admin'],
    summary: 'Refuses definitions of tools: the tools are out of force while their server lists these',
    body: Type.Object({ tools: MCP_SERVER_REQUESTS['mcp_server.refuse'].properties.tools }, closed),
    answers: { 200: { description: 'The tools, which are out of force', schema: McpDecisionReply } },
    faults: ['conflict'],
  }),
};

const connections = { ...one, path: '/v1/mcp-servers/{mcp_server}/connections' } as const;
const connection = {
  ...one,
  path: '/v1/mcp-servers/{mcp_server}/connections/{connection_id}',
  params: { mcp_server: 'mcpServer', connection_id: 'connection' },
} as const;

/** Connections of persons to MCP servers that act under the rights of each person. */
export const MCP_CONNECTIONS = {
  ask: route({
    ...connections,
    id: 'askMcpConnection',
    method: 'POST',
    allowed: ['admin', 'operator', 'agent'],
    summary: 'Makes a link by which the person of the access token lets an MCP server act under their own rights',
    body: Type.Object({}, closed),
    answers: { 201: { description: 'The link, for the person alone', schema: McpConnectionLink } },
    faults: ['auth.role', 'conflict', 'mcp.authorization_unusable'],
  }),
  askToList: route({
    ...one,
    path: '/v1/mcp-servers/{mcp_server}/listing-connection',
    id: 'askListingMcpConnection',
    method: 'POST',
    allowed: ['admin'],
    summary: "Makes such a link for an administrator, with whose rights the server's tools are listed too",
    body: Type.Object({}, closed),
    answers: { 201: { description: 'The link, for the person alone', schema: McpConnectionLink } },
    faults: ['auth.role', 'conflict', 'mcp.authorization_unusable'],
  }),
  list: route({
    ...connections,
    id: 'listMcpConnections',
    method: 'GET',
    allowed: ['admin', 'operator', 'agent', 'auditor'],
    summary: "Lists the caller's connections to an MCP server, and all of them for administrators",
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of connections, newest first', schema: McpConnectionList } },
  }),
  read: route({
    ...connection,
    id: 'readMcpConnection',
    method: 'GET',
    allowed: ['admin', 'operator', 'agent', 'auditor'],
    summary: 'Shows a connection: how far a consent is, and whether calls can use it',
    answers: { 200: { description: 'The connection', schema: McpConnectionView } },
  }),
  end: route({
    ...connection,
    id: 'endMcpConnection',
    method: 'DELETE',
    allowed: ['admin', 'operator', 'agent'],
    summary: 'Ends a connection: its tokens are revoked and forgotten, and no call uses them from then on',
    answers: { 200: { description: 'The connection, which has ended', schema: McpConnectionView } },
  }),
};

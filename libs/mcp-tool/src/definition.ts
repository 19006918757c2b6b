// SPDX-License-Identifier: Apache-2.0
import {
  ANY_OBJECT,
  EGRESS_LIMITS,
  isMcpStdio,
  TUNNEL,
  UNTRUSTED_CONTENT_LABELS,
  type AnyMcpServerSettings,
  type BoundResource,
  type JsonSchemaText,
  type McpStdioSettings,
  type McpTool,
  type NetGrant,
  type ToolDefinition,
} from '@writ/contract';
import { CHECK_STEPS_MAX, schemaFaults, type SchemaFault } from '@writ/json-schema';
import type { TObject } from 'typebox';
import { mcpFaults, type AskingTool } from './server-questions.ts';

/** The most requests of a call: a session's beginning and end, the pages of a full listing, and the call itself. */
const REQUESTS_MAX = 96;
/** Bytes of a call: the listing, and an answer with pictures. */
const BYTES_MAX = 32 * 1024 * 1024;

/**
 * The definition of a tool of an MCP server, from the stored document alone: the same document has the same digest on
 * every replica. It has no preview: the one call is the effect.
 */
export function mcpDefinition(tool: McpTool): ToolDefinition {
  const { tool_id, version, description, category, parameters, result, timeout_ms } = tool;
  const { server, server_digest, remote_name, remote_digest, asks } = tool;
  const isSafe = category === 'read';
  const may = asks === undefined ? {} : { asks };
  const mcp = { server, server_digest, remote_name, remote_digest, is_safe: isSafe, output: result, ...may };
  const definition: ToolDefinition = {
    tool_id,
    version,
    description,
    category,
    class: 'broker',
    mutating: category !== 'read',
    // Its credential is that of the server. INVARIANT (not the agent's): no argument names a secret.
    accepts_secrets: [],
    labels: UNTRUSTED_CONTENT_LABELS,
    limits: { ...EGRESS_LIMITS, wall_ms: timeout_ms, egress_bytes: BYTES_MAX, egress_requests: REQUESTS_MAX },
    parameters: parameters as unknown as TObject,
    shape: ANY_OBJECT,
    schemas: { parameters, result },
    result: resultOf(result, asks !== undefined),
    mcp,
    resources: () => [],
    needs: 'mcp_server',
    targets: () => [{ kind: 'mcp_server', ref: server, right: 'use', pointer: '', implied: true }],
    // INVARIANT (no other settings): on a resource with another digest it is another definition than the stored one.
    bind: ([resource]) => ({
      ...definition,
      ...requestsOf(resource),
      mcp: { ...mcp, server_digest: resource?.digest ?? '' },
    }),
    faults: (args) => mcpArgumentFaults({ parameters, mayAsk: asks !== undefined, remoteName: remote_name }, args),
  };
  return definition;
}

/** What leaves goes to one address, whatever the arguments are; or, of a program, to hosts that its settings name. */
function requestsOf(server: BoundResource | undefined): Pick<ToolDefinition, 'requests' | 'in_container' | 'outlets'> {
  const settings = server?.settings as AnyMcpServerSettings;
  if (isMcpStdio(settings)) return { in_container: true, outlets: outletsOf(settings) };
  const { url } = settings;
  return { requests: () => [{ method: 'POST', url, purpose: '' }] };
}

/** What is sent to a host of a program, the token decides. */
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', TUNNEL];

/** The hosts that a program may reach, as grants: the token of a call must grant them, too. */
export const outletsOf = ({ hosts = [] }: Pick<McpStdioSettings, 'hosts'>): readonly NetGrant[] =>
  hosts.map((domain) => ({ domain, methods: METHODS }));

const tooLong = (verb: 'take' | 'takes'): readonly SchemaFault[] => [
  { pointer: '', message: `${verb} more work to check by the schema of the tool than a call may` },
];

/**
 * The problems of arguments by the schema of the tool. Arguments that take too much work to check have one. Total and
 * pure.
 */
export const mcpArgumentFaults = (tool: AskingTool, args: unknown): readonly SchemaFault[] =>
  mcpFaults(tool, args, CHECK_STEPS_MAX) ?? tooLong('take');

/**
 * The problems of the structured part of a result that is no error, by the schema that the tool declares. A part that
 * takes too much work to check has one. Total and pure.
 */
export const mcpResultFaults = (output: JsonSchemaText, structured: unknown): readonly SchemaFault[] =>
  schemaFaults(output, structured, CHECK_STEPS_MAX) ?? tooLong('takes');

/** What a server asks for, in the place of a result. Rules that redact it take the question away. */
const QUESTION = {
  type: 'object',
  description: 'what the server asks of the client instead of an answer; absent: it answered',
  properties: {
    requests: { type: 'object', additionalProperties: { type: 'object' }, description: 'by their names' },
    state: { type: ['string', 'null'], description: 'what the server wants to have back' },
  },
};

const resultOf = (output: JsonSchemaText | null, mayAsk: boolean): TObject => {
  const { $defs, definitions, ...structured } = output ?? {};
  return {
    type: 'object',
    required: ['content', 'structured', 'is_error', 'truncated'],
    additionalProperties: false,
    properties: {
      content: { type: 'array', items: { type: 'object' }, description: 'parts, as the server sent them' },
      structured: output === null ? structured : { anyOf: [structured, { type: 'null' }] },
      is_error: { type: 'boolean', description: 'whether the server says that the tool failed' },
      truncated: { type: 'boolean', description: 'whether text was cut or a part left out' },
      ...(mayAsk ? { asks: QUESTION } : {}),
    },
    // References lead to the definitions at the root of a schema.
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  } as unknown as TObject;
};

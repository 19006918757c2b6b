// SPDX-License-Identifier: Apache-2.0
//
// MCP servers that are programs: an executor runs one in a container, and speaks with it over its standard input and
// output.
import { Type, type Static } from 'typebox';
import { McpAsks } from './mcp-asks.ts';

const closed = { additionalProperties: false } as const;
const MIB = 1024 * 1024;

/** The limits of the container of a program, beside those of every container. */
export const MCP_STDIO_LIMITS = {
  arguments: 64,
  variables: 32,
  hosts: 32,
  memoryMb: { min: 64, max: 4_096, default: 1_024 },
} as const;

/** In a form that RE2 reads, too: the API's own document can be imported. */
const NO_NUL = '^[^\\x00]*$';
const Argument = Type.String({ maxLength: 4_096, pattern: NO_NUL });

/** A variable of the program: a text, or the value of a secret. */
const Variable = Type.Union([
  Type.String({ maxLength: 4_096, pattern: NO_NUL }),
  Type.Object(
    { secret: Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$', description: "the name of a tenant's secret" }) },
    closed,
  ),
]);

/** An MCP server that is a program. Each person and token has processes of its own. */
export const McpStdioSettings = Type.Object(
  {
    transport: Type.Literal('stdio', { description: 'a program, over its standard input and output' }),
    command: Type.Array(Argument, {
      minItems: 1,
      maxItems: MCP_STDIO_LIMITS.arguments,
      description: 'the program and its arguments: no shell reads them',
    }),
    image: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$',
        description: "the name of the tenant's image that has the program; absent: the image of sandboxes",
      }),
    ),
    env: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Z_][A-Z0-9_]{0,63}$' }), Variable, {
        ...closed,
        maxProperties: MCP_STDIO_LIMITS.variables,
        description: 'variables of the program, beside a few that every program has',
      }),
    ),
    hosts: Type.Optional(
      Type.Array(Type.String({ pattern: '^(\\*\\.)?[a-z0-9-]+(\\.[a-z0-9-]+)*$', maxLength: 253 }), {
        maxItems: MCP_STDIO_LIMITS.hosts,
        uniqueItems: true,
        description: 'hosts that it may reach during a call whose token grants them, too; absent: none',
      }),
    ),
    memory_mb: Type.Optional(
      Type.Integer({
        minimum: MCP_STDIO_LIMITS.memoryMb.min,
        maximum: MCP_STDIO_LIMITS.memoryMb.max,
        description: `of one process; ${String(MCP_STDIO_LIMITS.memoryMb.default)} by default`,
      }),
    ),
    calls_max: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 64, description: 'calls under way per executor; 8 by default' }),
    ),
    asks: Type.Optional({ ...McpAsks, description: 'what it may ask of the client that calls it; absent: nothing' }),
  },
  closed,
);
export type McpStdioSettings = Static<typeof McpStdioSettings>;

/** Whether the settings of an MCP server are those of a program. */
export const isMcpStdio = <T extends { readonly transport?: unknown }>(settings: T): settings is T & McpStdioSettings =>
  settings.transport === 'stdio';

/** Bytes of memory of one process. */
export const mcpMemoryBytes = ({ memory_mb }: Pick<McpStdioSettings, 'memory_mb'>): number =>
  (memory_mb ?? MCP_STDIO_LIMITS.memoryMb.default) * MIB;

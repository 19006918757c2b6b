// SPDX-License-Identifier: Apache-2.0
//
// Tools that a tenant declares by a JSON Schema and that no program of the sandbox runs: functions of its own agents
// and workers, operations of an HTTP API, and tools of an MCP server.
import { Type, type Static, type TObject } from 'typebox';
import { Sha256Hex } from '../ids.ts';
import { McpAsks } from '../resources/mcp-asks.ts';
import { MCP_SERVER_NAME } from '../resources/resource-settings.ts';

const closed = { additionalProperties: false } as const;

/** Limits on the tools in one file and of one tenant, and on one schema. */
export const DECLARED_TOOLS = { inOneFile: 256, ofOneTenant: 1024, schemaBytes: 32 * 1024 } as const;

/** How long a function may run, in milliseconds: a lease is renewed all that time, so a day is no promise too long. */
export const FUNCTION_MS = { default: 120_000, max: 24 * 3_600_000 } as const;

/** A family in lower case, then parts as the other side writes them: `api.shop.getOrder`, `mcp.github.create-issue`. */
export const DeclaredToolName = Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[A-Za-z0-9_-]+)*$', maxLength: 128 });

/** A JSON Schema (draft 2020-12) as its author wrote it. `libs/json-schema` reads it. */
export const JsonSchemaText = Type.Record(Type.String(), Type.Unknown());
export type JsonSchemaText = Static<typeof JsonSchemaText>;

/** The shape of arguments of such a tool: `faults` checks them by its schema, which may refer to parts of itself. */
export const ANY_OBJECT: TObject = Type.Object({});

const shared = {
  v: Type.Literal(1),
  tool_id: DeclaredToolName,
  version: Type.Integer({ minimum: 1 }),
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  description: Type.String({ minLength: 1, maxLength: 4096 }),
  category: Type.Enum(['read', 'write', 'admin']),
  /** of the arguments: an object */
  parameters: JsonSchemaText,
  /** of the result; null: any JSON */
  result: Type.Union([JsonSchemaText, Type.Null()]),
  timeout_ms: Type.Integer({ minimum: 100 }),
};

const MODES = '`pull`: a worker of the tenant takes permits; `caller`: the caller gets one and runs it itself';
/** Who runs a function, as the API shows it. */
export const FunctionMode = Type.Enum(['pull', 'caller'], { description: MODES });

/** A function that runs outside of Writ, under a permit. */
export const FunctionTool = Type.Object(
  {
    ...shared,
    kind: Type.Literal('function'),
    /**
     * who runs it; `inline` is what the API calls `caller`. INVARIANT (stored words stay): the digest of a tool covers
     * them, and permits under way name it
     */
    mode: Type.Enum(['pull', 'inline']),
    idempotent: Type.Boolean({
      description: 'whether a lost attempt may be repeated under the same operation id; else it ends as ambiguous',
    }),
  },
  closed,
);
export type FunctionTool = Static<typeof FunctionTool>;

/** A function as its author writes it, in a file of tools. */
export const FunctionToolSource = Type.Object(
  {
    name: DeclaredToolName,
    title: shared.title,
    description: shared.description,
    category: shared.category,
    mode: Type.Enum(['pull', 'caller', 'inline'], {
      description: `${MODES}; \`inline\` is an older name of \`caller\``,
    }),
    parameters: JsonSchemaText,
    result: Type.Optional(JsonSchemaText),
    idempotent: Type.Optional(
      Type.Boolean({ description: 'default: whether it only reads; see the same member of the stored tool' }),
    ),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 100, maximum: FUNCTION_MS.max, description: `${FUNCTION_MS.default} by default` }),
    ),
  },
  closed,
);
export type FunctionToolSource = Static<typeof FunctionToolSource>;

/** An argument's place in a request (OpenAPI 3.1, Parameter Object). */
export const HttpInput = Type.Object(
  {
    argument: Type.String({ minLength: 1, maxLength: 128 }),
    name: Type.String({ minLength: 1, maxLength: 128 }),
    in: Type.Enum(['path', 'query', 'header']),
    style: Type.Enum(['simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject']),
    explode: Type.Boolean(),
  },
  closed,
);
export type HttpInput = Static<typeof HttpInput>;

/** A credential that the executor adds: the value of a secret of the tenant, after a prefix. */
export const HttpCredential = Type.Object(
  {
    in: Type.Enum(['header', 'query']),
    name: Type.String({ minLength: 1, maxLength: 128 }),
    prefix: Type.String({ maxLength: 32, description: 'such as `Bearer `, with its space; empty for none' }),
    secret: Type.String({ pattern: '^[A-Z_][A-Z0-9_]{0,63}$' }),
  },
  closed,
);
export type HttpCredential = Static<typeof HttpCredential>;

/** One operation of an HTTP API. Its server is fixed: no argument leads to another host. */
export const HttpTool = Type.Object(
  {
    ...shared,
    kind: Type.Literal('http'),
    method: Type.Enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
    server: Type.String({ pattern: '^https?://', maxLength: 512, description: 'the base address, without a query' }),
    path: Type.String({ pattern: '^/', maxLength: 512, description: 'with `{name}` for inputs in the path' }),
    inputs: Type.Array(HttpInput, { maxItems: 64 }),
    /** the argument whose value is the body; null: none */
    body: Type.Union([
      Type.Object(
        {
          argument: Type.String({ minLength: 1, maxLength: 128 }),
          media: Type.Enum(['application/json', 'application/x-www-form-urlencoded']),
        },
        closed,
      ),
      Type.Null(),
    ]),
    credentials: Type.Array(HttpCredential, { maxItems: 4 }),
    /** the header that carries the operation's id, for an API that drops repeated requests by it; null: none */
    idempotency_header: Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()]),
  },
  closed,
);
export type HttpTool = Static<typeof HttpTool>;

/** A tool of a registered MCP server, as the server described it when an administrator accepted it. */
export const McpTool = Type.Object(
  {
    ...shared,
    kind: Type.Literal('mcp'),
    /** the name of the server's resource */
    server: Type.String({ pattern: MCP_SERVER_NAME }),
    /** the digest of that resource, which covers its settings: with others it is another version of the tool */
    server_digest: Sha256Hex,
    /** the tool's name there */
    remote_name: Type.String({ minLength: 1, maxLength: 128 }),
    /** hex SHA-256 of the definition as the server listed it, RFC 8785 */
    remote_digest: Sha256Hex,
    /** what the server says of the tool's behaviour: hints, which nothing here relies on */
    annotations: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** what the server may ask of the client; absent: nothing, and the tool has no argument for answers */
    asks: Type.Optional(McpAsks),
  },
  closed,
);
export type McpTool = Static<typeof McpTool>;

export const DeclaredTool = Type.Union([FunctionTool, HttpTool, McpTool]);
export type DeclaredTool = Static<typeof DeclaredTool>;

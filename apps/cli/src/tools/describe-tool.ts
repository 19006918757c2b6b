// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { fieldsOf, momentOf } from '../terminal.ts';

const applied = { applied_by: Type.String(), applied_at: Type.Integer() };
const Cli = Type.Object({
  cmd: Type.String(),
  args: Type.Array(Type.String()),
  optional_args: Type.Array(Type.Object({ parameter: Type.String(), args: Type.Array(Type.String()) })),
  env: Type.Array(Type.Object({ name: Type.String(), secrets: Type.Array(Type.String()) })),
  ...applied,
});
const FunctionOf = Type.Object({ mode: Type.String(), idempotent: Type.Boolean(), ...applied });
const Http = Type.Object({
  method: Type.String(),
  server: Type.String(),
  path: Type.String(),
  inputs: Type.Array(Type.Object({ argument: Type.String(), name: Type.String(), in: Type.String() })),
  body: Type.Union([Type.Object({ argument: Type.String(), media: Type.String() }), Type.Null()]),
  credentials: Type.Array(Type.Object({ in: Type.String(), name: Type.String(), secret: Type.String() })),
  idempotency_header: Type.Union([Type.String(), Type.Null()]),
  ...applied,
});
const Mcp = Type.Object({
  server: Type.String(),
  remote_name: Type.String(),
  remote_digest: Type.String(),
  annotations: Type.Record(Type.String(), Type.Unknown()),
  ...applied,
});

/** A tool in the list. */
export const ListedTool = Type.Object({
  tool_id: Type.String(),
  version: Type.Integer(),
  description: Type.String(),
  category: Type.String(),
  class: Type.String(),
  mutating: Type.Boolean(),
  cli: Type.Optional(Cli),
  function: Type.Optional(FunctionOf),
  http: Type.Optional(Http),
  mcp: Type.Optional(Mcp),
});
export type ListedTool = Static<typeof ListedTool>;

/** A tool with its parameters. */
export const WholeTool = Type.Object({
  ...ListedTool.properties,
  parameters: Type.Record(Type.String(), Type.Unknown()),
  definition_digest: Type.String(),
});
export type WholeTool = Static<typeof WholeTool>;

/** What a call of the tool runs, in a few words. */
export function whatRuns({ cli, http, mcp, function: own, class: runs }: ListedTool): string {
  if (cli !== undefined) return cli.cmd;
  if (http !== undefined) return `${http.method} ${addressOf(http)}`;
  if (mcp !== undefined) return `${mcp.remote_name} at ${mcp.server}`;
  return own === undefined ? runs : `function, ${own.mode}`;
}

/** What a tool is, in fields. Names, descriptions and hints may be words of others: `fieldsOf` makes them visible. */
export function describeTool(tool: WholeTool): string {
  const { tool_id, version, description, category, definition_digest, parameters } = tool;
  const by = tool.cli ?? tool.http ?? tool.mcp ?? tool.function;
  return fieldsOf({
    tool: tool_id,
    version,
    category,
    'what it does': description,
    ...partsOf(tool),
    applied: by === undefined ? null : `${momentOf(by.applied_at)} by ${by.applied_by}`,
    parameters: JSON.stringify(parameters),
    digest: definition_digest,
  });
}

function partsOf({ cli, http, mcp, function: own }: WholeTool): Readonly<Record<string, string | null>> {
  if (cli !== undefined) return partsOfProgram(cli);
  if (http !== undefined) return partsOfRequest(http);
  if (mcp !== undefined)
    return {
      server: `mcp_server:${mcp.server}`,
      'name there': mcp.remote_name,
      'definition there': mcp.remote_digest,
      "the server's hints": Object.keys(mcp.annotations).length === 0 ? 'none' : JSON.stringify(mcp.annotations),
    };
  if (own === undefined) return {};
  return {
    runs:
      own.mode === 'pull' ? 'a worker of the tenant, which takes its permit' : 'the caller, with the permit it gets',
    'if it is lost': own.idempotent ? 'it is repeated' : 'it ends as ambiguous',
  };
}

const partsOfProgram = ({ cmd, args, optional_args, env }: Static<typeof Cli>) => ({
  runs: [cmd, ...args].join(' '),
  options: optional_args.map((one) => `${one.parameter}: ${one.args.join(' ')}`).join('\n') || 'none',
  variables:
    env
      .map(({ name, secrets }) => (secrets.length === 0 ? name : `${name} (secret ${secrets.join(', ')})`))
      .join('\n') || 'none',
});

function partsOfRequest(http: Static<typeof Http>): Readonly<Record<string, string | null>> {
  const sent = [
    ...http.inputs.map(({ argument, name, in: place }) => `${argument}: ${place} ${name}`),
    ...(http.body === null ? [] : [`${http.body.argument}: body, ${http.body.media}`]),
  ];
  return {
    request: `${http.method} ${addressOf(http)}`,
    arguments: sent.join('\n') || 'none',
    secrets: http.credentials.map(({ secret, in: place, name }) => `${secret}: ${place} ${name}`).join('\n') || 'none',
    'operation id': http.idempotency_header === null ? null : `header ${http.idempotency_header}`,
  };
}

const addressOf = ({ server, path }: Pick<Static<typeof Http>, 'server' | 'path'>): string =>
  `${server.replace(/\/$/, '')}${path}`;

// SPDX-License-Identifier: Apache-2.0
//
// MCP servers of a tenant: executors list the tools of each, the kernel compares them with what an administrator
// accepted, and administrators accept or refuse what is new.
import { Type, type Static, type TSchema } from 'typebox';
import { BlobRef } from '../delta.ts';
import { FAULTS, type FaultCode } from '../faults.ts';
import { idSchema, Sha256Hex } from '../ids.ts';
import { RegisteredImage } from '../images/image-source.ts';
import { Problem } from '../problem.ts';
import { BoundResource, ResourceName } from '../resources/resource-kinds.ts';
import { DeclaredToolName } from '../tools/declared-tool.ts';
import { Caller, Page } from './operations.ts';

const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Instant = Type.Integer({ minimum: 0 });
/** A name in a request: an invalid one is simply not found. */
const Named = Type.String({ minLength: 1, maxLength: 128 });

const KIB = 1024;
/**
 * Limits on what a server lists. More is reported as a problem of the server. Two definitions, the accepted one and the
 * one that was seen, fit into one message.
 */
export const MCP_LIMITS = {
  /** servers of one tenant: executors list each of them again and again */
  servers: 64,
  tools: 512,
  schemaBytes: 32 * KIB,
  definitionBytes: 80 * KIB,
  listingBytes: 1024 * KIB,
  /** how long an executor has for one listing, in milliseconds: less than the lease of its claim */
  listingMs: 45_000,
  leaseMs: 60_000,
  /** how long a call may take: the gate closes a connection on which nothing passes for so long */
  callMs: 60_000,
} as const;

/** A tool as a server lists it: these members alone count, exactly as they came. Attacker-controlled. */
export const McpRemoteTool = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 128 }),
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    inputSchema: Type.Record(Type.String(), Type.Unknown()),
    outputSchema: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    annotations: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
);
export type McpRemoteTool = Static<typeof McpRemoteTool>;

/** A listed tool that can't be passed on at all. */
export const McpSkippedTool = Type.Object(
  { name: Type.String({ maxLength: 128 }), problem: Type.String({ maxLength: 256 }) },
  closed,
);
export type McpSkippedTool = Static<typeof McpSkippedTool>;

/**
 * What an executor stores as a blob of the tenant: the JSON of every tool that the server listed, each name once. A
 * skipped tool counts as not listed.
 */
export const McpListing = Type.Object(
  {
    v: Type.Literal(1),
    tools: Type.Array(McpRemoteTool, { maxItems: MCP_LIMITS.tools }),
    skipped: Type.Optional(Type.Array(McpSkippedTool, { maxItems: MCP_LIMITS.tools })),
  },
  closed,
);
export type McpListing = Static<typeof McpListing>;

/** What a server says about itself. */
export const McpAbout = Type.Object(
  {
    protocol: Type.String({ maxLength: 32, description: 'the revision of MCP that was spoken' }),
    name: Type.String({ maxLength: 128 }),
    version: Type.String({ maxLength: 128 }),
  },
  closed,
);
export type McpAbout = Static<typeof McpAbout>;

/** What an executor found out about who lets persons use a server (RFC 9728, RFC 8414). */
export const McpAuthorization = Type.Object(
  {
    issuer: Type.String({ maxLength: 1024, description: 'the authorization server' }),
    authorization_endpoint: Type.String({ maxLength: 1024, description: 'where persons consent' }),
    resource: Type.String({ maxLength: 1024, description: 'what the server calls itself there (RFC 8707)' }),
    names_issuer: Type.Boolean({ description: 'whether its answers always have `iss` (RFC 9207)' }),
  },
  closed,
);
export type McpAuthorization = Static<typeof McpAuthorization>;

/**
 * Whether an endpoint that an authorization server names is at its issuer's own host. Otherwise the metadata of one
 * server could send persons, or their codes, to another one (RFC 9700, mix-up). Total and pure.
 */
export function isAtIssuer(endpoint: string, issuer: string): boolean {
  const [one, other] = [URL.parse(endpoint), URL.parse(issuer)];
  return one !== null && other !== null && one.host === other.host;
}

/** Why the tools of a server couldn't be listed. */
export const McpProblem = Type.Object(
  {
    code: Type.Enum(Object.keys(FAULTS) as FaultCode[]),
    message: Type.String({
      maxLength: 2048,
      description: 'without anything that the server sent, or shown as its words',
    }),
  },
  closed,
);
export type McpProblem = Static<typeof McpProblem>;

/**
 * `new`: nobody has decided on it; `accepted`: in force; `changed`: the server describes it otherwise than it was
 * accepted, so it is out of force; `gone`: the server has it no more; `refused`: an administrator refused this
 * definition.
 */
export const MCP_TOOL_STATES = ['new', 'accepted', 'changed', 'gone', 'refused'] as const;

const Count = Type.Integer({ minimum: 0 });
/** A registered MCP server, and what is known of it. */
export const McpServerView = Type.Object(
  {
    resource_id: idSchema('resource'),
    name: ResourceName,
    transport: Type.Enum(['http', 'stdio'], { description: 'how it is reached: an address, or a program' }),
    url: orNull(Type.String({ description: 'null: it is a program' })),
    command: orNull(Type.Array(Type.String(), { description: 'the program; null: it is reached by its address' })),
    about: orNull({ ...McpAbout, description: "the server's own words, from the last listing that succeeded" }),
    checked_at: orNull({ ...Instant, description: 'the end of the last attempt to list its tools' }),
    due_at: { ...Instant, description: 'when they are listed again' },
    problem: orNull({ ...McpProblem, description: 'why the last attempt failed; null: it did not' }),
    /** null: every call has the rights of one credential, or of none; absent from an older peer */
    oauth: Type.Optional(
      orNull(
        Type.Object(
          {
            client_id: Type.String(),
            scopes: Type.Array(Type.String()),
            issuer: orNull({ ...Type.String(), description: 'the authorization server; null: not found yet' }),
            /** the API adds it, which knows the public URL */
            redirect_uri: Type.Optional(
              Type.String({ description: 'of the client: register it at the authorization server' }),
            ),
            listed_by: orNull({
              ...idSchema('connection'),
              description: 'the connection whose rights list its tools; null: nobody connected for that',
            }),
          },
          { ...closed, description: 'each call has the rights of its person' },
        ),
      ),
    ),
    skipped: Type.Array(McpSkippedTool, { description: 'tools that the server listed and that can not be used' }),
    tools: Type.Object(
      { new: Count, accepted: Count, changed: Count, gone: Count, refused: Count },
      { ...closed, description: 'how many there are in each state' },
    ),
  },
  closed,
);
export type McpServerView = Static<typeof McpServerView>;

const Definition = Type.Object({ digest: Sha256Hex, definition: McpRemoteTool }, closed);
/** A tool that a server lists or listed. Definitions are the server's words, and nobody vouches for them. */
export const McpServerToolView = Type.Object(
  {
    server: ResourceName,
    remote_name: Type.String(),
    tool_id: DeclaredToolName,
    state: Type.Enum([...MCP_TOOL_STATES]),
    seen: orNull({ ...Definition, description: 'as the server lists it; null: it lists it no more' }),
    accepted: orNull({ ...Definition, description: 'as an administrator accepted it last; null: never' }),
    problems: Type.Array(Problem, { description: 'why the definition that was seen can not be accepted' }),
    suggested: Type.Enum(['read', 'write', 'admin'], { description: 'the category that its hints speak for' }),
    category: orNull({
      ...Type.Enum(['read', 'write', 'admin']),
      description: 'the category as it was accepted last; null: it never was',
    }),
    category_then: Type.Enum(['read', 'write', 'admin'], {
      description: 'the category that it has once it is accepted without one: never a less strict one',
    }),
    seen_at: Instant,
    decided_by: orNull(Type.String({ description: 'the API key that accepted or refused it last' })),
    decided_at: orNull(Instant),
  },
  closed,
);
export type McpServerToolView = Static<typeof McpServerToolView>;

const Chosen = {
  name: Type.String({ minLength: 1, maxLength: 128, description: "the tool's name at the server" }),
  digest: { ...Sha256Hex, description: 'of the definition that was looked at' },
} as const;

/** The tools of one decision, as they are after it. */
export const McpDecisionReply = Type.Object(
  {
    tools: Type.Array(
      Type.Object(
        { remote_name: Type.String(), tool_id: DeclaredToolName, state: Type.Enum([...MCP_TOOL_STATES]) },
        closed,
      ),
    ),
  },
  closed,
);
export type McpDecisionReply = Static<typeof McpDecisionReply>;

/** A tool of a server, with the digest of its accepted definition. Null: none was accepted, or there is no server. */
export const McpToolFound = Type.Object(
  { tool: orNull(Type.Object({ tool_id: DeclaredToolName, digest: Sha256Hex }, closed)) },
  closed,
);
export type McpToolFound = Static<typeof McpToolFound>;

/** Definitions that are asked for at a time: the reply has those that fit into one message. */
const DEFINITIONS_MAX = 64;
/**
 * Accepted definitions of tools that are in force, exactly as the server lists them. `rest` are tools whose definitions
 * didn't fit; a tool in neither is not in force.
 */
export const McpDefinitions = Type.Object(
  {
    items: Type.Array(Type.Object({ tool_id: DeclaredToolName, ...Definition.properties }, closed)),
    rest: Type.Array(DeclaredToolName),
  },
  closed,
);
export type McpDefinitions = Static<typeof McpDefinitions>;

/**
 * The sender reads views of programs, and of servers with the rights of persons. Absent from an older peer: to it they
 * are not there.
 */
const reads = { every_kind: Type.Optional(Type.Literal(true)) } as const;

/** orchestrator → kernel, of a tenant's MCP servers. They are registered and removed as resources. */
export const MCP_SERVER_REQUESTS = {
  /** → {items: McpServerView[], next_cursor}, by name */
  'mcp_server.list': Type.Object({ ...asked, ...reads, page: Page }, closed),
  /** → McpServerView */
  'mcp_server.read': Type.Object({ ...asked, ...reads, name: Named }, closed),
  /** → McpServerView: an executor lists its tools as soon as one is free */
  'mcp_server.refresh': Type.Object({ ...asked, ...reads, name: Named }, closed),
  /** → {items: McpServerToolView[], next_cursor}, by the name at the server */
  'mcp_server.tools': Type.Object(
    { ...asked, name: Named, page: Page, state: orNull(Type.Enum([...MCP_TOOL_STATES])) },
    closed,
  ),
  /** → McpToolFound: by its name at the server. Every caller may ask: accepted tools are no secret in a tenant. */
  'mcp_server.find_tool': Type.Object(
    { ...asked, name: Named, remote_name: Type.String({ minLength: 1, maxLength: 128 }) },
    closed,
  ),
  /** → McpDefinitions, in the order of the request, for every caller */
  'mcp_server.definitions': Type.Object(
    { ...asked, name: Named, tool_ids: Type.Array(DeclaredToolName, { minItems: 1, maxItems: DEFINITIONS_MAX }) },
    closed,
  ),
  /**
   * → McpDecisionReply: all of them are in force, or none. A `conflict` where the server describes one otherwise by
   * now, and `args.invalid` where one can't be accepted.
   */
  'mcp_server.accept': Type.Object(
    {
      ...asked,
      name: Named,
      tools: Type.Array(
        Type.Object({ ...Chosen, category: Type.Optional(Type.Enum(['read', 'write', 'admin'])) }, closed),
        { minItems: 1, maxItems: MCP_LIMITS.tools },
      ),
    },
    closed,
  ),
  /**
   * → McpDecisionReply: they are out of force, until a definition is accepted. The definition is the listed one, or the
   * accepted one of a tool that changed or is gone: that ends its acceptance.
   */
  'mcp_server.refuse': Type.Object(
    {
      ...asked,
      name: Named,
      tools: Type.Array(Type.Object(Chosen, closed), { minItems: 1, maxItems: MCP_LIMITS.tools }),
    },
    closed,
  ),
} as const;

/** How an MCP server is reached. */
export const MCP_TRANSPORTS = ['http', 'stdio'] as const;
export type McpTransport = (typeof MCP_TRANSPORTS)[number];

/** executor → kernel: `kernel.mcp.claim` → McpClaimReply: is there a server whose tools are to be listed? */
export const McpClaimRequest = Type.Object(
  {
    v: Type.Literal(1),
    executor_id: idSchema('executor'),
    public_key: Type.String({ maxLength: 64, description: 'X25519, base64: the secret of the server is sealed to it' }),
    /** servers that the executor can list; absent from an older peer: those over HTTP */
    transports: Type.Optional(Type.Array(Type.Enum(MCP_TRANSPORTS), { minItems: 1, maxItems: 2 })),
  },
  closed,
);
export type McpClaimRequest = Static<typeof McpClaimRequest>;

/** A server whose tools the executor is to list. `claim` fences earlier executors. */
export const McpClaim = Type.Object(
  {
    tenant_id: idSchema('tenant'),
    claim: Type.Integer({ minimum: 1 }),
    resource: BoundResource,
    /**
     * the secrets that its settings name, by `RESOURCE_SECRET_PREFIX` and name, each sealed for `listingContext`,
     * base64; the access token that lists, if there is one, as `PERSON_TOKEN`
     */
    sealed: Type.Record(Type.String(), Type.String()),
    /** for a program: the digest of the image that it runs in */
    image_digest: Type.Optional(Type.String({ maxLength: 128 })),
    /** for a program: where that image comes from, where a tenant registered it */
    image: Type.Optional(RegisteredImage),
  },
  closed,
);
export type McpClaim = Static<typeof McpClaim>;
export const McpClaimReply = Type.Object({ v: Type.Literal(1), claim: orNull(McpClaim) }, closed);
export type McpClaimReply = Static<typeof McpClaimReply>;

/** executor → kernel: `kernel.mcp.report` → McpReportReply. Exactly one of listing and problem is set. */
export const McpReportRequest = Type.Object(
  {
    v: Type.Literal(1),
    executor_id: idSchema('executor'),
    tenant_id: idSchema('tenant'),
    resource_id: idSchema('resource'),
    claim: Type.Integer({ minimum: 1 }),
    listing: orNull({ ...BlobRef, description: 'the JSON of an McpListing' }),
    about: orNull(McpAbout),
    problem: orNull(McpProblem),
    /** of a server with the rights of persons, where it was found; absent otherwise, and from an older peer */
    authorization: Type.Optional(McpAuthorization),
  },
  closed,
);
export type McpReportRequest = Static<typeof McpReportRequest>;
/** `counted` false: the claim is another executor's, or the server was removed. Then nothing was written. */
export const McpReportReply = Type.Object({ v: Type.Literal(1), counted: Type.Boolean() }, closed);
export type McpReportReply = Static<typeof McpReportReply>;

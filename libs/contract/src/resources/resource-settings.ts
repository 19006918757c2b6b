// SPDX-License-Identifier: Apache-2.0
//
// The settings of each kind of resource. Hosts in them are reached through the egress gate, under the call's token;
// credentials are named, and stored as secrets of the tenant.
import { Type, type Static, type TObject } from 'typebox';
import { idSchema } from '../ids.ts';
import { McpAsks } from './mcp-asks.ts';
import { McpStdioSettings } from './mcp-stdio-settings.ts';
import type { ResourceKind } from './resource-kinds.ts';

const closed = { additionalProperties: false } as const;
const URL_CHARS_MAX = 1_024;

const Url = Type.String({ minLength: 1, maxLength: URL_CHARS_MAX, description: '`https://host[:port]/path`' });
const SecretName = Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,63}$', description: "the name of a tenant's secret" });
const Text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });

/** The model behind embeddings or transcripts: one that runs beside the executor, or an OpenAI-compatible endpoint. */
export const ModelProvider = Type.Union([
  Type.Object({ kind: Type.Literal('local'), model: Text(128, 'a model that the executor has') }, closed),
  Type.Object(
    {
      kind: Type.Literal('openai'),
      url: Url,
      model: Text(128, "the provider's name of the model"),
      secret: Type.Optional(SecretName),
    },
    closed,
  ),
]);
export type ModelProvider = Static<typeof ModelProvider>;

/** The model of a store's vectors, which all have one length. */
const EmbeddingProvider = Type.Union([
  Type.Object({ kind: Type.Literal('local'), model: Text(128, 'a model that the executor has') }, closed),
  Type.Object(
    {
      kind: Type.Literal('openai'),
      url: Url,
      model: Text(128, "the provider's name of the model"),
      dimensions: Type.Integer({ minimum: 1, maximum: 4_096, description: "the length of the model's vectors" }),
      secret: Type.Optional(SecretName),
    },
    closed,
  ),
]);

/** What the contents of a source count as for flow policy. */
const ContentLabel = Type.Enum(['untrusted_content', 'private_data'] as const, {
  description: 'the label that its contents add to a session',
});

const InfoStoreSettings = Type.Object(
  {
    backend: Type.Union([
      Type.Object({ kind: Type.Literal('local') }, closed),
      Type.Object(
        {
          kind: Type.Literal('chroma'),
          url: Url,
          collection: Text(512, 'the name of the collection'),
          secret: Type.Optional(SecretName),
        },
        closed,
      ),
    ]),
    embedding: Type.Optional({ ...EmbeddingProvider, description: 'absent: full-text search only' }),
    text_config: Type.Optional(Text(63, 'the Postgres text search configuration; `simple` by default')),
    label: ContentLabel,
  },
  closed,
);
export type InfoStoreSettings = Static<typeof InfoStoreSettings>;

const SearchEngineSettings = Type.Object(
  {
    kind: Type.Enum(['searxng'] as const, {
      description: 'any server that answers `GET <url>/search?q=…&format=json` like SearXNG',
    }),
    url: { ...Url, maxLength: 256 },
  },
  closed,
);
export type SearchEngineSettings = Static<typeof SearchEngineSettings>;

const ContainerSettings = Type.Object(
  {
    workspace_id: Type.Union([idSchema('workspace'), Type.Null()], {
      description: 'the workspace that its shell works in; null: that of the call',
    }),
  },
  closed,
);
export type ContainerSettings = Static<typeof ContainerSettings>;

const WebsiteSettings = Type.Object({ url: Url }, closed);
export type WebsiteSettings = Static<typeof WebsiteSettings>;

const AudioDeviceSettings = Type.Object(
  {
    retention_seconds: Type.Integer({ minimum: 1, maximum: 86_400, description: 'how long uploaded audio is kept' }),
    buffer_bytes: Type.Integer({ minimum: 65_536, maximum: 268_435_456, description: 'the size of its ring buffer' }),
    uploader: Type.Optional({
      ...idSchema('agent'),
      description: 'the agent whose API keys upload for the device; absent: operators and administrators alone do',
    }),
  },
  closed,
);
export type AudioDeviceSettings = Static<typeof AudioDeviceSettings>;

const ModelSettings = Type.Object(
  { task: Type.Enum(['embedding', 'transcription'] as const), provider: ModelProvider },
  closed,
);
export type ModelSettings = Static<typeof ModelSettings>;

const CalendarSettings = Type.Union([
  Type.Object({ kind: Type.Literal('ics'), url: Url, secret: Type.Optional(SecretName) }, closed),
  Type.Object(
    { kind: Type.Literal('caldav'), url: Url, username: Text(256, 'of the account'), secret: SecretName },
    closed,
  ),
]);
export type CalendarSettings = Static<typeof CalendarSettings>;

const MailboxSettings = Type.Object(
  {
    host: Text(253, 'the IMAP server'),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    tls: Type.Enum(['implicit', 'starttls'] as const),
    username: Text(256, 'of the account'),
    secret: SecretName,
    address: Text(320, 'the address that drafts are from'),
    drafts: Type.Optional(Text(256, 'the folder of drafts; absent: the one that the server marks `\\Drafts`')),
  },
  closed,
);
export type MailboxSettings = Static<typeof MailboxSettings>;

/** The name of an MCP server is a part of the ids of its tools. */
export const MCP_SERVER_NAME = '^[a-z][a-z0-9_-]{0,31}$';

/** Calls under way on one MCP server, in one executor. */
export const MCP_CALLS = { max: 64, default: 8 } as const;

/** A credential of the tenant: every call has the same rights at the server. */
const SharedCredential = Type.Object(
  {
    header: Type.Optional(
      Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$', description: '`authorization` by default' }),
    ),
    prefix: Type.Optional(
      Type.String({
        pattern: '^[!-~ ]{0,32}$',
        description: 'before the secret, with its space; `Bearer ` by default',
      }),
    ),
    secret: SecretName,
  },
  closed,
);

/** Scopes that are asked for. Each is a `scope-token` of RFC 6749. */
export const MCP_SCOPES = Type.Array(Type.String({ pattern: '^[!#-\\[\\]-~]{1,128}$' }), { maxItems: 32 });

/**
 * Each call has the rights of the person behind it, who consented at the authorization server of the MCP server. The
 * client is registered there beforehand.
 */
const PersonCredential = Type.Object(
  {
    oauth: Type.Object(
      {
        client_id: Type.String({
          // Without a count: a repeated class is too large for expressions of bounded size.
          pattern: '^[!-~]+$',
          maxLength: 512,
          description: 'the id of the client that Writ is at the authorization server',
        }),
        client_secret: Type.Optional({
          ...SecretName,
          description:
            "the name of the tenant's secret that authenticates the client; takes `authorization_server`, and goes there alone",
        }),
        scopes: { ...MCP_SCOPES, description: 'the scopes that a person is asked for' },
        authorization_server: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: URL_CHARS_MAX,
            description: 'its issuer, `https://host[:port]/path`; by default the one that the server names',
          }),
        ),
      },
      { ...closed, description: 'OAuth 2.1, with authorization code and PKCE' },
    ),
  },
  closed,
);
export type McpOAuthSettings = Static<typeof PersonCredential>['oauth'];

/** An MCP server that is reached over streamable HTTP. */
const McpHttpSettings = Type.Object(
  {
    transport: Type.Literal('http', { description: 'streamable HTTP' }),
    url: { ...Url, description: 'the MCP endpoint: `https://host[:port]/path`' },
    credential: Type.Optional(Type.Union([SharedCredential, PersonCredential])),
    calls_max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MCP_CALLS.max,
        description: `calls under way per executor; ${String(MCP_CALLS.default)} by default`,
      }),
    ),
    asks: Type.Optional({ ...McpAsks, description: 'what it may ask of the client that calls it; absent: nothing' }),
  },
  closed,
);
export type McpHttpSettings = Static<typeof McpHttpSettings>;

/** How a server knows callers: by a secret of the tenant, by the rights of each person, or not at all. Pure. */
export const sharedCredentialOf = ({ credential }: McpHttpSettings): Static<typeof SharedCredential> | null =>
  credential === undefined || 'oauth' in credential ? null : credential;
export const oauthOf = ({ credential }: McpHttpSettings): McpOAuthSettings | null =>
  credential !== undefined && 'oauth' in credential ? credential.oauth : null;
/** An MCP server, however it is reached. */
const AnyMcpServerSettings = Type.Union([McpHttpSettings, McpStdioSettings]);
export type AnyMcpServerSettings = Static<typeof AnyMcpServerSettings>;

/**
 * The names of the secrets that settings name, each once: every member `secret`, however deep. Total and pure.
 */
export function secretsOfSettings(settings: Readonly<Record<string, unknown>>): readonly string[] {
  const names = Object.entries(settings).flatMap(([member, value]) => {
    if (typeof value === 'object' && value !== null) return secretsOfSettings(value as Record<string, unknown>);
    return member === 'secret' && typeof value === 'string' ? [value] : [];
  });
  return [...new Set(names)];
}

/** The prefix, in a redemption, of the name of a secret that a resource's settings name. No name of a value has it. */
export const RESOURCE_SECRET_PREFIX = 'resource:';
/** What stands for the name of a secret where it is a person's access token. No secret has the name. */
export const PERSON_TOKEN = 'person-token';

/** For kinds that are stored elsewhere under the resource's name. */
const Nothing = Type.Object({}, closed);

/** The schema of a resource's settings, by its kind. */
export const RESOURCE_SETTINGS: Readonly<
  Record<ResourceKind, TObject | typeof CalendarSettings | typeof AnyMcpServerSettings>
> = {
  agent: Nothing,
  audio_device: AudioDeviceSettings,
  calendar: CalendarSettings,
  container: ContainerSettings,
  info_store: InfoStoreSettings,
  mailbox: MailboxSettings,
  mcp_server: AnyMcpServerSettings,
  model: ModelSettings,
  profile: Nothing,
  sandbox: Nothing,
  search_engine: SearchEngineSettings,
  skill: Nothing,
  task: Nothing,
  website: WebsiteSettings,
};

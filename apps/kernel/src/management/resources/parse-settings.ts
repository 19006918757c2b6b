// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  isMcpStdio,
  LIMITS,
  oauthOf,
  parseMessage,
  RESOURCE_SETTINGS,
  sharedCredentialOf,
  type InfoStoreSettings,
  type McpHttpSettings,
  type RegisteredKind,
} from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { isCanonicalHost, parseUrl, TargetError, urlOf } from '@writ/egress';
import { isHeaderForApi } from '@writ/http-tool';
import { definitionOfSettings, InfoStoreError } from '@writ/info-store';
import { Type, type TSchema } from 'typebox';

type Settings = Readonly<Record<string, unknown>>;

/** Kinds whose URL is where an API stands: paths are appended to it. */
const BASE_URL_KINDS: readonly RegisteredKind[] = ['info_store', 'model', 'search_engine'];

/** Validated as a member, so that pointers in faults are those of the request. */
const wholeOf = (schema: TSchema) => Type.Object({ settings: schema });
const SCHEMAS = new Map(
  Object.entries(RESOURCE_SETTINGS).map(([kind, schema]) => [kind, wholeOf(schema as TSchema)] as const),
);

/**
 * The settings of a resource as they are stored: valid for the kind, with each URL and host in its one spelling. The
 * egress gate checks addresses for each request, and secrets are looked up then. So what they name needn't exist yet.
 * @throws Fault `request.malformed` with a pointer to the first problem
 */
export function parseSettings(kind: RegisteredKind, settings: Settings): Settings {
  const schema = SCHEMAS.get(kind);
  if (schema === undefined) throw new Error(`the kind \`${kind}\` has no settings`);
  try {
    parseMessage(schema, { settings });
  } catch (error) {
    // A union says what is wrong with its first branch. Only the branch that the settings chose helps their author.
    parseMessage(chosenBranches(schema, { settings }), { settings });
    throw error;
  }
  if (kind === 'info_store') verifyStore(settings as InfoStoreSettings);
  if (kind === 'mcp_server' && !isMcpStdio(settings)) verifyCredential(settings as McpHttpSettings);
  const canonical = canonicalMembers(kind, settings, '/settings');
  verifyPrivate(canonical, '/settings');
  if (canonicalBytes(canonical).length > LIMITS.resourceSettingsBytes.max)
    throw new Fault(
      'request.malformed',
      `\`/settings\` has at most ${String(LIMITS.resourceSettingsBytes.max)} bytes as canonical JSON`,
      { pointer: '/settings' },
    );
  return canonical;
}

/**
 * INVARIANT (private): a secret that goes to a URL goes there over https alone. Executors refuse the call too; here the
 * person who registers the URL learns it.
 * @throws Fault `request.malformed`
 */
function verifyPrivate(members: Settings, at: string): void {
  const { url, secret } = members;
  if (typeof url === 'string' && secret !== undefined && !url.startsWith('https://'))
    throw new Fault(
      'request.malformed',
      `\`${at}/url\` must begin with \`https://\`: over http the secret would be readable to everybody on the way`,
      { pointer: `${at}/url` },
    );
  for (const [name, member] of Object.entries(members))
    if (typeof member === 'object' && member !== null) verifyPrivate(member as Settings, `${at}/${name}`);
}

/** Headers by which the protocol of MCP works. */
const PROTOCOL_HEADER = /^(?:mcp-.*|last-event-id)$/i;

/**
 * INVARIANT (private): the credential of an MCP server goes to it over https alone, and in a header that nothing else
 * sets.
 * @throws Fault `request.malformed`
 */
function verifyCredential(settings: McpHttpSettings): void {
  if (settings.credential === undefined) return;
  const { url } = settings;
  verifyClient(settings);
  const { header = 'authorization' } = sharedCredentialOf(settings) ?? {};
  if (!url.toLowerCase().startsWith('https://'))
    throw new Fault(
      'request.malformed',
      '`/settings/url` must begin with `https://`: over http the credential would be readable to everybody on the way',
      { pointer: '/settings/url' },
    );
  if (!isHeaderForApi(header, true) || PROTOCOL_HEADER.test(header))
    throw new Fault('request.malformed', `\`/settings/credential/header\`: \`${header}\` is set by Writ or by HTTP`, {
      pointer: '/settings/credential/header',
    });
}

/**
 * INVARIANT (who is told): the secret of a client goes to the authorization server that an administrator named, and
 * never to one that the MCP server names.
 * @throws Fault `request.malformed`
 */
function verifyClient(settings: McpHttpSettings): void {
  const { client_secret, authorization_server: issuer } = oauthOf(settings) ?? {};
  const pointer = '/settings/credential/oauth/authorization_server';
  if (issuer === undefined) {
    if (client_secret === undefined) return;
    throw new Fault('request.malformed', `\`${pointer}\` is required: the secret of the client goes there alone`, {
      pointer,
    });
  }
  const url = URL.parse(issuer);
  if (url?.protocol !== 'https:' || url.search !== '' || url.hash !== '' || url.username !== '')
    throw new Fault('request.malformed', `\`${pointer}\` is an issuer: \`https://host[:port]/path\`, without a query`, {
      pointer,
    });
}

/** Languages and models have a list that the schema doesn't know. @throws Fault `request.malformed` */
function verifyStore(settings: InfoStoreSettings): void {
  const refuse = (pointer: string, message: string, cause?: unknown): never => {
    throw new Fault('request.malformed', `\`${pointer}\`: ${message}`, { pointer, cause });
  };
  if (settings.backend.kind === 'chroma' && settings.embedding === undefined)
    refuse('/settings/embedding', 'is required: a store of Chroma is searched by vectors alone');
  try {
    definitionOfSettings('store', settings);
  } catch (error) {
    if (!(error instanceof InfoStoreError)) throw error;
    refuse(`/settings${error.pointer}`, error.message, error);
  }
}

interface JsonSchema {
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly const?: unknown;
}

/** Members whose constants tell the branches of a union apart. */
const CHOOSERS = ['kind', 'transport'] as const;

/** The schema with each union of objects replaced by the branch that `kind` or `transport` in the value chooses. */
function chosenBranches(schema: JsonSchema, value: unknown): TSchema {
  const members = (typeof value === 'object' && value !== null ? value : {}) as Settings;
  if (schema.anyOf?.every(({ required = [] }) => required.length > 0) === true) {
    // The branches of a credential: each has a member that no other has.
    const named = schema.anyOf.find(({ required = [] }) => required.every((name) => name in members));
    if (named !== undefined && CHOOSERS.every((chooser) => named.properties?.[chooser] === undefined))
      return chosenBranches(named, value);
  }
  for (const chooser of CHOOSERS) {
    const kinds = schema.anyOf?.map((branch) => branch.properties?.[chooser]?.const);
    if (schema.anyOf === undefined || kinds?.every((kind) => typeof kind === 'string') !== true) continue;
    const branch = schema.anyOf[kinds.indexOf(members[chooser] as string)];
    return branch === undefined
      ? Type.Object({ [chooser]: Type.Enum(kinds as string[]) })
      : chosenBranches(branch, value);
  }
  if (schema.properties === undefined) return schema as TSchema;
  const properties = Object.entries(schema.properties).map(([name, one]) => [name, chosenBranches(one, members[name])]);
  return { ...schema, properties: Object.fromEntries(properties) as unknown } as unknown as TSchema;
}

/** The members with URLs and hosts in their canonical form. */
function canonicalMembers(kind: RegisteredKind, members: Settings, at: string): Settings {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      const pointer = `${at}/${name}`;
      if (name === 'url' && typeof value === 'string') return [name, canonicalUrl(kind, value, pointer)];
      if (name === 'host' && typeof value === 'string') return [name, canonicalHost(value, pointer)];
      return [
        name,
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? canonicalMembers(kind, value as Settings, pointer)
          : value,
      ];
    }),
  );
}

/** A URL in its canonical form; the URL of an API without its query and without a slash at its end. */
function canonicalUrl(kind: RegisteredKind, url: string, pointer: string): string {
  try {
    const isBase = BASE_URL_KINDS.includes(kind);
    if (isBase && url.includes('?')) throw new TargetError('the URL of an API has no query');
    const canonical = urlOf(parseUrl(url));
    return isBase ? canonical.replace(/\/+$/, '') : canonical;
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    throw new Fault('request.malformed', `\`${pointer}\`: ${error.message}`, { pointer });
  }
}

function canonicalHost(host: string, pointer: string): string {
  const canonical = host.toLowerCase();
  if (!isCanonicalHost(canonical))
    throw new Fault(
      'request.malformed',
      `\`${pointer}\`: the host is neither a domain name in ASCII nor an IPv4 address of four decimal parts`,
      { pointer },
    );
  return canonical;
}

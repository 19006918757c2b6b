// SPDX-License-Identifier: Apache-2.0
//
// Finds the authorization server of an MCP server (RFC 9728), and reads its metadata (RFC 8414, OpenID Connect
// Discovery). Attacker-controlled: both servers wrote what is read.
import { isAtIssuer, type McpAuthorization, type McpOAuthSettings } from '@writ/contract';
import { discoveryRequest, customFetch, processDiscoveryResponse, type AuthorizationServer } from 'oauth4webapi';
import type { GateFetch } from './gate-fetch.ts';
import { OAuthProblem } from './oauth-problem.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** In a `WWW-Authenticate` header. */
const RESOURCE_METADATA = /\bresource_metadata="([^"\\]{1,1024})"/i;
/** A first message, to be refused: it names where the metadata is. */
const FIRST_MESSAGE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'writ', version: '1' } },
});
const URL_CHARS_MAX = 1_024;

/** What an MCP server says of itself (RFC 9728). */
interface ProtectedResource {
  readonly resource: string;
  readonly servers: readonly string[];
}

/**
 * Who lets persons use the server.
 * @throws OAuthProblem and errors of the library and the gate, see `wordsOf`
 */
export async function findAuthorization(
  fetch: GateFetch,
  url: string,
  { authorization_server: named }: Pick<McpOAuthSettings, 'authorization_server'>,
): Promise<McpAuthorization> {
  const found = await protectedResource(fetch, url);
  const issuer = named ?? found?.servers[0];
  if (issuer === undefined)
    throw new OAuthProblem(
      'the server does not say who its authorization server is: name it in the settings (`authorization_server`)',
    );
  const server = await authorizationServer(fetch, issuer);
  const authorization_endpoint = requireEndpoint(server.authorization_endpoint, 'authorization_endpoint');
  if (named === undefined) requireOwnHost(server, [authorization_endpoint, server.token_endpoint]);
  return {
    issuer: server.issuer,
    authorization_endpoint,
    resource: found?.resource ?? url,
    names_issuer: server.authorization_response_iss_parameter_supported === true,
  };
}

/**
 * The metadata of an authorization server. INVARIANT (who issued it): it is that issuer's own, from where only the
 * issuer can put it. INVARIANT (PKCE): one without S256 isn't used.
 * @throws OAuthProblem and errors of the library and the gate, see `wordsOf`
 */
export async function authorizationServer(fetch: GateFetch, issuer: string): Promise<AuthorizationServer> {
  const url = URL.parse(issuer);
  if (
    url === null ||
    url.protocol !== 'https:' ||
    url.search !== '' ||
    url.hash !== '' ||
    issuer.length > URL_CHARS_MAX
  )
    throw new OAuthProblem('the issuer is no URL that begins with `https://`, without a query');
  const own = { [customFetch]: fetch };
  // The order of MCP: the path of the issuer is inserted, and for OpenID Connect also appended.
  const requests = [
    () => discoveryRequest(url, { algorithm: 'oauth2', ...own }),
    ...(url.pathname === '/' ? [] : [() => fetch(inserted(url, 'openid-configuration'), GET)]),
    () => discoveryRequest(url, { algorithm: 'oidc', ...own }),
  ];
  for (const request of requests) {
    const response = await request();
    if (response.status !== 200) continue;
    const server = await processDiscoveryResponse(url, response);
    if (server.code_challenge_methods_supported?.includes('S256') !== true)
      throw new OAuthProblem('the authorization server does not say that it has PKCE with S256');
    requireEndpoint(server.token_endpoint, 'token_endpoint');
    return server;
  }
  throw new OAuthProblem('there is no metadata of an authorization server where the issuer has it');
}

const GET = { method: 'GET', headers: { accept: 'application/json' }, body: undefined } as const;

/** @throws OAuthProblem */
function requireEndpoint(url: unknown, name: string): string {
  if (typeof url === 'string' && url.length <= URL_CHARS_MAX && URL.parse(url)?.protocol === 'https:') return url;
  throw new OAuthProblem(`the authorization server has no \`${name}\` that begins with \`https://\``);
}

/**
 * INVARIANT (no mix-up): an MCP server may name any authorization server. So one that no administrator named, and that
 * doesn't say in each answer who it is (RFC 9207), sends persons and codes to no other host than its own.
 * @throws OAuthProblem
 */
function requireOwnHost(server: AuthorizationServer, endpoints: readonly (string | undefined)[]): void {
  if (server.authorization_response_iss_parameter_supported === true) return;
  if (endpoints.every((endpoint) => endpoint !== undefined && isAtIssuer(endpoint, server.issuer))) return;
  throw new OAuthProblem(
    'the authorization server has endpoints at another host than its own, and does not name itself in its answers: if it may, name it in the settings (`authorization_server`)',
  );
}

/** Null where the server has none of it. */
async function protectedResource(fetch: GateFetch, url: string): Promise<ProtectedResource | null> {
  const server = new URL(url);
  const hinted = await hintedMetadata(fetch, server);
  const root = `${server.origin}${WELL_KNOWN}`;
  const candidates = [hinted, inserted(server, 'oauth-protected-resource'), root].filter((one) => one !== null);
  for (const candidate of new Set(candidates)) {
    const response = await fetch(candidate, GET);
    if (response.status === 200) return parseResource(await response.json().catch(() => null), server);
  }
  return null;
}

/** Where the server says that its metadata is, if that is the server itself: nobody else speaks for it. */
async function hintedMetadata(fetch: GateFetch, server: URL): Promise<string | null> {
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const response = await fetch(server.href, { method: 'POST', headers, body: FIRST_MESSAGE, challenge: true }).catch(
    () => null,
  );
  if (response?.status !== 401) return null;
  const [, hinted = ''] = RESOURCE_METADATA.exec(response.headers.get('www-authenticate') ?? '') ?? [];
  return URL.parse(hinted)?.origin === server.origin ? hinted : null;
}

const inserted = ({ origin, pathname }: URL, name: string): string =>
  `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`;

/**
 * INVARIANT (for this server alone): what the server calls itself covers its address, so that a token for it is none
 * for another server. @throws OAuthProblem
 */
function parseResource(json: unknown, server: URL): ProtectedResource {
  const { resource, authorization_servers: servers } = (json ?? {}) as {
    readonly resource?: unknown;
    readonly authorization_servers?: unknown;
  };
  const url = typeof resource === 'string' && resource.length <= URL_CHARS_MAX ? URL.parse(resource) : null;
  if (typeof resource !== 'string' || url === null || !covers(url, server))
    throw new OAuthProblem('the server calls itself another resource than it is (`resource` of its metadata)');
  const named = Array.isArray(servers) ? servers.filter((one) => typeof one === 'string') : [];
  return { resource, servers: named };
}

function covers(resource: URL, server: URL): boolean {
  if (resource.origin !== server.origin || resource.hash !== '') return false;
  const path = resource.pathname.replace(/\/$/, '');
  return server.pathname === path || server.pathname.startsWith(`${path}/`);
}

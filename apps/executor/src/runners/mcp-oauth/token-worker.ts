// SPDX-License-Identifier: Apache-2.0
//
// Does the work of one claim at an authorization server: exchanges a code, renews tokens, or revokes them.
import { MCP_CONNECTION_LIMITS, McpPersonTokens, parseMessage, type McpProblem } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import {
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  None,
  processGenericTokenEndpointResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import type { ClaimedTokenWork, TokenReport } from '../../foundation/kernel-client.ts';
import { authorizationServer } from './authorization-server.ts';
import { gateFetch, type FetchParts, type GateFetch } from './gate-fetch.ts';
import { OAuthProblem, oauthErrorOf, wordsOf } from './oauth-problem.ts';

/** Metadata of authorization servers is kept so long, in milliseconds. */
const METADATA_MS = 5 * 60_000;
const SERVERS_MAX = 500;
const SECONDS_MAX = 10 * 365 * 86_400;
const MESSAGE_CHARS_MAX = 1_024;

const PROBLEM_CODES = {
  exchange: 'mcp.consent_failed',
  refresh: 'mcp.token_unavailable',
  revoke: 'mcp.token_unavailable',
} as const satisfies Record<ClaimedTokenWork['work'], McpProblem['code']>;

/** What the requests of one claim have in common. */
interface Session {
  readonly server: AuthorizationServer;
  readonly client: Client;
  readonly auth: ClientAuth;
  readonly options: { readonly [customFetch]: GateFetch };
}

export class TokenWorker {
  readonly #parts: FetchParts;
  readonly #servers: LRUCache<string, AuthorizationServer>;

  /** @param now a monotonic clock, in milliseconds */
  constructor(parts: FetchParts, now: () => number) {
    this.#parts = parts;
    this.#servers = new LRUCache({ max: SERVERS_MAX, ttl: METADATA_MS, ttlResolution: 0, perf: { now } });
  }

  /**
   * What is to be reported. INVARIANT (nothing quoted): no problem has a token.
   * @throws what is no failure of a server
   */
  async run(work: ClaimedTokenWork, stop: AbortSignal): Promise<TokenReport> {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(MCP_CONNECTION_LIMITS.workMs)]);
    try {
      return await this.#done(work, signal);
    } catch (error) {
      if (stop.aborted) throw error;
      this.#servers.delete(work.issuer);
      const message = signal.aborted ? 'the authorization server did not answer in time' : wordsOf(error);
      if (message === null) throw error;
      return failed(work, message, oauthErrorOf(error));
    }
  }

  /** Revokes tokens that nobody keeps, as well as it can be done. It never rejects. */
  async discard(work: ClaimedTokenWork, { tokens }: TokenReport, stop: AbortSignal): Promise<void> {
    if (tokens === null) return;
    const { access_token, refresh_token } = tokens;
    const secrets = { ...work.secrets, access_token, ...(refresh_token === null ? {} : { refresh_token }) };
    await this.run({ ...work, work: 'revoke', secrets }, stop).catch(() => undefined);
  }

  async #done(work: ClaimedTokenWork, signal: AbortSignal): Promise<TokenReport> {
    const session = await this.#session(work, gateFetch(this.#parts, signal));
    if (work.work === 'revoke') {
      await revoke(session, work);
      return { tokens: null, problem: null, final: false };
    }
    const answer = await (work.work === 'exchange' ? exchangeCode(session, work) : refresh(session, work));
    try {
      return { tokens: tokensOf(answer), problem: null, final: false };
    } catch (error) {
      // INVARIANT (kept or revoked): what can't be kept is nobody's.
      const { access_token, refresh_token } = answer;
      const secrets = { access_token, ...(refresh_token === undefined ? {} : { refresh_token }) };
      await revoke(session, { ...work, secrets }).catch(() => undefined);
      throw error;
    }
  }

  async #session({ issuer, client_id, secrets }: ClaimedTokenWork, fetch: GateFetch): Promise<Session> {
    const known = this.#servers.get(issuer);
    const server = known ?? (await authorizationServer(fetch, issuer));
    if (known === undefined) this.#servers.set(issuer, server);
    return {
      server,
      client: { client_id },
      auth: authOf(server, secrets.client_secret),
      options: { [customFetch]: fetch },
    };
  }
}

/** The client authenticates as its authorization server takes it, in a header where it can. @throws OAuthProblem */
function authOf({ token_endpoint_auth_methods_supported: methods }: AuthorizationServer, secret?: string): ClientAuth {
  if (secret === undefined) return None();
  // RFC 8414 §2: the default.
  if (methods === undefined || methods.includes('client_secret_basic')) return ClientSecretBasic(secret);
  if (methods.includes('client_secret_post')) return ClientSecretPost(secret);
  throw new OAuthProblem('the authorization server takes no client that authenticates by a secret');
}

async function exchangeCode(
  { server, client, auth, options }: Session,
  { secrets, redirect_uri, resource }: ClaimedTokenWork,
): Promise<TokenEndpointResponse> {
  const { code = '', verifier = '' } = secrets;
  // The kernel checked state, session and issuer of the answer that the code came with.
  const parameters = { code, code_verifier: verifier, redirect_uri: redirect_uri ?? '', resource };
  const response = await genericTokenEndpointRequest(server, client, auth, 'authorization_code', parameters, options);
  return await processGenericTokenEndpointResponse(server, client, response);
}

async function refresh(
  { server, client, auth, options }: Session,
  { secrets, resource }: ClaimedTokenWork,
): Promise<TokenEndpointResponse> {
  const more = { ...options, additionalParameters: { resource } };
  const response = await refreshTokenGrantRequest(server, client, auth, secrets.refresh_token ?? '', more);
  return await processRefreshTokenResponse(server, client, response);
}

/** The refresh token first: most servers revoke with it what they gave for it. */
async function revoke({ server, client, auth, options }: Session, { secrets }: ClaimedTokenWork): Promise<void> {
  // A server without the endpoint forgets the tokens in their time.
  if (server.revocation_endpoint === undefined) return;
  const tokens = [
    ['refresh_token', secrets.refresh_token],
    ['access_token', secrets.access_token],
  ] as const;
  for (const [token_type_hint, token] of tokens) {
    if (token === undefined) continue;
    const more = { ...options, additionalParameters: { token_type_hint } };
    await processRevocationResponse(await revocationRequest(server, client, auth, token, more));
  }
}

/** @throws OAuthProblem for tokens that can't be used */
function tokensOf({
  access_token,
  token_type,
  refresh_token,
  expires_in,
  scope,
}: TokenEndpointResponse): McpPersonTokens {
  if (token_type !== 'bearer') throw new OAuthProblem('the authorization server gives no bearer tokens');
  const tokens = {
    access_token,
    refresh_token: refresh_token ?? null,
    expires_in: expires_in === undefined ? null : Math.min(Math.floor(expires_in), SECONDS_MAX),
    scopes: scope === undefined ? null : scope.split(' ').filter((one) => one !== ''),
  };
  try {
    return parseMessage(McpPersonTokens, tokens);
  } catch {
    // The error could quote a token.
    throw new OAuthProblem(
      'the authorization server gives tokens that no header can hold or that are too long, or scopes that are none',
    );
  }
}

/** @param error that the authorization server answered with */
function failed({ work }: ClaimedTokenWork, message: string, error: string | null): TokenReport {
  // A code is worth nothing after any error, and a refresh token after this one.
  const final = work === 'exchange' ? error !== null : work === 'refresh' && error === 'invalid_grant';
  const code = work === 'refresh' && final ? 'mcp.consent_required' : PROBLEM_CODES[work];
  const problem: McpProblem = { code, message: message.slice(0, MESSAGE_CHARS_MAX).toWellFormed() };
  return { tokens: null, problem, final };
}

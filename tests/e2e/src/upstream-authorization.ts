// SPDX-License-Identifier: Apache-2.0
// The authorization server of an MCP server: a real `oidc-provider` that plays `https://login.outside.example`. It
// gives opaque tokens for that server, renews them with rotation, and revokes them.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type ProviderContext } from 'oidc-provider';
import { PERSON_HEADER, REDIRECT_URI } from './authorization-server.ts';

export const UPSTREAM_ISSUER = 'https://login.outside.example';
export const UPSTREAM_CLIENT_ID = 'writ-app';
export const UPSTREAM_SCOPE = 'issues';
/** A person who says no. */
export const REFUSES = 'refuses';

/** A request to the token endpoint or that of revocations. */
export interface TokenRequest {
  readonly path: string;
  readonly form: URLSearchParams;
}

/** The authorization server, with what tests change and see of it. */
export class UpstreamAuthorization {
  /** seconds; of access tokens that it gives from now on */
  accessTokenSeconds = 600;
  /** the requests to its token endpoint and that of revocations */
  requests: TokenRequest[] = [];
  /** answers a request in place of the server, if it returns true */
  instead: ((request: TokenRequest, response: ServerResponse) => boolean) | null = null;
  readonly #server: Server;
  readonly #provider: Provider;
  readonly #resource: string;
  /** where it sends people back to: those that are registered for the client, exactly */
  readonly redirectUris = new Set<string>();

  private constructor(server: Server, resource: string) {
    this.#server = server;
    this.#resource = resource;
    this.#provider = this.#newProvider();
    server.on('request', (request, response) => void this.answer(request, response));
  }

  /** @param resource the identifier of the MCP server */
  static async open(resource: string): Promise<UpstreamAuthorization> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new UpstreamAuthorization(server, resource);
  }

  /** Where browsers find it. */
  get place(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** The person whose access token it is; null for one that is not good (any more). */
  async personOf(token: string): Promise<string | null> {
    const found = await this.#provider.AccessToken.find(token);
    return found?.accountId ?? null;
  }

  /** Revokes all that it gave for a person. */
  async revokeAll(person: string): Promise<void> {
    for (const grant of this.#grants.get(person) ?? []) {
      await this.#provider.RefreshToken.revokeByGrantId(grant);
      await this.#provider.AccessToken.revokeByGrantId(grant);
    }
  }

  readonly #grants = new Map<string, string[]>();

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path.startsWith('/sign-in/')) return await this.#signIn(request, response);
    if (path !== '/token' && path !== '/token/revocation') return await this.#provider.callback()(request, response);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    const seen = { path, form: new URLSearchParams(bytes.toString()) };
    this.requests.push(seen);
    if (this.instead?.(seen, response) === true) return;
    // The provider takes a body that was read before.
    (request as { body?: unknown }).body = Object.fromEntries(seen.form);
    await this.#provider.callback()(request, response);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#provider.interactionDetails(request, response);
    const person = request.headers[PERSON_HEADER];
    const result = person === REFUSES ? { error: 'access_denied' } : { login: { accountId: person }, consent: {} };
    await this.#provider.interactionFinished(request, response, result);
  }

  #newProvider(): Provider {
    const info = { scope: UPSTREAM_SCOPE, audience: this.#resource, accessTokenFormat: 'opaque' };
    const provider = new Provider(UPSTREAM_ISSUER, {
      scopes: ['openid', 'offline_access'],
      clients: [
        {
          client_id: UPSTREAM_CLIENT_ID,
          token_endpoint_auth_method: 'none',
          application_type: 'native',
          grant_types: ['authorization_code', 'refresh_token'],
          redirect_uris: [REDIRECT_URI],
        },
      ],
      ttl: {
        AccessToken: () => this.accessTokenSeconds,
        AuthorizationCode: 60,
        Grant: 3_600,
        Interaction: 600,
        RefreshToken: 3_600,
        Session: 600,
        IdToken: 600,
      },
      cookies: { keys: ['a key of a test'] },
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      features: {
        devInteractions: { enabled: false },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => this.#resource,
          getResourceServerInfo: () => ({ ...info, accessTokenTTL: this.accessTokenSeconds }),
          useGrantedResource: () => true,
        },
      },
      interactions: { url: (_context: ProviderContext, { uid }: { uid: string }) => `/sign-in/${uid}` },
      findAccount: (_context: ProviderContext, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
      loadExistingGrant: async ({ oidc: { client, session } }: ProviderContext) => {
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid offline_access');
        grant.addResourceScope(this.#resource, UPSTREAM_SCOPE);
        const id = await grant.save();
        this.#grants.set(session.accountId, [...(this.#grants.get(session.accountId) ?? []), id]);
        return grant;
      },
    });
    provider.Client.prototype.redirectUriAllowed = (uri) => this.redirectUris.has(uri);
    // The tests reach it through servers that play the internet.
    provider.proxy = true;
    return provider;
  }
}

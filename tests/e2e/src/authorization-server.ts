// SPDX-License-Identifier: Apache-2.0
// A real OAuth 2.1 authorization server on loopback: `oidc-provider`, with sign-in that needs no person. It issues
// access tokens by RFC 9068 for one resource, by code and PKCE, and for identity assertions (ID-JAG).
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT, type CryptoKey, type JWK } from 'jose';
import { Provider, type ProviderContext } from 'oidc-provider';

/** The grant by which an assertion becomes an access token: RFC 7523. */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const CLIENT_ID = 'agent-app';
/** The client by which people sign in at Writ in a browser. */
export const SIGN_IN_CLIENT_ID = 'writ-sign-in';
/** The header by which the browser of a test says who sits at it. */
export const PERSON_HEADER = 'x-person';
/** Nothing listens there: the client reads the code from the redirection. */
export const REDIRECT_URI = 'http://127.0.0.1:9/back';
/** Longer than any test, in seconds. */
const TTL_S = 600;
const SCOPES = ['writ:agent', 'writ:auditor', 'writ:operator', 'writ:admin'];

interface KeyPair {
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

/** One more key pair, as the provider keeps it. */
async function newKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' };
}

/** The authorization server of a company, and the identity provider that it trusts for assertions. */
export class AuthorizationServer {
  readonly issuer: string;
  /** `host:port` */
  readonly place: string;
  /** where it sends people back to, besides the client of the tests: those that are registered, exactly */
  readonly redirectUris = new Set([REDIRECT_URI]);
  /** the scopes of people who get no others, by their names; of all others: whatever a client asks for */
  readonly scopesOf = new Map<string, string>();
  /** the claim `groups` of people's access tokens, by their names; of all others: none */
  readonly groupsOf = new Map<string, unknown>();
  readonly #server: Server;
  readonly #resource: string;
  readonly #enterprise: KeyPair;
  #keys: JWK[] = [];
  #provider!: Provider;

  private constructor(server: Server, resource: string, enterprise: KeyPair) {
    this.#server = server;
    this.#resource = resource;
    this.#enterprise = enterprise;
    this.place = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    this.issuer = `http://${this.place}`;
  }

  /** @param resource the identifier that its tokens are for */
  static async open(resource: string): Promise<AuthorizationServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const made = new AuthorizationServer(server, resource, await generateKeyPair('ES256'));
    await made.rotate();
    server.on('request', (request, response) => void made.#answer(request, response));
    return made;
  }

  /** Signs with a new key from now on. The old ones stay listed. */
  async rotate(): Promise<void> {
    this.#keys = [await newKey(`k${String(this.#keys.length + 1)}`), ...this.#keys];
    this.#provider = this.#providerWith(this.#keys);
  }

  /** An identity assertion of the company's identity provider for this server: what an ID-JAG is. */
  async assertionFor(subject: string): Promise<string> {
    return await new SignJWT({ client_id: CLIENT_ID, resource: this.#resource, scope: 'writ:operator' })
      .setProtectedHeader({ alg: 'ES256', typ: 'oauth-id-jag+jwt', kid: 'enterprise' })
      .setIssuer('https://idp.example.com')
      .setAudience(this.issuer)
      .setSubject(subject)
      .setJti(crypto.randomUUID())
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(this.#enterprise.privateKey);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/sign-in/') !== true) return await this.#provider.callback()(request, response);
    const { params } = await this.#provider.interactionDetails(request, response);
    const accountId = params['login_hint'] ?? request.headers[PERSON_HEADER];
    const result = { login: { accountId }, consent: {} };
    await this.#provider.interactionFinished(request, response, result);
  }

  #providerWith(keys: readonly JWK[]): Provider {
    const info = {
      scope: SCOPES.join(' '),
      audience: this.#resource,
      accessTokenFormat: 'jwt',
      accessTokenTTL: TTL_S,
      jwt: { sign: { alg: 'ES256' } },
    };
    const provider = new Provider(this.issuer, {
      jwks: { keys },
      scopes: ['openid'],
      clients: [
        {
          client_id: CLIENT_ID,
          token_endpoint_auth_method: 'none',
          application_type: 'native',
          grant_types: ['authorization_code', JWT_BEARER],
          redirect_uris: [REDIRECT_URI],
          id_token_signed_response_alg: 'ES256',
        },
        {
          client_id: SIGN_IN_CLIENT_ID,
          token_endpoint_auth_method: 'none',
          application_type: 'native',
          grant_types: ['authorization_code'],
          redirect_uris: [REDIRECT_URI],
          id_token_signed_response_alg: 'ES256',
        },
      ],
      ttl: { Interaction: TTL_S, Grant: TTL_S, Session: TTL_S, IdToken: TTL_S, AuthorizationCode: TTL_S },
      cookies: { keys: ['a key of a test'] },
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context: ProviderContext, resource: string) => ({ ...info, audience: resource }),
          useGrantedResource: () => true,
        },
      },
      interactions: { url: (_context: ProviderContext, { uid }: { uid: string }) => `/sign-in/${uid}` },
      findAccount: (_context: ProviderContext, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
      extraTokenClaims: (_context: ProviderContext, { accountId }: { accountId: string }) => ({
        email: `${accountId}@example.org`,
        email_verified: true,
        groups: this.groupsOf.get(accountId),
      }),
      // A person who signs in consents to whatever the client asks for.
      loadExistingGrant: async ({ oidc: { client, session, params } }: ProviderContext) => {
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope('openid');
        const { resource, scope = '' } = params;
        const given = this.scopesOf.get(session.accountId) ?? scope;
        const refused = SCOPES.filter((each) => !given.split(' ').includes(each) && scope.split(' ').includes(each));
        if (resource !== undefined) grant.addResourceScope(resource, given);
        if (resource !== undefined && refused.length > 0) grant.rejectResourceScope(resource, refused.join(' '));
        await grant.save();
        return grant;
      },
    });
    provider.Client.prototype.redirectUriAllowed = (uri) => this.redirectUris.has(uri);
    provider.registerGrantType(JWT_BEARER, (context) => this.#exchange(provider, context, info), [
      'assertion',
      'scope',
    ]);
    return provider;
  }

  /** Verifies an ID-JAG and issues an access token for the resource and the scope that it names. */
  async #exchange(provider: Provider, context: ProviderContext, info: object): Promise<void> {
    const { client, params } = context.oidc;
    const { payload } = await jwtVerify(params['assertion'] ?? '', this.#enterprise.publicKey, {
      typ: 'oauth-id-jag+jwt',
      issuer: 'https://idp.example.com',
      audience: this.issuer,
    });
    const { sub: accountId, scope } = payload as { sub: string; scope: string };
    const grant = new provider.Grant({ clientId: client.clientId, accountId });
    grant.addResourceScope(this.#resource, scope);
    const grantId = await grant.save();
    const token = new provider.AccessToken({ accountId, client, grantId, gty: 'jwt_bearer', scope });
    token.resourceServer = new provider.ResourceServer(this.#resource, info);
    context.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: TTL_S, scope };
  }
}

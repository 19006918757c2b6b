// SPDX-License-Identifier: Apache-2.0
// An OAuth client that knows the URL of the API and nothing else: it reads the challenge and the metadata (RFC 9728),
// finds the issuer (RFC 8414), and signs a person in by code and PKCE for that resource (RFC 8707).
import * as client from 'openid-client';
import { CLIENT_ID, JWT_BEARER, REDIRECT_URI } from './authorization-server.ts';

/** What a `WWW-Authenticate` header asks for. */
export interface Challenge {
  readonly error: string | undefined;
  readonly scope: string | undefined;
  readonly metadata: string | undefined;
}

/** The parts of a challenge; absent ones are undefined. */
export function challengeOf(headers: Headers): Challenge {
  const text = headers.get('www-authenticate') ?? '';
  const part = (name: string): string | undefined => new RegExp(`${name}="([^"]*)"`).exec(text)?.[1];
  return { error: part('error'), scope: part('scope'), metadata: part('resource_metadata') };
}

/** A client that has found the issuer of a resource. */
export class OauthClient {
  readonly resource: string;
  readonly #configuration: client.Configuration;

  private constructor(resource: string, configuration: client.Configuration) {
    this.resource = resource;
    this.#configuration = configuration;
  }

  /** Finds the resource and its issuer from the refusal of a request without a token. */
  static async discover({ metadata = '' }: Challenge): Promise<OauthClient> {
    const { resource, authorization_servers } = (await (await fetch(metadata)).json()) as {
      resource: string;
      authorization_servers: string[];
    };
    const [issuer = ''] = authorization_servers;
    const configuration = await client.discovery(new URL(issuer), CLIENT_ID, undefined, client.None(), {
      // The issuer of the test is on loopback, by plain HTTP.
      execute: [client.allowInsecureRequests],
    });
    return new OauthClient(resource, configuration);
  }

  /** Signs the person in, and returns an access token for the resource. */
  async signIn(subject: string, scope: string, resource = this.resource): Promise<string> {
    return (await this.tokensOf(subject, scope, resource)).access_token;
  }

  /** All tokens of one sign-in. */
  async tokensOf(subject: string, scope: string, resource = this.resource): Promise<client.TokenEndpointResponse> {
    const [verifier, state] = [client.randomPKCECodeVerifier(), client.randomState()];
    const start = client.buildAuthorizationUrl(this.#configuration, {
      redirect_uri: REDIRECT_URI,
      scope: `openid ${scope}`,
      resource,
      state,
      login_hint: subject,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return await client.authorizationCodeGrant(
      this.#configuration,
      await redirectionFrom(start),
      { pkceCodeVerifier: verifier, expectedState: state },
      { resource },
    );
  }

  /** Exchanges an identity assertion (ID-JAG) for an access token. */
  async exchange(assertion: string): Promise<string> {
    return (await client.genericGrantRequest(this.#configuration, JWT_BEARER, { assertion })).access_token;
  }
}

/** Redirections of one sign-in: there are three. */
const HOPS_MAX = 10;

/** Follows redirections with their cookies, as a browser does, up to the one that leads back to the client. */
async function redirectionFrom(start: URL): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hops = 0; !url.href.startsWith(REDIRECT_URI); hops += 1) {
    if (hops === HOPS_MAX) throw new Error(`the sign-in goes in circles, at ${url.href}`);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`no redirection from ${url.pathname}: ${await answer.text()}`);
    url = new URL(location, url);
  }
  return url;
}

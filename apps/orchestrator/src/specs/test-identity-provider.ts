// SPDX-License-Identifier: Apache-2.0
// An identity provider on loopback that signs in whomever a test says, and answers as a test says.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testIssuer, type TokenChanges } from './test-issuer.ts';

interface Begun {
  readonly nonce: string;
  readonly challenge: string;
  readonly client: string;
  readonly redirect: string;
  readonly resource: string | null;
  readonly scope: string;
  /** seconds; of clients that asked for it alone */
  readonly auth_time: number | undefined;
}

/** What an identity provider does otherwise than it should. */
export interface ProviderChanges {
  /** of the answer that comes through the browser; a value of undefined removes the parameter */
  readonly answer?: Readonly<Record<string, string | undefined>>;
  readonly idToken?: TokenChanges;
  readonly accessToken?: TokenChanges;
  /** signs with a key that the provider doesn't list */
  readonly isForged?: boolean;
}

export async function testIdentityProvider(client = 'writ') {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const issuer = await testIssuer(`http://${place}`);
  const stranger = await issuer.newKey('k1');
  issuer.documents.set(
    `${issuer.issuer}/.well-known/oauth-authorization-server`,
    JSON.stringify({
      issuer: issuer.issuer,
      jwks_uri: `${issuer.issuer}/jwks`,
      authorization_endpoint: `${issuer.issuer}/authorize`,
      token_endpoint: `${issuer.issuer}/token`,
      authorization_response_iss_parameter_supported: true,
    }),
  );
  const begun = new Map<string, Begun>();
  const state = {
    /** the person at the browser */
    person: 'ann-1',
    /** when the person was asked, in milliseconds since the epoch */
    askedAt: Date.now(),
    claims: {} as Readonly<Record<string, unknown>>,
    changes: {} as ProviderChanges,
    /** the parameters of the last authorization request */
    asked: new URLSearchParams(),
    /** the codes that were exchanged */
    exchanged: [] as string[],
    /** the codes that came, good or not */
    presented: [] as string[],
  };

  const idTokenOf = async ({ nonce, auth_time }: Begun): Promise<string> => {
    const { idToken = {}, isForged = false } = state.changes;
    const none = { jti: undefined, client_id: undefined, scope: undefined };
    const claims = { aud: client, sub: state.person, nonce, auth_time, ...none };
    return await issuer.token(
      Date.now(),
      { header: { typ: 'JWT', ...idToken.header }, claims: { ...claims, ...state.claims, ...idToken.claims } },
      isForged ? stranger : issuer.first,
    );
  };
  /** By RFC 9068 where the client named a resource, with the scopes that it asked for. */
  const accessTokenOf = async ({ resource, scope }: Begun): Promise<string> => {
    if (resource === null) return 'unused';
    const { accessToken = {} } = state.changes;
    const claims = { aud: resource, sub: state.person, client_id: client, scope, ...accessToken.claims };
    return await issuer.token(Date.now(), { header: { ...accessToken.header }, claims });
  };
  /** The person is asked again where it was longer ago than the client allows. */
  const authTimeFor = (maxAge: string | null): number | undefined => {
    if (maxAge === null) return undefined;
    if (Date.now() - state.askedAt > Number(maxAge) * 1_000) state.askedAt = Date.now();
    return Math.floor(state.askedAt / 1_000);
  };
  const authorize = (url: URL, response: ServerResponse): void => {
    state.asked = url.searchParams;
    const given = (name: string): string => url.searchParams.get(name) ?? '';
    const code = randomUUID();
    const redirect = given('redirect_uri');
    begun.set(code, {
      nonce: given('nonce'),
      challenge: given('code_challenge'),
      client: given('client_id'),
      redirect,
      resource: url.searchParams.get('resource'),
      scope: given('scope'),
      auth_time: authTimeFor(url.searchParams.get('max_age')),
    });
    const back = new URL(redirect);
    const answer = { code, state: given('state'), iss: issuer.issuer, ...state.changes.answer };
    for (const [name, value] of Object.entries(answer)) if (value !== undefined) back.searchParams.set(name, value);
    response.writeHead(302, { location: back.href }).end();
  };
  const token = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const form = new URLSearchParams(Buffer.concat(parts).toString());
    state.presented.push(form.get('code') ?? '');
    const found = begun.get(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood =
      found?.challenge === challenge &&
      found.redirect === form.get('redirect_uri') &&
      found.client === form.get('client_id');
    response.setHeader('content-type', 'application/json');
    if (!isGood) return void response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant' }));
    begun.delete(form.get('code') ?? '');
    state.exchanged.push(form.get('code') ?? '');
    const [access_token, id_token] = [await accessTokenOf(found), await idTokenOf(found)];
    const tokens = { access_token, token_type: 'Bearer', expires_in: 60, id_token };
    response.end(JSON.stringify(tokens));
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', issuer.issuer);
    if (url.pathname === '/authorize') return authorize(url, response);
    if (url.pathname === '/token') return void token(request, response);
    issuer
      .fetchDocument(`${issuer.issuer}${request.url ?? ''}`)
      .then((text) => response.setHeader('content-type', 'application/json').end(text))
      .catch(() => response.writeHead(404).end());
  });
  return {
    place,
    issuer,
    state,
    reset: (): void => {
      state.person = 'ann-1';
      state.askedAt = Date.now();
      state.claims = {};
      state.changes = {};
      state.exchanged = [];
      state.presented = [];
    },
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
}
export type TestIdentityProvider = Awaited<ReturnType<typeof testIdentityProvider>>;

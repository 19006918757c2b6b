// SPDX-License-Identifier: Apache-2.0
// Sign-in of people in a browser, at an identity provider of their tenant: OpenID Connect with code and PKCE.
//
// INVARIANT (own attempt): an answer of the provider is good only in the browser that was sent there, and only for the
// attempt that it holds (state, nonce, PKCE), so that nobody signs another person in as themselves.
// INVARIANT (one issuer): the answer's `iss` (RFC 9207), where it has one or its metadata promise one, and the ID token
// are of the provider of the attempt.
// INVARIANT (a redirect URI of its own): an answer that came to the URI of another registration than the attempt's is
// refused before anything is sent, so that no provider gets the code of another one.
import { Fault, type Id, type TenantId } from '@writ/contract';
import { decodeJwt, decodeProtectedHeader, jwtVerify, type JWTPayload } from 'jose';
import * as oauth from 'oauth4webapi';
import type { Identities, ProviderInForce, ProviderRow } from '../../../store/identities/identities.ts';
import type { GatedFetch } from '../../outbound/gated-fetch.ts';
import { ALGORITHMS } from '../oauth/access-token.ts';
import type { MemberLinks } from '../identity/member-links.ts';
import type { IssuerKeys } from '../oauth/issuer-keys.ts';
import type { IdentityHashes } from '../oauth/person-links.ts';
import type { Attempt, Attempts } from './attempts.ts';
import { sinceAuthentication } from './auth-time.ts';
import type { Exchanges } from './exchanges.ts';
import type { IssuerEndpoints } from './issuer-endpoints.ts';
import { sessionDoneUri, signedInUri } from './redirect-uris.ts';
import { shownNameOf } from './shown-name.ts';
import { rightsOf, type Rights } from './sign-in-rights.ts';
import { SignInRefused } from './sign-in-refused.ts';
import { verifiedAddressOf } from './verified-address.ts';

export { SignInRefused };

const CLOCK_TOLERANCE_S = 5;
/** OpenID Connect allows 255 characters of `sub`. */
const SUBJECT_CHARS_MAX = 255;

/** The way to the identity provider. */
export interface SignInStart {
  readonly location: string;
  /** for the cookie of the attempt */
  readonly attempt: string;
}

/** A person who has signed in. */
export interface SignedIn {
  readonly tenantId: TenantId;
  readonly providerId: Id<'identityProvider'>;
  readonly subjectHash: Buffer;
  /** how the person is called on pages; the issuer chose it */
  readonly shown: string;
  readonly issuer: string;
  /** milliseconds since the person proved to the issuer who they are; null: it doesn't say */
  readonly authenticatedMs: number | null;
  /** the path that the person came from */
  readonly returnTo: string;
  /** who may call the API, and as what; null for a consent, which needs neither */
  readonly rights: Rights | null;
  /** what the sign-in accepts; absent: nothing */
  readonly invited?: Invited;
}

/** An invitation that a person brings. */
export interface Invited {
  readonly code: string;
  /** the address that the issuer has verified; null: none */
  readonly address: string | null;
}

/** A sign-in that begins. */
export interface SignInRequest {
  readonly returnTo: string;
  /** whether the provider is to ask who it is, though it may know the person */
  readonly asAnother: boolean;
  readonly purpose: SignInPurpose;
  /** how many seconds ago the person may have proved to the provider who they are; any number by default */
  readonly maxAgeS?: number;
  /** the code of an invitation that the person accepts by it */
  readonly invitation?: string;
}

/** What a sign-in is for: to consent on a page, or to call the API. */
export type SignInPurpose = 'consent' | 'session';

export interface SignInParts {
  readonly identities: Pick<Identities, 'list' | 'isDenied' | 'providersOf'>;
  readonly endpoints: IssuerEndpoints;
  readonly issuerKeys: IssuerKeys;
  readonly members: Pick<MemberLinks, 'activeOf'>;
  readonly hashes: IdentityHashes;
  readonly attempts: Attempts;
  readonly exchanges: Exchanges;
  readonly fetch: GatedFetch;
  /** the public URL, without a slash at its end */
  readonly url: string;
  /** milliseconds since the epoch */
  readonly now: () => number;
}

/** An answer of an identity provider, as a browser brought it. All of it is attacker-controlled. */
export interface SignInAnswer {
  /** the registration whose redirect URI it came to */
  readonly providerId: string;
  readonly parameters: URLSearchParams;
  /** the attempt that the browser holds, if it holds one */
  readonly sealed: string | undefined;
  /** what sign-ins that end at the URI are for */
  readonly purpose: SignInPurpose;
}

/** What the token endpoint of an issuer gave: the claims of the verified ID token, and an access token. */
interface Tokens {
  readonly claims: JWTPayload;
  readonly accessToken: string;
}

/** Sends people to identity providers, and verifies who comes back. */
export class SignIn {
  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /** Providers of the tenant that people can sign in at. */
  async providersOf(tenantId: TenantId): Promise<readonly ProviderRow[]> {
    return (await this.#parts.identities.list(tenantId)).filter(({ sign_in }) => sign_in !== null);
  }

  /** @throws Fault `auth.issuer_unavailable` */
  async begin(
    tenantId: TenantId,
    provider: ProviderRow,
    { returnTo, asAnother, purpose, maxAgeS, invitation }: SignInRequest,
  ): Promise<SignInStart> {
    const { endpoints, attempts, url } = this.#parts;
    const { provider_id } = provider;
    const server = await endpoints.of(provider.issuer);
    const [state, nonce, verifier] = [
      oauth.generateRandomState(),
      oauth.generateRandomNonce(),
      oauth.generateRandomCodeVerifier(),
    ];
    const location = new URL(server.authorization_endpoint);
    for (const [name, value] of Object.entries({
      response_type: 'code',
      client_id: clientOf(provider).client_id,
      redirect_uri: redirectUri(purpose, url, provider_id),
      ...askedOf(purpose, provider, invitation !== undefined),
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(asAnother ? { prompt: 'login' } : {}),
      ...(maxAgeS === undefined ? {} : { max_age: String(maxAgeS) }),
    }))
      location.searchParams.set(name, value);
    const own = purpose === 'session' ? { purpose } : {};
    const age = maxAgeS === undefined ? {} : { max_age_s: maxAgeS };
    const accepted = invitation === undefined ? {} : { invitation };
    const more = { ...own, ...age, ...accepted };
    const sealed = { tenant_id: tenantId, provider_id, state, nonce, verifier, return_to: returnTo, ...more };
    return { location: location.href, attempt: await attempts.seal(sealed) };
  }

  /**
   * The attempt that the answer ends. Nothing is looked up or sent for it.
   * @throws SignInRefused
   */
  async attemptOf({ providerId, parameters, sealed, purpose }: SignInAnswer): Promise<Attempt> {
    const attempt = sealed === undefined ? null : await this.#parts.attempts.open(sealed);
    if (attempt === null)
      throw new SignInRefused('This browser did not begin the sign-in, or it took too long.', 'attempt');
    if (attempt.provider_id !== providerId || purposeOf(attempt) !== purpose)
      throw new SignInRefused('The answer is for another identity provider than you were sent to.', 'redirect_uri');
    const states = parameters.getAll('state');
    if (states.length !== 1 || states[0] !== attempt.state)
      throw new SignInRefused('The answer is of another sign-in.', 'state');
    return attempt;
  }

  /**
   * Whose answer it is. @param parameters of the answer that `attemptOf` took the attempt for
   * @throws SignInRefused, Fault `auth.issuer_unavailable`
   */
  async finish(attempt: Attempt, parameters: URLSearchParams): Promise<SignedIn> {
    const { identities, hashes, exchanges } = this.#parts;
    const tenantId = attempt.tenant_id as TenantId;
    const provider = (await identities.list(tenantId)).find(({ provider_id }) => provider_id === attempt.provider_id);
    if (provider === undefined || provider.sign_in === null)
      throw new SignInRefused('Your organisation does not use this identity provider any more.', 'provider');
    // Under another key, no denial would be found.
    const inForce = (await identities.providersOf(provider.issuer)).find(
      ({ provider_id }) => provider_id === provider.provider_id,
    );
    if (inForce?.hash_key_id !== hashes.keyId)
      throw new SignInRefused(
        'An administrator must register the identity provider of your organisation again.',
        'hash_key',
      );
    const { provider_id: providerId, issuer } = provider;
    const tokens = await exchanges.once(issuer, attempt.state, () => this.#tokensOf(provider, parameters, attempt));
    if (tokens === null) throw new SignInRefused('This sign-in has ended already.', 'used');
    const { claims } = tokens;
    const subjectHash = await this.#subjectOf(tenantId, provider, claims);
    const isInvited = attempt.invitation !== undefined;
    const rights = purposeOf(attempt) === 'session' ? await this.#rightsOf(inForce, provider, tokens, isInvited) : null;
    const authenticatedMs = sinceAuthentication(claims, attempt.max_age_s, this.#parts.now());
    const shown = shownNameOf(claims);
    const returnTo = attempt.return_to;
    const person = { tenantId, providerId, issuer, subjectHash, authenticatedMs, shown, returnTo, rights };
    return attempt.invitation === undefined ? person : { ...person, invited: invitedBy(attempt.invitation, tokens) };
  }

  async #rightsOf(
    inForce: ProviderInForce,
    provider: ProviderRow,
    { claims, accessToken }: Tokens,
    isInvited: boolean,
  ): Promise<Rights> {
    const { identities, hashes, issuerKeys, members, now } = this.#parts;
    const clientId = clientOf(provider).client_id;
    const expected = { issuer: provider.issuer, subject: String(claims.sub), clientId, isInvited };
    return await rightsOf(accessToken, inForce, expected, { identities, hashes, issuerKeys, members, now });
  }

  /** Exchanges the code, and verifies the ID token, its signature included. */
  async #tokensOf(provider: ProviderRow, parameters: URLSearchParams, attempt: Attempt): Promise<Tokens> {
    const { endpoints, url, fetch } = this.#parts;
    const { state, nonce, verifier } = attempt;
    const [server, client] = [await endpoints.of(provider.issuer), clientOf(provider)];
    try {
      const answer = oauth.validateAuthResponse(server, client, parameters, state);
      const options = {
        [oauth.customFetch]: fetch as never,
        // The endpoints were checked: plain HTTP is for hosts that the operator allows.
        [oauth.allowInsecureRequests]: true,
      };
      const none = oauth.None();
      const sent = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        none,
        answer,
        redirectUri(purposeOf(attempt), url, provider.provider_id),
        verifier,
        options,
      );
      const { id_token = '', access_token: accessToken } = await oauth.processAuthorizationCodeResponse(
        server,
        client,
        sent,
        { expectedNonce: nonce, requireIdToken: true },
      );
      return { claims: await this.#verify(id_token, provider.issuer, client.client_id), accessToken };
    } catch (cause) {
      if (cause instanceof Fault) throw cause;
      throw new SignInRefused(reasonOf(cause), checkOf(cause), { cause });
    }
  }

  /** The library has checked the nonce. The signature is checked too, though the token came by TLS. */
  async #verify(idToken: string, issuer: string, audience: string): Promise<JWTPayload> {
    const { kid } = decodeProtectedHeader(idToken);
    if (typeof kid !== 'string' || kid === '') throw new Error('the ID token names no key');
    const keys = await this.#parts.issuerKeys.keysOf(issuer, kid);
    const { payload } = await jwtVerify(idToken, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(this.#parts.now()),
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
    });
    return payload;
  }

  async #subjectOf(tenantId: TenantId, provider: ProviderRow, claims: JWTPayload): Promise<Buffer> {
    const { hashes, identities } = this.#parts;
    const { sub } = claims;
    if (typeof sub !== 'string' || sub === '' || sub.length > SUBJECT_CHARS_MAX)
      throw new SignInRefused('The identity provider does not say who you are.', 'sub');
    const { tenant_claim, tenant_value, issuer } = provider;
    // An issuer of several tenants: its people are not all of this one.
    if (tenant_claim !== null && claims[tenant_claim] !== tenant_value)
      throw new SignInRefused('You do not belong to the organisation that this page is for.', 'tenant_claim');
    const subject_hash = hashes.of('subject', tenantId, issuer, sub);
    // No ID token is a denied access token: the hash of no `jti` stands for none.
    const jti_hash = hashes.of('jti', tenantId, issuer, '');
    if (await identities.isDenied(tenantId, { subject_hash, jti_hash }))
      throw new SignInRefused('Your organisation does not let you in.', 'denied');
    return subject_hash;
  }
}

const purposeOf = ({ purpose }: Attempt): SignInPurpose => purpose ?? 'consent';

const redirectUri = (purpose: SignInPurpose, url: string, providerId: Id<'identityProvider'>): string =>
  purpose === 'session' ? sessionDoneUri(url, providerId) : signedInUri(url, providerId);

/** For a session the issuer is asked what the person may do here: an access token for this deployment says it. */
function askedOf(
  purpose: SignInPurpose,
  { scopes, audience }: ProviderRow,
  isInvited: boolean,
): Readonly<Record<string, string>> {
  if (purpose === 'consent') return { scope: 'openid' };
  // The address tells whether the invitation is for the person.
  const asked = ['openid', ...(isInvited ? ['email'] : []), ...scopes.map(({ scope }) => scope)];
  return { scope: [...new Set(asked)].join(' '), resource: audience };
}

/**
 * Both tokens were verified, and are of one subject. Issuers say the address in either. Where the ID token has one, its
 * word counts, so that the other token verifies no address that this one leaves unverified.
 */
function invitedBy(code: string, { claims, accessToken }: Tokens): Invited {
  return { code, address: verifiedAddressOf(claims['email'] === undefined ? decodeJwt(accessToken) : claims) };
}

const clientOf = ({ sign_in }: ProviderRow): { client_id: string; token_endpoint_auth_method: 'none' } => ({
  client_id: sign_in?.client_id ?? '',
  token_endpoint_auth_method: 'none',
});

/** Never the provider's own words, which come through the browser, where anybody can change them. */
function reasonOf(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError)
    return 'The identity provider did not sign you in, or you cancelled it.';
  if (error instanceof oauth.ResponseBodyError) return 'The identity provider did not accept its own code.';
  return 'The answer of the identity provider is not valid.';
}

/** Errors of both libraries have a code that tells the check. Their messages and causes may hold tokens. */
function checkOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'id_token';
}

// SPDX-License-Identifier: Apache-2.0
// A person's consent, in a browser: sign in, confirm, consent at the authorization server of the MCP server, come back.
//
// INVARIANT (the person who asked): the kernel confirms a consent only for the subject that asked for it. That is told
// by the sign-in of this browser, and not by who has the link.
// INVARIANT (one browser): what an authorization server answers counts only in the session that confirmed the consent.
// Otherwise somebody could have another person finish a consent, and act with that person's rights.
// INVARIANT (its own server): an answer counts at the redirect URI of the server that was consented to.
// INVARIANT (no one locks others out): what an address did wrong counts against requests without a session, and without
// an attempt to sign in, alone. Others share the rate of their tenant.
// INVARIANT (our own forms): a form counts with the token of its session, and from this origin.
import { Fault, isId, type McpConsentView, type TenantId } from '@writ/contract';
import type { ConsentClient } from '../../calls/kernel/consent-client.ts';
import type { FailedKeys } from '../../edge/access/failed-keys.ts';
import type { RateLimit } from '../../edge/access/rate-limit.ts';
import { OF_SUBJECT_MAX } from '../../edge/access/oauth/credentials.ts';
import { isFormOf, SESSION_MS, type Session, type Sessions } from '../../edge/access/sign-in/sessions.ts';
import { SignInRefused, type SignIn } from '../../edge/access/sign-in/sign-in.ts';
import { ATTEMPT_S, type Attempt } from '../../edge/access/sign-in/attempts.ts';
import { consentDoneUri } from '../../edge/access/sign-in/redirect-uris.ts';
import type { SiteCookies } from '../../edge/pages/cookies.ts';
import type { Page, Redirection } from '../../edge/pages/page.ts';
import type { PageRequest } from '../../edge/pages/page-request.ts';
import { leavePage, noSignInPage, refusedPage, strayPage } from '../../edge/pages/person-pages.ts';
import type { Identities } from '../../store/identities/identities.ts';
import { choicePage, consentPage, gonePage, signedOutPage, statusPage, wrongPersonPage, type Links } from './pages.ts';

const SESSION_COOKIE = 'writ_connect';
const ATTEMPT_COOKIE = 'writ_sign_in';
/** As long as a session lasts in the database; that one decides. */
const SESSION_S = SESSION_MS / 1_000;
const HANDLE = /^[A-Za-z0-9_-]{43}$/;
/** With the sealing around it, a longer code fits into no message. */
const CODE_BYTES_MAX = 3_000;
const ERROR = /^[\x20-\x7e]{1,256}$/;

type Answer = Page | Redirection;

export interface ConnectPagesParts {
  /** the public URL, without a slash at its end; null: nobody connects here */
  readonly url: string | null;
  readonly kernel: ConsentClient;
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly cookies: SiteCookies;
  readonly identities: Pick<Identities, 'credentialsOf'>;
  readonly rate: Pick<RateLimit, 'consumeTenant'>;
  /** counts links and answers that are not good, by the address that sends them */
  readonly failed: FailedKeys;
  /** tells operators which check a sign-in failed */
  readonly report: (failed: { readonly check: string }) => void;
}

/** Each method answers one kind of request. Faults are shown by the controller. */
export class ConnectPages {
  readonly #parts: ConnectPagesParts;

  constructor(parts: ConnectPagesParts) {
    this.#parts = parts;
  }

  /** What the person of the session is asked for; else the way to the sign-in. */
  async open(request: PageRequest): Promise<Answer> {
    const handle = request.param('handle');
    const session = await this.#session(request);
    const consent = await this.#look(request, handle, session);
    if (consent === null) return gonePage();
    const asAnother = request.query.get('as') === 'another';
    if (session?.tenantId !== consent.tenant_id || asAnother)
      return await this.#toSignIn(request, consent.tenant_id, handle, asAnother);
    if (consent.yours !== true) return wrongPersonPage(session, this.#linksOf(handle));
    if (consent.state !== 'asked' && consent.state !== 'confirmed') return this.#toStatus(consent.connection_id);
    return consentPage(consent, session, this.#linksOf(handle), purposeOf(handle));
  }

  /** Confirms the consent, and sends the browser to the authorization server. */
  async confirm(request: PageRequest): Promise<Answer> {
    const { kernel, identities } = this.#parts;
    const handle = request.param('handle');
    const form = await request.form();
    const session = await this.#session(request);
    const consent = await this.#look(request, handle, session);
    if (consent === null) return gonePage();
    if (session?.tenantId !== consent.tenant_id || !this.#isOwnForm(request, session, purposeOf(handle), form))
      return strayPage();
    const { tenantId, subjectHash: subject_hash, sessionHash } = session;
    try {
      const { authorize_url } = await kernel.confirm({
        handle,
        subject_hash: subject_hash.toString('hex'),
        session_hash: sessionHash.toString('hex'),
        redirect_uri: consentDoneUri(this.#url(), consent.resource_id),
        credentials: await identities.credentialsOf(tenantId, { subject_hash }, OF_SUBJECT_MAX),
      });
      return leavePage(verifyPlace(authorize_url));
    } catch (error) {
      if (isFault(error, 'mcp.consent_not_yours')) return wrongPersonPage(session, this.#linksOf(handle));
      if (isFault(error, 'conflict')) return this.#toStatus(consent.connection_id);
      if (isFault(error, 'not_found')) return gonePage();
      throw error;
    }
  }

  /** Ends the session. Without a session there is nothing to end. */
  async signOut(request: PageRequest): Promise<Answer> {
    const { sessions, cookies } = this.#parts;
    const session = await this.#session(request);
    const form = await request.form();
    if (session !== null) {
      if (!this.#isOwnForm(request, session, 'sign-out', form)) return strayPage();
      await sessions.end(this.#cookie(request, SESSION_COOKIE));
    }
    const handle = request.param('handle');
    const page = HANDLE.test(handle) ? signedOutPage(this.#linksOf(handle)) : gonePage();
    return { ...page, cookies: [cookies.remove(SESSION_COOKIE)] };
  }

  /** The identity provider's answer. */
  async signedIn(request: PageRequest): Promise<Answer> {
    const { signIn, sessions, cookies, rate, report } = this.#parts;
    const url = this.#url();
    try {
      const attempt = await this.#attempt(request);
      // INVARIANT (metered): what an answer makes Writ ask of a provider is a request of the tenant.
      rate.consumeTenant(attempt.tenant_id);
      const person = await signIn.finish(attempt, request.query);
      // INVARIANT (new with each sign-in): the session before it ends, and its secret is used no more.
      await sessions.end(this.#cookie(request, SESSION_COOKIE));
      const session = await sessions.begin(person);
      return {
        location: `${url}${person.returnTo}`,
        cookies: [cookies.set(SESSION_COOKIE, session, SESSION_S), cookies.remove(ATTEMPT_COOKIE)],
      };
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      report({ check: error.check });
      return { ...refusedPage(error.message), cookies: [cookies.remove(ATTEMPT_COOKIE)] };
    }
  }

  /** The authorization server's answer. */
  async done(request: PageRequest): Promise<Answer> {
    const session = await this.#ownSession(request);
    const answer = readAnswer(request.query);
    const resource_id = request.param('resource_id');
    if (answer === null || session === null || !isId('resource', resource_id)) return gonePage();
    return await unlessGone(async () => {
      const session_hash = session.sessionHash.toString('hex');
      const { connection_id } = await this.#parts.kernel.callback({ ...answer, session_hash, resource_id });
      return this.#toStatus(connection_id);
    });
  }

  /** How far the consent of this session is. */
  async status(request: PageRequest): Promise<Answer> {
    const session = await this.#ownSession(request);
    const connection_id = request.param('connection_id');
    if (session === null || !isId('connection', connection_id)) return gonePage();
    const session_hash = session.sessionHash.toString('hex');
    return await unlessGone(async () => statusPage(await this.#parts.kernel.status({ connection_id, session_hash })));
  }

  #url(): string {
    const { url } = this.#parts;
    if (url === null) throw new Fault('not_found');
    return url;
  }

  #linksOf(handle: string): Links {
    return { consent: `${this.#url()}/connect/${handle}` };
  }

  #toStatus(connectionId: string): Redirection {
    return { location: `${this.#url()}/connect/status/${connectionId}` };
  }

  #cookie(request: PageRequest, name: string): string | undefined {
    return request.cookie(this.#parts.cookies.nameOf(name));
  }

  /** The request of a session is one of its tenant. Without a session, the address may not have failed too often. */
  async #session(request: PageRequest): Promise<Session | null> {
    this.#url();
    const { sessions, failed, rate } = this.#parts;
    const session = await sessions.find(this.#cookie(request, SESSION_COOKIE));
    if (session === null) failed.verifyMayRetry(request.address);
    else rate.consumeTenant(session.tenantId);
    return session;
  }

  /** For requests that only a session makes. */
  async #ownSession(request: PageRequest): Promise<Session | null> {
    const session = await this.#session(request);
    if (session === null) this.#parts.failed.recordFailure(request.address);
    return session;
  }

  /** @throws SignInRefused */
  async #attempt(request: PageRequest): Promise<Attempt> {
    const { signIn, failed } = this.#parts;
    const sealed = this.#cookie(request, ATTEMPT_COOKIE);
    try {
      const providerId = request.param('provider_id');
      return await signIn.attemptOf({ providerId, parameters: request.query, sealed, purpose: 'consent' });
    } catch (error) {
      failed.verifyMayRetry(request.address);
      failed.recordFailure(request.address);
      throw error;
    }
  }

  /** Null for a link that is not good. */
  async #look(request: PageRequest, handle: string, session: Session | null): Promise<McpConsentView | null> {
    const { kernel, failed, rate } = this.#parts;
    try {
      if (!HANDLE.test(handle)) throw new Fault('not_found');
      const consent = await kernel.look({ handle, subject_hash: session?.subjectHash.toString('hex') ?? null });
      if (session?.tenantId !== consent.tenant_id) rate.consumeTenant(consent.tenant_id);
      return consent;
    } catch (error) {
      if (!isFault(error, 'not_found')) throw error;
      if (session === null) failed.recordFailure(request.address);
      return null;
    }
  }

  async #toSignIn(request: PageRequest, tenantId: TenantId, handle: string, asAnother: boolean): Promise<Answer> {
    const { signIn, cookies } = this.#parts;
    const providers = await signIn.providersOf(tenantId);
    const named = request.query.get('provider');
    const [only] = providers.length === 1 ? providers : providers.filter(({ name }) => name === named);
    if (providers.length === 0) return noSignInPage();
    if (only === undefined) return choicePage(providers, this.#linksOf(handle), asAnother);
    const { location, attempt } = await signIn.begin(tenantId, only, {
      ...{ returnTo: `/connect/${handle}`, asAnother },
      purpose: 'consent',
    });
    return { location, cookies: [cookies.set(ATTEMPT_COOKIE, attempt, ATTEMPT_S)] };
  }

  /** Browsers send `Origin` with every form; one of another origin comes from another site. */
  #isOwnForm(request: PageRequest, session: Session, purpose: string, form: URLSearchParams): boolean {
    return request.header('origin') === new URL(this.#url()).origin && isFormOf(session, purpose, form.get('token'));
  }
}

async function unlessGone(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (!isFault(error, 'not_found')) throw error;
    return gonePage();
  }
}

const purposeOf = (handle: string): string => `confirm ${handle}`;

const isFault = (error: unknown, code: string): boolean => error instanceof Fault && error.code === code;

/** The kernel builds the URL of metadata that an executor checked; a scheme that runs something would be a bug. */
function verifyPlace(text: string): string {
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new Error('the authorization endpoint is no web page');
  return url.href;
}

/** What an authorization server answered; null for what is no answer. RFC 6749 §3.1: no parameter comes twice. */
function readAnswer(
  query: URLSearchParams,
): {
  readonly state: string;
  readonly iss: string | null;
  readonly code: string | null;
  readonly error: string | null;
} | null {
  const state = query.get('state') ?? '';
  const isOnce = ['state', 'iss', 'code', 'error'].every((name) => query.getAll(name).length <= 1);
  if (!isOnce || !HANDLE.test(state)) return null;
  const [iss, code, error] = [query.get('iss'), query.get('code'), query.get('error')];
  if ((iss ?? '').length > 2_048) return null;
  if (error !== null) return { state, iss, code: null, error: ERROR.test(error) ? error : 'unreadable' };
  const isCode = code !== null && code !== '' && Buffer.byteLength(code) <= CODE_BYTES_MAX;
  return { state, iss, code: isCode ? code : null, error: isCode ? null : 'no_code' };
}

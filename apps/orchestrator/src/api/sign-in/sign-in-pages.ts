// SPDX-License-Identifier: Apache-2.0
// Sign-in for sessions that call the API, in a browser.
//
// INVARIANT (our own forms): a form counts with the token of its session, and from this origin. The form that starts a
// sign-in has no session yet, and counts from this origin alone.
// INVARIANT (no one locks others out): requests without a session count against their address, and never against the
// tenant that they name.
import { Fault, isId, type TenantId } from '@writ/contract';
import type { FailedKeys } from '../../edge/access/failed-keys.ts';
import type { RateLimit } from '../../edge/access/rate-limit.ts';
import { ATTEMPT_S, type Attempt } from '../../edge/access/sign-in/attempts.ts';
import type { ChangeSignIns } from '../../edge/access/sign-in/change-sign-ins.ts';
import { invitationIn, invitationPath, readInvitationCode } from '../../edge/access/sign-in/invitation-code.ts';
import { DEVICE_PATH, readReturnTo, SIGN_IN_PATH } from '../../edge/access/sign-in/return-to.ts';
import type { SessionCallers } from '../../edge/access/sign-in/session-callers.ts';
import type { SessionCookie } from '../../edge/access/sign-in/session-cookie.ts';
import { isFormOf } from '../../edge/access/sign-in/sessions.ts';
import { SignInRefused, type SignIn } from '../../edge/access/sign-in/sign-in.ts';
import type { SignInSession, SignInSessions } from '../../edge/access/sign-in/sign-in-sessions.ts';
import type { SiteCookies } from '../../edge/pages/cookies.ts';
import type { Page, Redirection } from '../../edge/pages/page.ts';
import { isOwnOrigin, type PageRequest } from '../../edge/pages/page-request.ts';
import { leavePage, noSignInPage, refusedPage, strayPage } from '../../edge/pages/person-pages.ts';
import type { AcceptInvitation } from '../../edge/access/sign-in/accept-invitation.ts';
import type { KeyPages } from './key-pages.ts';
import {
  arrivedPage,
  keyHolderPage,
  keyPathTo,
  keySignedOutPage,
  noTenantPage,
  orWithKey,
  signedOutPage,
  startPage,
  youPage,
  type Start,
} from './pages.ts';

const ATTEMPT_COOKIE = 'writ_session_attempt';
/**
 * How many seconds ago a person who approves a program proved who they are: whoever only finds an open browser approves
 * nothing.
 */
export const RECENT_S = 300;

const INVITED =
  'You are invited to become a member of an organisation that uses Writ. You accept it by signing in. Go on only if you' +
  ' expected the invitation.';

export interface SignInPagesParts {
  /** the public URL, without a slash at its end; null: nobody signs in here */
  readonly url: string | null;
  readonly signIn: SignIn;
  readonly sessions: SignInSessions;
  readonly callers: SessionCallers;
  readonly changes: ChangeSignIns;
  readonly invitations: Pick<AcceptInvitation, 'by'>;
  readonly cookie: SessionCookie;
  readonly cookies: SiteCookies;
  readonly keys: KeyPages;
  readonly rate: Pick<RateLimit, 'consumeTenant'>;
  /** counts sign-ins that begin, and what is wrong with them, by the address that sends them */
  readonly attempts: FailedKeys;
  /** tells operators which check a sign-in failed */
  readonly report: (failed: { readonly check: string }) => void;
}

/** Each method answers one kind of request. Faults are shown by the controller. */
export class SignInPages {
  readonly #parts: SignInPagesParts;

  constructor(parts: SignInPagesParts) {
    this.#parts = parts;
  }

  /** Who is signed in; else where to sign in. */
  async open(request: PageRequest): Promise<Page | Redirection> {
    const { query } = request;
    const session = await this.sessionOf(request);
    const [tenant, isAnother] = [query.get('tenant'), query.get('as') === 'another'];
    const to = readReturnTo(query.get('to'));
    const byKey = session === null && !isAnother ? await this.#ofKey(request, tenant, to) : null;
    if (byKey !== null) return byKey;
    if (session === null || isAnother || (tenant !== null && tenant !== session.tenantId))
      return await this.#choose(request, tenant ?? session?.tenantId ?? null, { to, asAnother: isAnother });
    if (to !== SIGN_IN_PATH) return { location: `${this.url}${to}`, ...this.#renewed(session) };
    const roles = await this.#parts.callers.rolesOf(session);
    return { ...youPage(session, roles, this.url), ...this.#renewed(session) };
  }

  /**
   * What an invitation is, and where to accept it. Whether the code is good is told to nobody before they signed in.
   * A person who is signed in signs in again, so that the provider says who accepts it.
   */
  async openInvitation(request: PageRequest): Promise<Page> {
    const code = readInvitationCode(request.query.get('code'));
    if (code === null) return noTenantPage();
    return await this.startAt(request, code.tenantId, { to: invitationPath(code), asAnother: false }, INVITED);
  }

  /** Sends the browser to the identity provider. */
  async start(request: PageRequest): Promise<Page> {
    const { signIn, cookies, attempts } = this.#parts;
    const form = await request.form();
    if (!isOwnOrigin(request, this.url)) return strayPage();
    attempts.verifyMayRetry(request.address);
    attempts.recordFailure(request.address);
    const tenantId = form.get('tenant');
    const providers = isId('tenant', tenantId) ? await signIn.providersOf(tenantId) : [];
    const provider = providers.find(({ name }) => name === form.get('provider'));
    if (provider === undefined) return noSignInPage();
    const returnTo = readReturnTo(form.get('to'));
    const code = invitationIn(returnTo);
    const { location, attempt } = await signIn.begin(tenantId as TenantId, provider, {
      ...(code === null ? { returnTo } : { returnTo: SIGN_IN_PATH, invitation: code.text }),
      asAnother: form.get('as') === 'another',
      purpose: 'session',
      ...(returnTo.split('?', 1)[0] === DEVICE_PATH ? { maxAgeS: RECENT_S } : {}),
    });
    return { ...leavePage(location), cookies: [cookies.set(ATTEMPT_COOKIE, attempt, ATTEMPT_S)] };
  }

  /** The identity provider's answer. */
  async done(request: PageRequest): Promise<Page> {
    const { signIn, invitations, changes, cookie, cookies, report } = this.#parts;
    const { url } = this;
    const forget = cookies.remove(ATTEMPT_COOKIE);
    try {
      const attempt = await this.#attempt(request);
      const person = await signIn.finish(attempt, request.query);
      await invitations.by(person);
      // INVARIANT (new with each sign-in): the session before it ends, if the browser brings it.
      const before = await this.sessionOf(request);
      const text = await changes.begin(person);
      if (before !== null) await changes.signOut(before);
      return { ...arrivedPage(`${url}${person.returnTo}`), cookies: [cookie.set(text), forget] };
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      report({ check: error.check });
      return { ...refusedPage(error.message), cookies: [forget] };
    }
  }

  /** Ends the session. Without a session there is nothing to end. */
  async signOut(request: PageRequest): Promise<Page> {
    const { changes, cookie } = this.#parts;
    const session = await this.sessionOf(request);
    const form = await request.form();
    if (session === null) return this.#signOutKey(request, form);
    if (!this.isOwnForm(request, session, 'sign-out', form)) return strayPage();
    await changes.signOut(session);
    return { ...signedOutPage(this.url, session.tenantId), cookies: [cookie.remove()] };
  }

  /** Nothing of a session with an API key is stored, so only the browser forgets it. */
  #signOutKey(request: PageRequest, form: URLSearchParams): Page {
    const { cookie, keys } = this.#parts;
    const session = keys.sessionOf(request);
    if (!isOwnOrigin(request, this.url)) return strayPage();
    if (session === null) return { ...strayPage(), cookies: [cookie.remove()] };
    if (!isFormOf(session, 'sign-out', form.get('token'))) return strayPage();
    return { ...keySignedOutPage(this.url), cookies: [cookie.remove()] };
  }

  /** For whoever is signed in with an API key of the tenant; null for everybody else. */
  async #ofKey(request: PageRequest, tenant: string | null, to: string): Promise<Page | Redirection | null> {
    const standing = await this.#parts.keys.standingOf(request);
    if (standing === null || (tenant !== null && tenant !== standing.caller.tenant_id)) return null;
    const { session, caller } = standing;
    return to === SIGN_IN_PATH ? keyHolderPage(session, caller, this.url) : { location: `${this.url}${to}` };
  }

  /** The ways to sign in: the tenant's identity providers, and an API key where that is turned on. */
  async #choose(
    request: PageRequest,
    tenantId: string | null,
    start: Pick<Start, 'to' | 'asAnother'>,
  ): Promise<Page | Redirection> {
    const { isOn } = this.#parts.keys;
    if (isOn && tenantId === null) return { location: `${this.url}${keyPathTo(start.to)}` };
    const page = await this.startAt(request, tenantId, start);
    return isOn ? orWithKey(page, this.url, start.to) : page;
  }

  /** The public URL. Fault `not_found` where nobody signs in. */
  get url(): string {
    const { url } = this.#parts;
    if (url === null) throw new Fault('not_found');
    return url;
  }

  /** The session of the browser. Its request is one of its tenant. */
  async sessionOf(request: PageRequest): Promise<SignInSession | null> {
    const { sessions, cookie, rate } = this.#parts;
    void this.url;
    const text = request.cookie(cookie.name);
    const session = text === undefined ? null : await sessions.find(text, 'browser');
    if (session !== null) rate.consumeTenant(session.tenantId);
    return session;
  }

  /**
   * Where people of the tenant sign in. An unknown tenant, and one without such a provider, are answered alike.
   * @param why one sentence about what the sign-in is for
   */
  async startAt(
    request: PageRequest,
    tenantId: string | null,
    start: Pick<Start, 'to' | 'asAnother'>,
    why = 'Choose where your organisation signs you in.',
  ): Promise<Page> {
    const { signIn, attempts } = this.#parts;
    if (tenantId === null) return noTenantPage();
    attempts.verifyMayRetry(request.address);
    const providers = isId('tenant', tenantId) ? await signIn.providersOf(tenantId) : [];
    if (providers.length > 0) return startPage(providers, { ...start, url: this.url, tenantId }, why);
    attempts.recordFailure(request.address);
    return noSignInPage();
  }

  isOwnForm(
    request: PageRequest,
    session: Pick<SignInSession, 'formToken'>,
    purpose: string,
    form: URLSearchParams,
  ): boolean {
    return isOwnOrigin(request, this.url) && isFormOf(session, purpose, form.get('token'));
  }

  #renewed(session: SignInSession): { cookies?: readonly string[] } {
    const renewed = this.#parts.cookie.renewedBy(session);
    return renewed === null ? {} : { cookies: [renewed] };
  }

  /** @throws SignInRefused */
  async #attempt(request: PageRequest): Promise<Attempt> {
    const { signIn, cookies, attempts } = this.#parts;
    const sealed = request.cookie(cookies.nameOf(ATTEMPT_COOKIE));
    const providerId = request.param('provider_id');
    try {
      return await signIn.attemptOf({ providerId, parameters: request.query, sealed, purpose: 'session' });
    } catch (error) {
      attempts.verifyMayRetry(request.address);
      attempts.recordFailure(request.address);
      throw error;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Sign-in with an API key, for trials: the browser keeps the key, sealed, in the cookie of its session.
//
// INVARIANT (API keys alone): no session begins with the platform key, an access token, the session of a program, or a
// credential that was exchanged. Each has a holder that is no person at a page, or ends within minutes.
// INVARIANT (our own form): the form counts from this origin alone, so that no other site signs a person in.
import { Fault, type Caller } from '@writ/contract';
import type { Authenticator } from '../../edge/access/authenticator.ts';
import type { Identified } from '../../edge/access/identified.ts';
import type { RateLimit } from '../../edge/access/rate-limit.ts';
import type { ChangeSignIns } from '../../edge/access/sign-in/change-sign-ins.ts';
import { isKeySessionText, type KeySession, type KeySessions } from '../../edge/access/sign-in/key-sessions.ts';
import { readReturnTo } from '../../edge/access/sign-in/return-to.ts';
import type { SessionCookie } from '../../edge/access/sign-in/session-cookie.ts';
import type { SignInSessions } from '../../edge/access/sign-in/sign-in-sessions.ts';
import type { Page } from '../../edge/pages/page.ts';
import { isOwnOrigin, type PageRequest } from '../../edge/pages/page-request.ts';
import { strayPage } from '../../edge/pages/person-pages.ts';
import { arrivedPage, keyPage } from './pages.ts';

const PLATFORM =
  'That is the platform key. It creates tenants and belongs to none, so it signs nobody in. Enter a key of a tenant.';
const UNKNOWN = 'That key is not good: it was mistyped, it has expired, or it was revoked.';

export interface KeyPagesParts {
  /** the public URL, without a slash at its end; null: nobody signs in here */
  readonly url: string | null;
  readonly keys: KeySessions;
  readonly authenticator: Pick<Authenticator, 'identifyApiKey' | 'identifyCookie'>;
  readonly sessions: Pick<SignInSessions, 'find'>;
  readonly changes: Pick<ChangeSignIns, 'signOut'>;
  readonly cookie: SessionCookie;
  readonly rate: Pick<RateLimit, 'consume'>;
}

/** The session of an API key that still stands, and who it is. */
export interface StandingKeySession {
  readonly session: KeySession;
  readonly caller: Caller;
}

/** Each method answers one kind of request. Faults are shown by the controller. */
export class KeyPages {
  readonly #parts: KeyPagesParts;

  constructor(parts: KeyPagesParts) {
    this.#parts = parts;
  }

  get isOn(): boolean {
    return this.#parts.keys.isOn;
  }

  /** Asks for a key. */
  async open(request: PageRequest): Promise<Page> {
    return keyPage(this.#url, readReturnTo(request.query.get('to')));
  }

  /** Begins a session with the key of the form. */
  async enter(request: PageRequest): Promise<Page> {
    const { keys, cookie, rate } = this.#parts;
    const url = this.#url;
    const form = await request.form();
    if (!isOwnOrigin(request, url)) return strayPage();
    const to = readReturnTo(form.get('to'));
    const key = (form.get('key') ?? '').trim();
    const found = await this.#find(key, request.address);
    if (found === null || found === 'platform')
      return { ...keyPage(url, to, found === null ? UNKNOWN : PLATFORM), status: 401 };
    rate.consume(found.caller);
    await this.#endBefore(request);
    const { text, seconds } = keys.begin(key, found.expires_at);
    return { ...arrivedPage(`${url}${to}`), cookies: [cookie.set(text, seconds)] };
  }

  /** The session that the browser brings, whether or not its key still stands. */
  sessionOf(request: PageRequest): KeySession | null {
    const text = request.cookie(this.#parts.cookie.name);
    return text === undefined ? null : this.#parts.keys.open(text);
  }

  /** The session that the browser brings, as the API would take it; null where the API takes none. */
  async standingOf(request: PageRequest): Promise<StandingKeySession | null> {
    const { authenticator, cookie, rate } = this.#parts;
    const text = request.cookie(cookie.name);
    const session = this.sessionOf(request);
    if (text === undefined || session === null) return null;
    try {
      const { caller } = (await authenticator.identifyCookie(text, request.address)).identified;
      rate.consume(caller);
      return { session, caller };
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth.invalid') return null;
      throw error;
    }
  }

  /** The public URL. Fault `not_found` where no key signs in. */
  get #url(): string {
    const { url, keys } = this.#parts;
    if (url === null || !keys.isOn) throw new Fault('not_found');
    return url;
  }

  /** Null where it is no API key that is valid. Fault `rate.limited` after too many that are not. */
  async #find(key: string, address: string): Promise<Identified | 'platform' | null> {
    try {
      const found = await this.#parts.authenticator.identifyApiKey(key, address);
      return found === 'platform' || found.kind === 'api_key' ? found : null;
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth.invalid') return null;
      throw error;
    }
  }

  /** INVARIANT (new with each sign-in): the session before it ends, if the browser brings one that can end. */
  async #endBefore(request: PageRequest): Promise<void> {
    const { sessions, changes, cookie } = this.#parts;
    const text = request.cookie(cookie.name);
    if (text === undefined || isKeySessionText(text)) return;
    const before = await sessions.find(text, 'browser');
    if (before !== null) await changes.signOut(before);
  }
}

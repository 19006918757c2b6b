// SPDX-License-Identifier: Apache-2.0
// The session of a browser in a cookie, and what a request with it must show.
//
// INVARIANT (our own pages): a cookie comes along with what any site makes a browser send, so it counts only where the
// request shows that a page of this deployment sent it. `SameSite=Strict` says the same to browsers; neither relies on
// the other.
import { Fault } from '@writ/contract';
import { parseCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import { MCP_PATH } from '../../../store/identities/identities.ts';
import type { SiteCookies } from '../../pages/cookies.ts';
import type { KeySession, KeySessions } from './key-sessions.ts';
import { isSame } from './session-keys.ts';
import type { SignInSession } from './sign-in-sessions.ts';
import { formTokenOf, type SessionTexts } from './sign-in-texts.ts';

const NAME = 'writ_session';
/** The header that shows that a page of this deployment sent a request. */
export const CSRF_HEADER = 'writ-csrf';
/** What the header's value is for. */
const API = 'api';
/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** A page of this deployment sent the request, or the person typed its address. */
const OWN_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** The value of the header `Writ-CSRF` for the session's requests. */
export const csrfTokenOf = (session: Pick<SignInSession | KeySession, 'formToken'>): string => session.formToken(API);

/** Reads and writes the cookie. */
export class SessionCookie {
  readonly #cookies: SiteCookies;
  readonly #texts: SessionTexts;
  readonly #keys: Pick<KeySessions, 'open'>;
  readonly #origin: string;
  readonly #seconds: number;

  /**
   * @param publicUrl at which browsers reach this deployment
   * @param maxMs how long a session lasts at most
   */
  constructor(
    cookies: SiteCookies,
    texts: SessionTexts,
    keys: Pick<KeySessions, 'open'>,
    publicUrl: string,
    maxMs: number,
  ) {
    this.#cookies = cookies;
    this.#texts = texts;
    this.#keys = keys;
    this.#origin = new URL(publicUrl).origin;
    this.#seconds = Math.ceil(maxMs / 1_000);
  }

  get name(): string {
    return this.#cookies.nameOf(NAME);
  }

  /** The header that sets the cookie. @param seconds how long the browser keeps it */
  set(text: string, seconds = this.#seconds): string {
    return this.#cookies.set(NAME, text, seconds, 'strict');
  }

  /** The header that removes the cookie. */
  remove(): string {
    return this.#cookies.set(NAME, '', 0, 'strict');
  }

  /** The header that replaces the text that the browser has; null where it stays. */
  renewedBy({ successor }: SignInSession): string | null {
    return successor === null ? null : this.set(successor);
  }

  /**
   * The text in the cookie of a request. At `/mcp` none counts: clients of MCP are programs.
   * @param path of the route
   * @throws Fault `request.malformed` where the request has a key or token, too
   */
  presentedBy({ headers }: FastifyRequest, path: string): string | undefined {
    if (headers.cookie === undefined || path === MCP_PATH || path.startsWith(`${MCP_PATH}/`)) return undefined;
    const text = parseCookie(headers.cookie)[this.name];
    if (text === undefined || text === '') return undefined;
    if (headers.authorization === undefined) return text;
    throw new Fault(
      'request.malformed',
      `the request has both \`Authorization\` and the cookie \`${this.name}\`, and could be of two callers: send one of them`,
    );
  }

  /**
   * Fault `auth.csrf` unless a page of this deployment sent the request. Nothing is looked up for it.
   * @param text in the cookie; one that was not handed out here is refused elsewhere
   */
  verifyOwnRequest({ method, headers }: FastifyRequest, text: string): void {
    if (SAFE.has(method)) {
      const site = headers['sec-fetch-site'];
      if (typeof site === 'string' && OWN_SITES.has(site)) return;
      throw refused('`Sec-Fetch-Site: same-origin`, as browsers send it');
    }
    if (headers.origin !== this.#origin) throw refused(`\`Origin: ${this.#origin}\`, as browsers send it`);
    const [expected, token] = [this.#csrfTokenIn(text), headers[CSRF_HEADER]];
    if (expected !== null && (typeof token !== 'string' || !isSame(expected, token)))
      throw refused('the header `Writ-CSRF`, whose value is at `/v1/sign-in`');
  }

  /** Null for a text that was not handed out here. */
  #csrfTokenIn(text: string): string | null {
    const read = this.#texts.read(text);
    return read === null ? (this.#keys.open(text)?.formToken(API) ?? null) : formTokenOf(read, API);
  }
}

const refused = (what: string): Fault => new Fault('auth.csrf', `a request with a session cookie needs ${what}`);

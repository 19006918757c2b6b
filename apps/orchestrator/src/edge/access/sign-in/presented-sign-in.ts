// SPDX-License-Identifier: Apache-2.0
import type { TokenRole } from '../../../store/keys/roles.ts';
import type { Presented } from '../caller.ts';
import type { KeySessions } from './key-sessions.ts';
import type { SessionCallers } from './session-callers.ts';
import type { SessionCookie } from './session-cookie.ts';
import { csrfTokenOf } from './session-cookie.ts';
import type { SignInSession, SignInSessions } from './sign-in-sessions.ts';
import { isSessionText } from './sign-in-texts.ts';

/** The session that an admitted request presents. */
export class PresentedSignIn {
  readonly #sessions: SignInSessions;
  readonly #callers: SessionCallers;
  readonly #cookie: SessionCookie;
  readonly #keys: KeySessions;

  constructor(sessions: SignInSessions, callers: SessionCallers, cookie: SessionCookie, keys: KeySessions) {
    this.#sessions = sessions;
    this.#callers = callers;
    this.#cookie = cookie;
    this.#keys = keys;
  }

  /** Null where the request presents a key or an access token. */
  async find({ authorization, cookie }: Presented): Promise<SignInSession | null> {
    if (cookie !== undefined) return await this.#sessions.follow(cookie, 'browser');
    const text = bearerSessionOf(authorization);
    return text === null ? null : await this.#sessions.follow(text, 'device');
  }

  /** What the holder of an API key's session reads; null where the request presents something else. */
  detailsOfKey({ cookie }: Presented): { csrf_token: string; expires_at: number } | null {
    const session = cookie === undefined ? null : this.#keys.open(cookie);
    return session === null ? null : { csrf_token: csrfTokenOf(session), expires_at: session.expiresAt };
  }

  /** What the holder of the session alone reads. */
  async detailsOf(session: SignInSession): Promise<{ roles: TokenRole[]; csrf_token: string | null }> {
    const roles = [...(await this.#callers.rolesOf(session))];
    return { roles, csrf_token: session.kind === 'browser' ? csrfTokenOf(session) : null };
  }

  /** The header that removes the cookie of a session that ended. */
  get removedCookie(): string {
    return this.#cookie.remove();
  }
}

/** The text of a program's session in the header; null where it presents something else. */
export function bearerSessionOf(authorization: string | undefined): string | null {
  const [, text = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return isSessionText(text) ? text : null;
}

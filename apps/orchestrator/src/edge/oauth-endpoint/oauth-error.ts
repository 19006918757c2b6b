// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import type { Exchange } from '../requests/exchange.ts';
import { closed } from '../requests/fields.ts';

/** Errors of the token endpoint: RFC 6749 §5.2, RFC 8628 §3.5, RFC 8693 §2.2.2. */
const ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_grant_type',
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
] as const;
export type OauthErrorCode = (typeof ERRORS)[number];

/** What an OAuth client reads of an error. */
export const OauthErrorView = Type.Object(
  {
    error: Type.Enum(ERRORS),
    error_description: Type.Optional(Type.String({ description: 'what failed, where, and what to do' })),
  },
  closed,
);
export type OauthErrorView = Static<typeof OauthErrorView>;

/** An error that OAuth defines. All of them have status 400 here: no client has a secret. */
export class OauthError extends Error {
  readonly error: OauthErrorCode;

  /** @param description for whoever writes the client; it quotes no secret, and only ASCII (RFC 6749 §5.2) */
  constructor(error: OauthErrorCode, description: string) {
    super(description);
    this.error = error;
  }
}

const OAUTH_ERROR_STATUS = 400;

/**
 * Answers an OAuth error as OAuth clients read it. Other errors become problems. INVARIANT (no change without its
 * condition): what is issued has no state that a condition could name, so a request with one is refused.
 */
export async function inOauth<T>(exchange: Exchange, run: () => Promise<T>): Promise<T | OauthErrorView> {
  try {
    for (const name of ['if-match', 'if-none-match'])
      if (exchange.header(name) !== undefined)
        throw new OauthError('invalid_request', `nothing here has a state to compare: leave out the header ${name}`);
    return await run();
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    exchange.setStatus(OAUTH_ERROR_STATUS);
    return { error: error.error, error_description: error.message };
  }
}

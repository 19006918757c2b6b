// SPDX-License-Identifier: Apache-2.0
import { TargetError } from '@writ/egress';
import { OperationProcessingError, ResponseBodyError } from 'oauth4webapi';
import { GateRefusal } from '../../egress/gate-refusal.ts';

/** A server that can't be used, in words that quote none of its answers. */
export class OAuthProblem extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OAuthProblem';
  }
}

/** Errors of RFC 6749 §5.2 have this form; anything else isn't quoted. */
const ERROR_CODE = /^[a-z_]{1,64}$/;

/** The error that an authorization server answered with; null where it is none. */
export const oauthErrorOf = (error: unknown): string | null =>
  error instanceof ResponseBodyError ? (ERROR_CODE.test(error.error) ? error.error : 'an error') : null;

/**
 * What went wrong, for administrators. INVARIANT (nothing quoted): errors of the library have the answer, and so maybe
 * a token, in their cause; only their kind and their fixed words are said. Null for what is no failure of the server.
 */
export function wordsOf(error: unknown): string | null {
  const code = oauthErrorOf(error);
  if (code !== null) return `the authorization server answers with the error \`${code}\``;
  if (error instanceof OperationProcessingError)
    return `the answer of the authorization server is none of OAuth: ${error.message}`;
  return error instanceof OAuthProblem || error instanceof GateRefusal || error instanceof TargetError
    ? error.message
    : null;
}

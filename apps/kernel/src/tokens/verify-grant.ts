// SPDX-License-Identifier: Apache-2.0
import { Fault, type Grant } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { parsePath } from '@writ/workspace';

/** The longest life of a token, in milliseconds: 366 days. What is to live on is issued again, by somebody who still wants it to. */
export const TOKEN_LIFETIME_MS_MAX = 366 * 24 * 60 * 60 * 1000;
/** Most tokens from root to leaf. Every decision reads the whole chain. */
export const CHAIN_TOKENS_MAX = 8;
/** The longest grant, in bytes of its RFC 8785 JSON: the roots of a whole chain travel in one message to an executor. */
export const GRANT_BYTES_MAX = 32 * 1024;

/**
 * The grant in its one written form: paths as scopes are compared in. `now` is the database's clock in milliseconds.
 * @throws Fault `path.escape`, `path.invalid`, `request.malformed` for times that no token can have, `request.too_large`
 */
export function verifyGrant(grant: Grant, now: number): Grant {
  const whole: Grant = { ...grant, fs: grant.fs.map((root) => ({ ...root, path: parsePath(root.path) })) };
  if (whole.expires_at <= now) throw malformed('expires_at', 'it must lie in the future');
  if (whole.expires_at > now + TOKEN_LIFETIME_MS_MAX) throw malformed('expires_at', 'a token lives 366 days at most');
  if (whole.not_before >= whole.expires_at) throw malformed('not_before', 'it must lie before `expires_at`');
  if (canonicalBytes(whole).byteLength > GRANT_BYTES_MAX) throw new Fault('request.too_large', `a grant has at most ${GRANT_BYTES_MAX} bytes`, { pointer: '/grant' });
  return whole;
}

function malformed(field: keyof Grant, why: string): Fault {
  return new Fault('request.malformed', `\`/grant/${field}\`: ${why}`, { pointer: `/grant/${field}` });
}

// SPDX-License-Identifier: Apache-2.0
import type { HttpTool } from '@writ/contract';

/**
 * The statuses by which a server says that it didn't carry a request out (RFC 9110 §15.5, and the RFC that is named).
 * Each is registered, and its meaning leaves no other reading. These are not among them:
 *   - 408: the whole request was sent. So an intermediary misses a part of it, or the server gave up halfway.
 *   - 424: another action failed, and what that one did before is unknown.
 *   - 409 where a header names the request (see `refusesWholly`).
 *   - 499 and other statuses that nobody has registered: some gateways answer so after they gave up waiting.
 */
const REFUSALS: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422,
  // Locked (RFC 4918), too early to risk it (RFC 8470), precondition required, too many requests and large headers
  // (RFC 6585).
  423, 425, 426, 428, 429, 431,
  // RFC 7725: not for legal reasons.
  451,
]);

/** The success of a request: anything that isn't one is a failure of the call. */
export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/**
 * Whether an answer states that nothing was done. INVARIANT (doubt is kept): every other answer that is no success
 * leaves open what was done. 409 to a request with an idempotency key may mean that a request with this key is under
 * way (draft-ietf-httpapi-idempotency-key-header §2.7): Writ sends it once, but an intermediary may have repeated it.
 */
export const refusesWholly = ({ idempotency_header }: Pick<HttpTool, 'idempotency_header'>, status: number): boolean =>
  REFUSALS.has(status) && (status !== 409 || idempotency_header === null);

// SPDX-License-Identifier: Apache-2.0
import type { PostAnswer } from '../webhooks/post-message.ts';
import { retryAfterMs } from '../webhooks/retry-schedule.ts';
import type { PostEnd } from './provider.ts';

/** Statuses below 500 after which the same request may succeed later: a timeout, a conflict, too early, too many. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** How a post ended whose answer is its status alone. `now` in milliseconds since the epoch. */
export function endOfPost(
  kind: string,
  { status, retryAfter }: PostAnswer,
  { reference, now }: { readonly reference: string; readonly now: number },
): PostEnd {
  if (status >= 200 && status < 300) return { sent: true, reference };
  const isPassing = status >= 500 || PASSING.has(status);
  return { sent: false, error: `${kind}: status ${status}`, isPassing, retryMs: retryAfterMs(retryAfter, now) };
}

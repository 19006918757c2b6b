// SPDX-License-Identifier: Apache-2.0
import { areDisjoint, type Touch } from './touches.ts';

/**
 * The status of a call in a reply: `ended`; `open`, since it runs or is held; or `waits` for its turn. If `touches` is
 * null, its resources are unknown.
 */
export type CallStatus =
  { readonly stands: 'ended' } | { readonly stands: 'open' | 'waits'; readonly touches: readonly Touch[] | null };

/**
 * Which calls of a reply may start, by their indexes. A call never overtakes an earlier one unless they touch disjoint
 * resources.
 * @param order `sequence`: one after another, whatever they touch
 */
export function readyOf(calls: readonly CallStatus[], order: 'sequence' | 'disjoint'): number[] {
  const ready: number[] = [];
  const before: (readonly Touch[] | null)[] = [];
  for (const [index, call] of calls.entries()) {
    if (call.stands === 'ended') continue;
    if (order === 'sequence' && before.length > 0) break;
    if (call.stands === 'waits' && before.every((other) => areDisjoint(call.touches, other))) ready.push(index);
    before.push(call.touches);
  }
  return ready;
}

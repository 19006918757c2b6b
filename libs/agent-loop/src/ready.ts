// SPDX-License-Identifier: Apache-2.0
import { areDisjoint, type Touch } from './touches.ts';

/**
 * How a call of a reply stands: it has ended; it is open, since it runs or is held; or it waits for its turn. Null
 * touches: it isn't known what it touches.
 */
export type CallStatus =
  { readonly stands: 'ended' } | { readonly stands: 'open' | 'waits'; readonly touches: readonly Touch[] | null };

/**
 * Which calls of a reply may start, by their places: a call never overtakes one before it, unless nothing that they
 * touch is the same.
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

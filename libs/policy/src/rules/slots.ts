// SPDX-License-Identifier: Apache-2.0
import { callCedar, cedarGeneration } from '../cedar-instance.ts';
import { verifyAnswer } from './cedar-text.ts';
import type { Piece } from './slices.ts';

/**
 * Cedar keeps parsed rules under a name without end, so the names are a fixed number of slots. The least recently used
 * piece gives its slot to the next. The number of parsed rules, of some 2 KB each, bounds memory: this many need some
 * 128 MB, in a process whose tenants have very large sets. Tenants with the same set, or with sets that agree on a
 * tool, share slots. A set of a thousand rules has some forty pieces.
 */
export const SLOTS = 4096;
export const RULES_HELD_MAX = 65_536;

interface Slot {
  readonly name: string;
  readonly size: number;
}

/** Slots by the piece's key, the least recently used first (a Map keeps insertion order). */
const held = new Map<string, Slot>();
const free: string[] = [];
let rulesHeld = 0;
let generation = -1;

/** The name under which the piece is parsed and ready. The key covers the rules, so a name never has two texts. */
export function slotOf(piece: Piece): string {
  if (generation !== cedarGeneration()) reset();
  const known = held.get(piece.key);
  if (known === undefined) return load(piece);
  held.delete(piece.key);
  held.set(piece.key, known);
  return known.name;
}

/** The usage, for a test that nothing grows. */
export const slotsInUse = (): { slots: number; rules: number } => ({ slots: held.size, rules: rulesHeld });

/** A new instance of Cedar has parsed nothing yet. */
function reset(): void {
  held.clear();
  rulesHeld = 0;
  free.splice(0, free.length, ...Array.from({ length: SLOTS }, (_, n) => `slot-${n}`));
  generation = cedarGeneration();
}

function load(piece: Piece): string {
  while (free.length === 0 || (held.size > 0 && rulesHeld + piece.size > RULES_HELD_MAX)) evictOldest();
  const name = free.at(-1) as string;
  verifyAnswer(callCedar((cedar) => cedar.preparsePolicySet(name, { staticPolicies: { ...piece.policies } })));
  free.pop();
  held.set(piece.key, { name, size: piece.size });
  rulesHeld += piece.size;
  return name;
}

/** Called only when some slot is held, so there is a first. */
function evictOldest(): void {
  const [key, { name, size }] = held.entries().next().value as [string, Slot];
  // Its rules are freed now: the slot may stay empty for long.
  verifyAnswer(callCedar((cedar) => cedar.preparsePolicySet(name, { staticPolicies: {} })));
  held.delete(key);
  rulesHeld -= size;
  free.push(name);
}

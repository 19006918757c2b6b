// SPDX-License-Identifier: Apache-2.0
import { preparsePolicySet } from '@cedar-policy/cedar-wasm/nodejs';
import { verifyAnswer, type PolicySet } from './policy-set.ts';

/**
 * Cedar keeps a parsed set under a name for ever, so names are a fixed number of slots: the set that was used longest ago gives its
 * slot to the next. 64 sets of ordinary size are a few megabytes; a process that serves more tenants parses a set again now and then.
 */
const SLOTS = 64;

/** Slot names by policy hash, the least recently used first (a Map keeps insertion order). */
const held = new Map<string, string>();

/** The name under which the set is parsed and ready. The hash covers the text, so one name never stands for two texts. */
export function slotOf(set: PolicySet): string {
  const known = held.get(set.policy_hash);
  const slot = known ?? load(set);
  held.delete(set.policy_hash);
  held.set(set.policy_hash, slot);
  return slot;
}

function load(set: PolicySet): string {
  const slot = held.size < SLOTS ? `slot-${held.size}` : leastRecent();
  verifyAnswer(preparsePolicySet(slot, { staticPolicies: { ...set.policies } }));
  return slot;
}

/** Called only when every slot is held, so there is a first. */
function leastRecent(): string {
  const [hash, slot] = held.entries().next().value as [string, string];
  held.delete(hash);
  return slot;
}

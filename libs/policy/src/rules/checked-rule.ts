// SPDX-License-Identifier: Apache-2.0
import type { ActionConstraint, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { RuleText } from './rule-text.ts';
import { demandsOf, type Demand } from './facets.ts';
import { readsOf, type Reads } from './reads.ts';

/**
 * What of a rule is needed once it is checked: small, so that a set of many is soon sent from the thread that
 * checked.
 */
export interface CheckedRule {
  readonly text: string;
  readonly effect: PolicyJson['effect'];
  readonly annotations: Readonly<Partial<Record<string, string>>>;
  /** the tools that it can be about */
  readonly action: ActionConstraint;
  /** what it looks at */
  readonly reads: Reads;
  /** what must be so for it to apply */
  readonly demands: readonly Demand[];
}

/** Gathers it. Takes a time that grows with the rule. */
export function checkedRule({ text, json }: RuleText): CheckedRule {
  const { effect, action, annotations } = json;
  const known = (annotations ?? {}) as CheckedRule['annotations'];
  return { text, effect, annotations: known, action, reads: readsOf([json]), demands: demandsOf(json) };
}

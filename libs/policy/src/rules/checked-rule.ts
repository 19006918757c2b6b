// SPDX-License-Identifier: Apache-2.0
import type { ActionConstraint, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { RuleText } from './rule-text.ts';
import { demandsOf, type Demand } from './facets.ts';
import { readsOf, type Reads } from './reads.ts';

/**
 * The part of a rule that is needed after the check. It is small, so that the checking thread sends a large set
 * quickly.
 */
export interface CheckedRule {
  readonly text: string;
  readonly effect: PolicyJson['effect'];
  readonly annotations: Readonly<Partial<Record<string, string>>>;
  /** the tools that it can apply to */
  readonly action: ActionConstraint;
  /** the inputs that it reads */
  readonly reads: Reads;
  /** conditions that must hold for it to apply */
  readonly demands: readonly Demand[];
}

/** Extracts it, in time proportional to the rule. */
export function checkedRule({ text, json }: RuleText): CheckedRule {
  const { effect, action, annotations } = json;
  const known = (annotations ?? {}) as CheckedRule['annotations'];
  return { text, effect, annotations: known, action, reads: readsOf([json]), demands: demandsOf(json) };
}

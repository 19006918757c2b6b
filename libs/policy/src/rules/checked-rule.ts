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
  /** ids of actions that it names; empty for a rule that reads no arguments, which needs none of them */
  readonly actions: readonly string[];
  /** conditions that must hold for it to apply */
  readonly demands: readonly Demand[];
}

/** Extracts it, in time proportional to the rule. */
export function checkedRule({ text, json }: RuleText): CheckedRule {
  const { effect, action, annotations } = json;
  const known = (annotations ?? {}) as CheckedRule['annotations'];
  const reads = readsOf([json]);
  const actions = reads.args === null ? [] : [...new Set(actionsIn([action, json.conditions]))];
  return { text, effect, annotations: known, action, reads, actions, demands: demandsOf(json) };
}

/** Ids of the actions in a tree of Cedar's JSON. `complexityProblems` bounds its depth. */
function actionsIn(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return [];
  const { type, id } = tree as { readonly type?: unknown; readonly id?: unknown };
  if (type === 'Action' && typeof id === 'string') return [id];
  return Object.values(tree).flatMap(actionsIn);
}

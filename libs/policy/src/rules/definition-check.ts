// SPDX-License-Identifier: Apache-2.0
//
// A set is stored once, and the definitions of tools change afterwards. So the rules that read arguments are checked
// against the definition that a call is judged by. INVARIANT (a tool alone): a definition that no longer fits takes the
// calls of its tool out, and nothing else of the set.
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { RecordType } from '../arguments/argument-type.ts';
import { callCedar } from '../cedar-instance.ts';
import type { Steps } from '../decide/steps.ts';
import { policySchema } from './schema.ts';
import { piecesOf, type Tool, type ToolSlice } from './slices.ts';

/** Definitions of one tool that are remembered for a set: the one in force, and those of calls that were held. */
const REMEMBERED_MAX = 16;

/** The ids of rules that don't fit, by slice (so by set and tool) and digest of the arguments' type. */
const checks = new WeakMap<ToolSlice, Map<string, readonly string[]>>();
const digests = new WeakMap<RecordType, string>();

/**
 * The ids of the rules of the slice that Cedar's validator refuses for such arguments of the tool; empty if all fit. A
 * step for each few rules, the first time.
 * @throws CedarFailure
 */
export function* unfitRules(slice: ToolSlice, { tool_id, category }: Tool, type: RecordType): Steps<readonly string[]> {
  const known = checks.get(slice) ?? new Map<string, readonly string[]>();
  checks.set(slice, known);
  const digest = digestOf(type);
  const cached = known.get(digest);
  if (cached !== undefined) return cached;
  const unfit = new Set<string>();
  const actions = [...new Set(slice.argumentRules.flatMap(([, rule]) => rule.actions))];
  const schema = policySchema([{ tool_id, category, args: type }], undefined, actions);
  for (const { policies } of piecesOf(slice.argumentRules)) {
    const answer = callCedar((cedar) => cedar.validate({ schema, policies: { staticPolicies: { ...policies } } }));
    // No answer about them is no consent.
    const ids =
      answer.type === 'success' ? answer.validationErrors.map(({ policyId }) => policyId) : Object.keys(policies);
    for (const id of ids) unfit.add(id);
    yield;
  }
  const found = [...unfit].sort();
  if (known.size >= REMEMBERED_MAX) known.delete(known.keys().next().value as string);
  known.set(digest, found);
  return found;
}

function digestOf(type: RecordType): string {
  const known = digests.get(type);
  if (known !== undefined) return known;
  const digest = sha256Hex(canonicalBytes(type));
  digests.set(type, digest);
  return digest;
}

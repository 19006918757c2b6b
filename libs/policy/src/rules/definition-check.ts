// SPDX-License-Identifier: Apache-2.0
//
// A set is stored once, and the definitions of tools change afterwards. So the rules that read arguments are checked
// against the definition that a call is judged by. INVARIANT (a tool alone): a definition that no longer fits takes the
// calls of its tool out, and nothing else of the set.
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { namedPart } from '../arguments/argument-reads.ts';
import { argumentsType, type RecordType } from '../arguments/argument-type.ts';
import { callCedar, CedarFailure } from '../cedar-instance.ts';
import { runToCompletion, type Steps } from '../decide/steps.ts';
import type { PolicyRequest } from '../policy-request.ts';
import { readsOfAll } from './reads.ts';
import { policySchema } from './schema.ts';
import { piecesOf, type Chosen, type Tool, type ToolSlice } from './slices.ts';

/** Definitions of one tool that are remembered for a set: the one in force, and those of calls that were held. */
const REMEMBERED_MAX = 16;

/** The ids of rules that don't fit, by slice (so by set and tool) and digest of the arguments' type. */
const checks = new WeakMap<ToolSlice, Map<string, readonly string[]>>();
const digests = new WeakMap<RecordType, string>();

/** Rules on arguments, and the definition that they are checked against. It holds nothing of a call. */
export interface DefinitionCheck {
  readonly tool: Tool;
  readonly type: RecordType;
  readonly rules: Chosen;
}

/** A check whose result isn't known yet. */
export interface PendingCheck {
  readonly check: DefinitionCheck;
  /** equal for equal checks of the same set */
  readonly key: string;
  /** Keeps the result of `checkDefinition`. Callers MUST pass no other. */
  readonly remember: (unfit: readonly string[]) => void;
}

/**
 * The check that a decision on the call needs first; null where it needs none, or its result is known. The time of a
 * check grows with the tenant's schema and rules, so a server MUST run it in another thread. A decision that doesn't
 * know the result runs the check itself.
 */
export function pendingCheck(
  sliceFor: (tool: Tool) => ToolSlice,
  { tool_id, category, args }: Pick<PolicyRequest, 'tool_id' | 'category' | 'args'>,
): PendingCheck | null {
  const slice = sliceFor({ tool_id, category });
  if (slice.argumentRules.length === 0 || args === undefined) return null;
  const type = argumentsType(args.parameters);
  const digest = digestOf(type);
  if (knownOf(slice).has(digest)) return null;
  return {
    check: { tool: { tool_id, category }, type, rules: slice.argumentRules },
    key: `${category} ${tool_id} ${digest}`,
    remember: (unfit) => remember(slice, type, unfit),
  };
}

/**
 * The ids of the rules that Cedar's validator refuses for such arguments of the tool; empty if all fit. A crash of
 * Cedar counts as an answer against every rule.
 */
export function checkDefinition(check: DefinitionCheck): readonly string[] {
  try {
    return runToCompletion(checkDefinitionSteps(check));
  } catch (error) {
    if (error instanceof CedarFailure) return check.rules.map(([id]) => id);
    throw error;
  }
}

/**
 * The result for the rules of the slice, known or found now: a step for each few rules.
 * @throws CedarFailure
 */
export function* unfitRules(slice: ToolSlice, { tool_id, category }: Tool, type: RecordType): Steps<readonly string[]> {
  const known = knownOf(slice).get(digestOf(type));
  if (known !== undefined) return known;
  const unfit = yield* checkDefinitionSteps({ tool: { tool_id, category }, type, rules: slice.argumentRules });
  remember(slice, type, unfit);
  return unfit;
}

function* checkDefinitionSteps({ tool, type, rules }: DefinitionCheck): Steps<readonly string[]> {
  const unfit = new Set<string>();
  const byId = new Map(rules);
  for (const { policies } of piecesOf(rules)) {
    const ids = Object.keys(policies);
    const own = ids.flatMap((id) => byId.get(id) ?? []);
    // Cedar parses the schema each time, so it has what these rules name, and no more.
    const { args } = readsOfAll(own.map(({ reads }) => reads));
    const named = args === null ? type : namedPart(type, args);
    const actions = [...new Set(own.flatMap((rule) => rule.actions))];
    const schema = policySchema([{ ...tool, args: named }], undefined, actions);
    const answer = callCedar((cedar) => cedar.validate({ schema, policies: { staticPolicies: { ...policies } } }));
    // No answer about them is no consent.
    const found = answer.type === 'success' ? answer.validationErrors.map(({ policyId }) => policyId) : ids;
    for (const id of found) unfit.add(id);
    yield;
  }
  return [...unfit].sort();
}

function knownOf(slice: ToolSlice): Map<string, readonly string[]> {
  const known = checks.get(slice) ?? new Map<string, readonly string[]>();
  checks.set(slice, known);
  return known;
}

function remember(slice: ToolSlice, type: RecordType, unfit: readonly string[]): void {
  const known = knownOf(slice);
  if (known.size >= REMEMBERED_MAX) known.delete(known.keys().next().value as string);
  known.set(digestOf(type), unfit);
}

function digestOf(type: RecordType): string {
  const known = digests.get(type);
  if (known !== undefined) return known;
  const digest = sha256Hex(canonicalBytes(type));
  digests.set(type, digest);
  return digest;
}

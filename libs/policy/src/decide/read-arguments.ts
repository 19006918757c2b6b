// SPDX-License-Identifier: Apache-2.0
import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import { argumentsType, type RecordType } from '../arguments/argument-type.ts';
import { typeArguments, type UntypedArgument } from '../arguments/type-arguments.ts';
import { CedarFailure } from '../cedar-instance.ts';
import type { PolicyFault, PolicyRequest } from '../policy-request.ts';
import { unfitRules } from '../rules/definition-check.ts';
import type { Facts } from '../rules/facets.ts';
import type { ToolSlice } from '../rules/slices.ts';
import type { Steps } from './steps.ts';

/** The arguments as rules see them, or why the call is refused before any rule is asked. */
export type ArgumentsRead =
  | { readonly ok: true; readonly record: Record<string, CedarValueJson> }
  | { readonly ok: false; readonly fault: PolicyFault; readonly errors: readonly string[] };

/** Named at once, so that the message of a refusal stays short. */
const NAMED_MAX = 4;

/**
 * Types the arguments that rules of the slice read; null where none reads any. INVARIANT (unseen refuses): an argument
 * that a rule reads, and that is there without a type, refuses the call. Left out, it would silence a forbid that asks
 * whether it is there.
 */
export function* readArguments(
  slice: ToolSlice,
  ask: PolicyRequest,
  facts: Omit<Facts, 'supervision'>,
): Steps<ArgumentsRead | null> {
  if (slice.argumentRules.length === 0) return null;
  const reads = slice.argumentsRead(facts);
  if (reads === null) return null;
  if (ask.args === undefined)
    return { ok: false, fault: 'policy.error', errors: ["the arguments that rules read aren't known"] };
  const type = argumentsType(ask.args.parameters);
  const unfit = yield* unfitSafely(slice, ask, type);
  if (unfit.length > 0) {
    const ids = unfit.slice(0, NAMED_MAX).map((id) => `\`${id}\``);
    return {
      ok: false,
      fault: 'policy.args_changed',
      errors: [`rules don't fit the arguments that \`${ask.tool_id}\` takes: ${ids.join(', ')}`],
    };
  }
  const { record, untyped } = typeArguments(type, ask.args.value, reads, ask.args.secrets);
  if (untyped.length === 0) return { ok: true, record };
  return { ok: false, fault: 'policy.args_untyped', errors: untyped.slice(0, NAMED_MAX).map(wordsOf) };
}

/** The empty pointer is that of all arguments together. */
const wordsOf = ({ pointer, why }: UntypedArgument): string =>
  `a rule reads \`${pointer === '' ? 'args' : pointer}\`, and it ${why}`;

/** A crash of Cedar counts as an answer against every rule that reads arguments. */
function* unfitSafely(slice: ToolSlice, ask: PolicyRequest, type: RecordType): Steps<readonly string[]> {
  try {
    return yield* unfitRules(slice, ask, type);
  } catch (error) {
    if (error instanceof CedarFailure) return slice.argumentRules.map(([id]) => id);
    throw error;
  }
}

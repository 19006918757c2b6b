// SPDX-License-Identifier: Apache-2.0
import type { ToolDefinition } from '@writ/contract';
import { checkPolicySet, PolicySetError, type CheckedPolicySet, type PolicyProblem } from '@writ/policy';

/** A tool as rules can name it. */
export type PolicyTool = Pick<ToolDefinition, 'tool_id' | 'category'>;

/** A document that may be a policy set, and the tools that it is checked against. */
export interface ProposedPolicy {
  readonly document: Readonly<Record<string, unknown>>;
  readonly tools: readonly PolicyTool[];
}

/** The checked set, or all its problems. */
export type PolicyCheck =
  | { readonly ok: true; readonly checked: CheckedPolicySet }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/** Checks a policy set. */
export function checkPolicy({ document, tools }: ProposedPolicy): PolicyCheck {
  try {
    return { ok: true, checked: checkPolicySet(document, tools) };
  } catch (error) {
    if (error instanceof PolicySetError) return { ok: false, problems: error.problems };
    throw error;
  }
}

// SPDX-License-Identifier: Apache-2.0
import {
  checkPolicySet,
  PolicySetError,
  type CheckedPolicySet,
  type PolicyProblem,
  type PolicySetAge,
  type PolicyTool,
} from '@writ/policy';

/** A document that may be a policy set, and the tools that it is checked against. */
export interface ProposedPolicy {
  readonly document: Readonly<Record<string, unknown>>;
  readonly tools: readonly PolicyTool[];
  /** `stored` where it was stored before, so that tools may have changed since; absent: `new` */
  readonly age?: PolicySetAge;
}

/** The checked set, or all its problems. */
export type PolicyCheck =
  | { readonly ok: true; readonly checked: CheckedPolicySet }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/** Checks a policy set. */
export function checkPolicy({ document, tools, age }: ProposedPolicy): PolicyCheck {
  try {
    return { ok: true, checked: checkPolicySet(document, tools, age) };
  } catch (error) {
    if (error instanceof PolicySetError) return { ok: false, problems: error.problems };
    throw error;
  }
}

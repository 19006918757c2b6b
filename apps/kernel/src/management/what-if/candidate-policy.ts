// SPDX-License-Identifier: Apache-2.0
import { explainDecisionSteps, PolicySetError } from '@writ/policy';
import { runInSlices } from '@writ/worker-pool';
import { Fault, type PolicyExplanation } from '@writ/contract';
import {
  policyInputOf,
  type PolicyEngine,
  type PolicyRepository,
  type ReadyPolicy,
} from '../../judging/policies/index.ts';
import type { JudgedAction } from '../../judging/policies/policy-sets.ts';

/** A compiled set that isn't stored. @throws Fault `policy.invalid` with the first problem */
export async function compileCandidate(
  { engine, stored }: PolicyRepository,
  tenantId: string,
  document: Readonly<Record<string, unknown>>,
): Promise<ReadyPolicy> {
  const tools = await stored.tools(tenantId);
  try {
    return engine.ready(await engine.compile(tenantId, { document, tools }));
  } catch (error) {
    if (!(error instanceof PolicySetError)) throw error;
    throw new Fault('policy.invalid', error.message.slice(0, 2048), { pointer: error.problems[0]?.pointer ?? '' });
  }
}

/**
 * The answer of the set about the action, with its derivation. Null where policy isn't evaluated, since the command of
 * the action can't be parsed.
 * @throws Fault `overloaded`
 */
export async function explainVerdict(
  engine: PolicyEngine,
  { set }: ReadyPolicy,
  action: JudgedAction,
): Promise<PolicyExplanation | null> {
  const read = await engine.reader.read(action);
  if (!read.ok) return null;
  const { decision, policy, rules, would_pass } = await runInSlices(
    explainDecisionSteps(set, policyInputOf(action, read.risk)),
  );
  return {
    policy,
    mode: decision.mode,
    decided: decision.decided,
    rule_ids: [...decision.rule_ids],
    reasons: [...decision.reasons],
    would_pass: [...decision.would_pass],
    better_with: would_pass.map((each) => ({ ...each })),
    rules: rules.map((rule) => ({ ...rule })),
    errors: [...decision.errors],
  };
}

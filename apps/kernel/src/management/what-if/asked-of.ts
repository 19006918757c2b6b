// SPDX-License-Identifier: Apache-2.0
import { explainDecisionSteps, PolicySetError } from '@writ/policy';
import { runInSlices } from '@writ/worker-pool';
import { Fault, type PolicyExplanation } from '@writ/contract';
import { askOf, type PolicyEngine, type PolicyRepository, type ReadyPolicy } from '../../judging/policies/index.ts';
import type { JudgedAction } from '../../judging/policies/policy-sets.ts';

/** A set that isn't stored, ready to be asked. @throws Fault `policy.invalid` with the first thing that is wrong */
export async function readyCandidate(
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
 * What the set says of the action, with all that led to it; null for an action that policy isn't asked about, since its
 * command can't be made what runs.
 * @throws Fault `overloaded`
 */
export async function explain(
  engine: PolicyEngine,
  { set }: ReadyPolicy,
  action: JudgedAction,
): Promise<PolicyExplanation | null> {
  const read = await engine.reader.read(action);
  if (!read.ok) return null;
  const { decision, policy, rules, would_pass } = await runInSlices(
    explainDecisionSteps(set, askOf(action, read.risk)),
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

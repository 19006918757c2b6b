// SPDX-License-Identifier: Apache-2.0
import { compilePolicySet, explainDecision, PolicySetError } from '@writ/policy';
import { assessRisk } from '@writ/risk';
import { Fault, type PolicyExplanation } from '@writ/contract';
import { askOf, riskHistory, type PolicyEngine, type PolicyShelf, type ReadyPolicy } from '../policies/index.ts';
import type { JudgedAction } from '../ports/index.ts';

/** A set that isn't stored, ready to be asked. @throws Fault `policy.invalid` with the first thing that is wrong */
export async function readyCandidate({ engine, stored }: PolicyShelf, tenantId: string, document: Readonly<Record<string, unknown>>): Promise<ReadyPolicy> {
  const tools = await stored.tools(tenantId);
  try {
    return engine.ready(compilePolicySet(document, tools));
  } catch (error) {
    if (!(error instanceof PolicySetError)) throw error;
    throw new Fault('policy.invalid', error.message.slice(0, 2048), { pointer: error.problems[0]?.pointer ?? '' });
  }
}

/** What the set says of the action, with all that led to it. */
export function explain(engine: PolicyEngine, { set }: ReadyPolicy, action: JudgedAction): PolicyExplanation {
  const risk = assessRisk(action, engine.grammar, riskHistory(action));
  const { decision, policy, rules, would_pass } = explainDecision(set, askOf(action, risk));
  return {
    policy, mode: decision.mode, decided: decision.decided, rule_ids: [...decision.rule_ids], reasons: [...decision.reasons],
    would_pass: [...decision.would_pass], better_with: would_pass.map((each) => ({ ...each })), rules: rules.map((rule) => ({ ...rule })), errors: [...decision.errors],
  };
}

// SPDX-License-Identifier: Apache-2.0
import type { EffectExamination, EffectSettings } from '@writ/effect';
import type { AttemptFacts } from '../attempts/index.ts';
import type { ActivePolicy } from '../../judging/policies/policy-sets.ts';
import { decideEffectPolicy, type EffectPolicy, type JudgedEffect } from './decide-effect-policy.ts';

/** An effect before it is examined: how it is depends on the policy. */
export type UnexaminedEffect = Pick<JudgedEffect, 'tool' | 'args' | 'delta' | 'isApproved'>;

/**
 * What a policy says of an effect: examined by the numbers of that policy, and judged by its rules. Commits and
 * backtests ask here.
 */
export async function judgeEffect(
  policy: ActivePolicy,
  facts: Pick<AttemptFacts, 'operation' | 'chain' | 'rules'>,
  effect: UnexaminedEffect,
  examine: (settings: EffectSettings) => Promise<EffectExamination>,
): Promise<EffectPolicy> {
  const examined = await examine(policy.effectSettings(facts.operation.task_class));
  return await decideSupervision(facts, policy, { ...effect, examined });
}

/**
 * Nobody has seen what a call under a session grant does this time. So the policy is asked as if nobody had approved.
 * The effect passes where the policy wants a person only for what the approver was shown.
 */
async function decideSupervision(
  { operation, chain, rules }: Pick<AttemptFacts, 'operation' | 'chain' | 'rules'>,
  policy: ActivePolicy,
  effect: UnexaminedEffect & Pick<JudgedEffect, 'examined'>,
): Promise<EffectPolicy> {
  const own = chain.find(({ capability_token_id }) => capability_token_id === operation.capability_token_id);
  const approved = own?.session_approval;
  const isForSession = approved !== undefined && operation.approval_refs.every((ref) => ref === approved.approval_id);
  const granted = isForSession ? 'autopilot' : operation.autonomy_mode;
  const asked = await decideEffectPolicy(policy, { ...effect, operation, chain, labels: rules.labels, granted });
  const wasShown =
    isForSession &&
    asked.asks?.mode === 'soft_gate' &&
    !asked.asks.asksAnew &&
    asked.asks.quorum === 1 &&
    asked.asks.reasons.every(({ code }) => approved.reasons.includes(code));
  return wasShown ? { ...asked, asks: null } : asked;
}

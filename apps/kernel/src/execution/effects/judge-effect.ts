// SPDX-License-Identifier: Apache-2.0
import type { EffectExamination, EffectSettings } from '@writ/effect';
import type { AttemptFacts } from '../attempts/index.ts';
import type { ActivePolicy } from '../../judging/policies/policy-sets.ts';
import { decideEffectPolicy, type EffectPolicy, type AttemptEffect } from './decide-effect-policy.ts';

/** An effect before it is examined: the policy determines how. */
export type UnexaminedEffect = Pick<AttemptEffect, 'tool' | 'args' | 'delta' | 'isApproved'>;

/** The facts that policy judges an effect on. The paths of the tenant's settings are checked before it is asked. */
export interface EffectFacts extends Pick<AttemptFacts, 'operation' | 'chain'> {
  readonly rules: Omit<AttemptFacts['rules'], 'settings'>;
}

/**
 * A policy's judgement of an effect: examined by the numbers of that policy, and judged by its rules. Commits and
 * backtests use it.
 */
export async function judgeEffect(
  policy: ActivePolicy,
  facts: EffectFacts,
  effect: UnexaminedEffect,
  examine: (settings: EffectSettings) => Promise<EffectExamination>,
): Promise<EffectPolicy> {
  const examined = await examine(policy.effectSettings(facts.operation.task_class));
  return await decideSupervision(facts, policy, { ...effect, examined });
}

/**
 * No person has seen the effect of this call under a session grant. So policy judges it as if no person had approved.
 * The effect passes if policy requires a person only for reasons that the approver was shown.
 */
async function decideSupervision(
  { operation, chain, rules }: EffectFacts,
  policy: ActivePolicy,
  effect: UnexaminedEffect & Pick<AttemptEffect, 'examined'>,
): Promise<EffectPolicy> {
  const own = chain.find(({ capability_token_id }) => capability_token_id === operation.capability_token_id);
  const approved = own?.session_approval;
  const isForSession = approved !== undefined && operation.approval_refs.every((ref) => ref === approved.approval_id);
  const granted = isForSession ? 'autopilot' : operation.autonomy_mode;
  const verdict = await decideEffectPolicy(policy, { ...effect, operation, chain, labels: rules.labels, granted });
  const wasShown =
    isForSession &&
    verdict.moreSupervision?.mode === 'soft_gate' &&
    !verdict.moreSupervision.requiresNewApproval &&
    verdict.moreSupervision.quorum === 1 &&
    verdict.moreSupervision.demands.length === 0 &&
    verdict.moreSupervision.reasons.every(({ code }) => approved.reasons.includes(code));
  return wasShown ? { ...verdict, moreSupervision: null } : verdict;
}

// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, ReplayedCall, Verdict, VerdictName } from '@writ/contract';
import type { PolicyRepository, ReadyPolicy } from '../../judging/policies/index.ts';
import type { Supervision } from '../../judging/policies/policy-sets.ts';
import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';

type Answer = NonNullable<ReplayedCall['was']>;

/** The verdict of each autonomy mode. */
const VERDICT_OF: Readonly<Record<AutonomyMode, VerdictName>> = {
  autopilot: 'admitted',
  soft_gate: 'held',
  escalated: 'held',
  no_go: 'refused',
};
const RULES_MAX = 16;
/** As many as fit one message with the reasons of other calls. */
const REASONS_MAX = 4;

/**
 * The answers of two sets about a recorded call: the set that decided, and a candidate. The judge of real calls
 * evaluates both about the same call, so differences come from the sets. Nothing is written. Returns the reason, in
 * words, where they can't be evaluated.
 */
export async function compareVerdicts(
  recordedCalls: RecordedCalls,
  repository: PolicyRepository,
  call: RecordedCall,
  candidate: ReadyPolicy,
): Promise<{ readonly was: Answer; readonly would_be: Answer } | string> {
  const { operation } = call;
  const action = await recordedCalls.actionOf(call);
  if (typeof action === 'string') return action;
  const decided = await repository.findDecided(operation.tenant_id, operation.policy_hash);
  if (decided === null) return 'this version no longer supports the set that decided';
  const answer = async (ready: ReadyPolicy): Promise<Answer> =>
    answerOf(await ready.active.judge(await recordedCalls.withCounts(action, ready, operation)));
  return { was: await answer(decided), would_be: await answer(candidate) };
}

function answerOf(verdict: Verdict<Supervision>): Answer {
  if (verdict.effect === 'refuse')
    return {
      verdict: 'refused',
      mode: 'no_go',
      decided: 'no_go',
      rule_ids: [verdict.code],
      reasons: [{ code: verdict.code, message: verdict.message }],
    };
  const { autonomy_mode: mode, decided, rule_ids, reasons, redactions = [] } = verdict;
  const isOfRule = ({ code }: { readonly code: string }): boolean => rule_ids.includes(code);
  const ordered = [...reasons.filter(isOfRule), ...reasons.filter((reason) => !isOfRule(reason))];
  return {
    verdict: VERDICT_OF[mode],
    mode,
    decided,
    rule_ids: rule_ids.slice(0, RULES_MAX),
    reasons: ordered.slice(0, REASONS_MAX),
    ...(redactions.length === 0 ? {} : { redactions: [...redactions] }),
  };
}

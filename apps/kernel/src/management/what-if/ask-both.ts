// SPDX-License-Identifier: Apache-2.0
import type { AutonomyMode, ReplayedCall, Verdict, VerdictName } from '@writ/contract';
import type { PolicyRepository, ReadyPolicy } from '../../judging/policies/index.ts';
import type { Supervision } from '../../judging/policies/policy-sets.ts';
import type { RecordedCall, RecordedCalls } from './recorded-calls.ts';

type Answer = NonNullable<ReplayedCall['was']>;

/** What becomes of a call of which policy says so. */
const VERDICT_OF: Readonly<Record<AutonomyMode, VerdictName>> = {
  autopilot: 'admitted',
  soft_gate: 'held',
  escalated: 'held',
  no_go: 'refused',
};
const RULES_MAX = 16;
/** As many as fit a message with those of other calls. */
const REASONS_MAX = 4;

/**
 * What two sets say of a recorded call: the one that decided, and a candidate. Both are asked anew about the same call,
 * by the judge that decides calls, so that what differs is the sets'; nothing is written. In words why, where they
 * can't be asked.
 */
export async function askBoth(
  calls: RecordedCalls,
  shelf: PolicyRepository,
  call: RecordedCall,
  candidate: ReadyPolicy,
): Promise<{ readonly was: Answer; readonly would_be: Answer } | string> {
  const { operation } = call;
  const action = await calls.actionOf(call);
  if (typeof action === 'string') return action;
  const decided = await shelf.findDecided(operation.tenant_id, operation.policy_hash);
  if (decided === null) return 'the set that decided is known to this version no more';
  const answer = async (ready: ReadyPolicy): Promise<Answer> =>
    answerOf(await ready.active.judge(await calls.counted(action, ready, operation)));
  return { was: await answer(decided), would_be: await answer(candidate) };
}

function answerOf(said: Verdict<Supervision>): Answer {
  if (said.effect === 'refuse')
    return {
      verdict: 'refused',
      mode: 'no_go',
      decided: 'no_go',
      rule_ids: ['policy.error'],
      reasons: [{ code: said.code, message: said.message }],
    };
  const { autonomy_mode: mode, decided, rule_ids, reasons } = said;
  const isOfRule = ({ code }: { readonly code: string }): boolean => rule_ids.includes(code);
  const ordered = [...reasons.filter(isOfRule), ...reasons.filter((reason) => !isOfRule(reason))];
  return {
    verdict: VERDICT_OF[mode],
    mode,
    decided,
    rule_ids: rule_ids.slice(0, RULES_MAX),
    reasons: ordered.slice(0, REASONS_MAX),
  };
}

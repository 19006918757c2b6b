// SPDX-License-Identifier: Apache-2.0
import { AUTONOMY_MODES, type AutonomyMode, type Reason, type ToolDefinition } from '@writ/contract';
import type { Supervision } from '../policies/policy-sets.ts';
import { refusal, type JudgedCall, type Refusal } from './call.ts';
import { hintOf, passReasons } from './would-pass.ts';

/** A person's approval of exactly this action, and the supervision that this person's approval satisfies. */
export interface GivenApproval {
  readonly satisfies: 'soft_gate' | 'escalated';
}

/** What the call may do under the supervision that policy and session require. */
export type Corridor =
  | { readonly effect: 'allow'; readonly mode: AutonomyMode }
  | { readonly effect: 'hold'; readonly mode: 'soft_gate' | 'escalated'; readonly reasons: readonly Reason[] }
  | (Refusal & { readonly mode: AutonomyMode });

const WORDS = { soft_gate: "a person's approval", escalated: "an administrator's approval" } as const;

/** The stricter of two modes: a session only ever lowers. */
export function stricter(a: AutonomyMode, b: AutonomyMode): AutonomyMode {
  return AUTONOMY_MODES.indexOf(a) > AUTONOMY_MODES.indexOf(b) ? a : b;
}

/**
 * Decides between running, holding for a person and refusing. A session that can't ask a person (gateway, scheduled) is
 * refused at once. An approval counts up to the supervision that its approver satisfies; where more is required now, it
 * is stale. INVARIANT (a person sees it first): a tool that is `supervised` never runs without a person, whatever
 * policy decides. In a scheduled session too it waits for a person where policy permits it.
 */
export function decideSupervision(
  call: JudgedCall,
  policy: Supervision,
  approval: GivenApproval | null,
  { supervised }: Pick<ToolDefinition, 'supervised'> = {},
): Corridor {
  const required = supervised === true && policy.autonomy_mode === 'autopilot' ? requirePerson(policy) : policy;
  const mode =
    call.max_autonomy === null ? required.autonomy_mode : stricter(required.autonomy_mode, call.max_autonomy);
  if (mode === 'autopilot') return { effect: 'allow', mode };
  if (mode === 'no_go') return { ...denied(required, call), mode };
  if (approval !== null) {
    if (approval.satisfies === 'escalated' || mode === 'soft_gate') return { effect: 'allow', mode };
    return { ...refusal('approval.stale', `the policy now asks for ${WORDS[mode]}`, 'propose the call anew'), mode };
  }
  const reasons =
    call.max_autonomy === mode
      ? [{ code: 'session.max_autonomy', message: `the session asks for ${WORDS[mode]}` }, ...required.reasons]
      : required.reasons;
  if (call.session_mode === 'interactive' || (supervised === true && call.session_mode === 'scheduled'))
    return { effect: 'hold', mode, reasons: [...reasons, ...passReasons(required)] };
  const noPerson = refusal(
    'policy.denied',
    `the call needs ${WORDS[mode]}, and a ${call.session_mode} session has nobody to ask`,
    hintOf(required, 'propose it in an interactive session, where it waits for the approval'),
  );
  return { ...noPerson, reasons: [...reasons, { code: noPerson.code, message: noPerson.message }], mode };
}

const requirePerson = (required: Supervision): Supervision => ({
  ...required,
  autonomy_mode: 'soft_gate',
  reasons: [
    { code: 'tool.supervised', message: 'a person sees each call of this tool before it runs, whatever a policy says' },
    ...required.reasons,
  ],
});

function denied(required: Supervision, call: JudgedCall): Refusal {
  const { autonomy_mode, reasons } = required;
  if (autonomy_mode !== 'no_go')
    return refusal('policy.denied', 'the session permits no action', 'propose it in a session that does');
  const hint =
    call.session_mode === 'interactive'
      ? undefined
      : 'in an interactive session a person may be asked, unless no approval lifts the rule';
  const refused = refusal('policy.denied', reasons[0]?.message ?? 'no policy permits the call', hintOf(required, hint));
  return reasons.length > 0 ? { ...refused, reasons } : refused;
}

// SPDX-License-Identifier: Apache-2.0
import { AUTONOMY_MODES, type AutonomyMode, type Reason, type ToolDefinition } from '@writ/contract';
import type { Supervision } from '../policies/policy-sets.ts';
import { refusal, type JudgedCall, type Refusal } from './call.ts';
import { hintOf, passReasons } from './would-pass.ts';

/** A person's yes to exactly this action, and how much supervision that person is good for. */
export interface GivenApproval {
  readonly satisfies: 'soft_gate' | 'escalated';
}

/** What the supervision asked for makes of the call. */
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
 * Decides between running, asking a person and refusing. Who can't ask a person (gateway, scheduled) is refused at
 * once. An approval that is given counts up to what its approver is good for; where more is asked now, it is stale.
 * INVARIANT (a person sees it first): a tool that is `supervised` never runs by itself, whatever policy says, and in a
 * scheduled session too it waits for a person where policy lets it be.
 */
export function decideSupervision(
  call: JudgedCall,
  policy: Supervision,
  approval: GivenApproval | null,
  { supervised }: Pick<ToolDefinition, 'supervised'> = {},
): Corridor {
  const asked = supervised === true && policy.autonomy_mode === 'autopilot' ? seenFirst(policy) : policy;
  const mode = call.max_autonomy === null ? asked.autonomy_mode : stricter(asked.autonomy_mode, call.max_autonomy);
  if (mode === 'autopilot') return { effect: 'allow', mode };
  if (mode === 'no_go') return { ...denied(asked, call), mode };
  if (approval !== null) {
    if (approval.satisfies === 'escalated' || mode === 'soft_gate') return { effect: 'allow', mode };
    return { ...refusal('approval.stale', `the policy now asks for ${WORDS[mode]}`, 'propose the call anew'), mode };
  }
  const reasons =
    call.max_autonomy === mode
      ? [{ code: 'session.max_autonomy', message: `the session asks for ${WORDS[mode]}` }, ...asked.reasons]
      : asked.reasons;
  if (call.session_mode === 'interactive' || (supervised === true && call.session_mode === 'scheduled'))
    return { effect: 'hold', mode, reasons: [...reasons, ...passReasons(asked)] };
  const nobody = refusal(
    'policy.denied',
    `the call needs ${WORDS[mode]}, and a ${call.session_mode} session has nobody to ask`,
    hintOf(asked, 'propose it in an interactive session, where it waits for the approval'),
  );
  return { ...nobody, reasons: [...reasons, { code: nobody.code, message: nobody.message }], mode };
}

const seenFirst = (asked: Supervision): Supervision => ({
  ...asked,
  autonomy_mode: 'soft_gate',
  reasons: [
    { code: 'tool.supervised', message: 'a person sees each call of this tool before it runs, whatever a policy says' },
    ...asked.reasons,
  ],
});

function denied(asked: Supervision, call: JudgedCall): Refusal {
  const { autonomy_mode, reasons } = asked;
  if (autonomy_mode !== 'no_go')
    return refusal('policy.denied', 'the session permits no action', 'propose it in a session that does');
  const hint =
    call.session_mode === 'interactive'
      ? undefined
      : 'in an interactive session a person may be asked, unless no approval lifts the rule';
  const no = refusal('policy.denied', reasons[0]?.message ?? 'no policy permits the call', hintOf(asked, hint));
  return reasons.length > 0 ? { ...no, reasons } : no;
}

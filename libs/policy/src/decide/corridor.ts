// SPDX-License-Identifier: Apache-2.0
import { AUTONOMY_MODES, type AutonomyMode, type EffectRule } from '@writ/contract';
import type { EffectFinding } from '@writ/effect';
import { stricterOf, type PolicyRequest } from '../policy-request.ts';
import type { Thresholds } from '../document/policy-document.ts';
import type { PolicySet } from '../policy-set.ts';

/** A requirement of supervision that does not come from the rules' text. */
export interface SupervisionRequirement {
  readonly rule_id: string;
  /** the least supervision that it allows */
  readonly mode: AutonomyMode;
  readonly reason: string;
  readonly would_pass: string;
}

const LEVELS = ['no_go', 'escalated', 'soft_gate'] as const;
const REQUIREMENTS = {
  soft_gate: 'a person must see the call',
  escalated: 'administrators must agree',
  no_go: 'the call is refused',
} as const;

/**
 * The supervision that risk requires: the risk table's, and that of the task class's thresholds if they require more.
 */
export function riskGrounds(set: PolicySet, ask: PolicyRequest): SupervisionRequirement[] {
  const ceiling = ceilingGround(ask);
  const ceilingRank = AUTONOMY_MODES.indexOf(leastOf(ceiling));
  return [...ceiling, ...thresholdGround(set, ask).filter(({ mode }) => AUTONOMY_MODES.indexOf(mode) > ceilingRank)];
}

/** The thresholds of a task class. */
export function thresholdsFor({ document: { thresholds } }: PolicySet, taskClass: string): Thresholds {
  return Object.hasOwn(thresholds.task_classes, taskClass)
    ? (thresholds.task_classes[taskClass] as Thresholds)
    : thresholds.general;
}

function ceilingGround({ risk_ceiling }: PolicyRequest): SupervisionRequirement[] {
  if (risk_ceiling === 'none') return [];
  return [
    risk_ceiling === 'no_go'
      ? {
          rule_id: 'risk.no_go',
          mode: 'no_go',
          reason: 'the risk table rules this out, and no approval lifts that',
          would_pass: "an action that the risk table doesn't rule out",
        }
      : {
          rule_id: 'risk.soft_gate',
          mode: 'soft_gate',
          reason: 'the risk table wants a person to see this first',
          would_pass: 'an action for which the risk table asks for nobody',
        },
  ];
}

function thresholdGround(set: PolicySet, { risk_milli, task_class }: PolicyRequest): SupervisionRequirement[] {
  const thresholds = thresholdsFor(set, task_class);
  const reaches = (level: keyof Thresholds): boolean =>
    thresholds[level] !== null && risk_milli >= Math.round(thresholds[level] * 1000);
  const level = LEVELS.find(reaches);
  if (level === undefined) return [];
  const from = thresholds[level] as number;
  return [
    {
      rule_id: `risk.${level}`,
      mode: level,
      reason: `the risk is ${risk_milli / 1000}, and from ${from} on ${REQUIREMENTS[level]} in task class \`${task_class}\``,
      would_pass: `a risk below ${thresholds[LEVELS.findLast(reaches) as keyof Thresholds] as number}`,
    },
  ];
}

/** Effects that would have no finding. */
const WOULD_PASS: Readonly<Record<EffectRule, string>> = {
  'effect.emptied_workspace': 'an effect that leaves something of the workspace',
  'effect.lost_many': 'an effect that deletes, empties or rewrites fewer files',
  'effect.lost_series': 'fewer files deleted, emptied or rewritten by the calls of a session',
  'effect.history': 'an effect that leaves the history of the repository alone',
  'effect.binary_over_text': 'an effect that leaves text as text',
  'effect.renamed_many': 'an effect that leaves extensions as they are',
  'effect.runs_later': 'an effect without hooks and other files that run by themselves',
  'effect.read_wrote': 'an effect that leaves existing files alone',
};

/** The supervision that the findings on an effect require. Observed findings require none. */
export const findingGrounds = (findings: readonly EffectFinding[]): SupervisionRequirement[] =>
  findings.flatMap(({ rule, mode, message }) =>
    mode === 'observe' ? [] : [{ rule_id: rule, mode, reason: `the call ${message}`, would_pass: WOULD_PASS[rule] }],
  );

/** The initial supervision: the strictest of all requirements. */
export const leastOf = (grounds: readonly SupervisionRequirement[]): AutonomyMode =>
  grounds.reduce((mode, ground) => stricterOf(mode, ground.mode), AUTONOMY_MODES[0] as AutonomyMode);

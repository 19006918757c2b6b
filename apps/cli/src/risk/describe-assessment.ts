// SPDX-License-Identifier: Apache-2.0
import { DIMENSIONS, RISK_RULES, type Dimension } from '@writ/risk';
import { fieldsOf, tableOf } from '../terminal.ts';
import type { Explained } from './assessor.ts';

const MODES = {
  autopilot: 'autopilot: it runs by itself',
  soft_gate: 'soft_gate: it waits for one person',
  escalated: 'escalated: it waits for administrators',
  no_go: 'no_go: it is refused, and no approval lifts that',
} as const;

/** The name of a dimension for people. */
export const nameOf = (dimension: Dimension): string => dimension.replaceAll('_', ' ');
const formatPoints = (points: number): string => (points / 1000).toFixed(3);

/** An assessment for people: the decision, the score, and the contribution of each rule with its reason. */
export function describeAssessment({ assessment, risk, decision }: Explained): string {
  const why = new Map(risk.reasons.map(({ code, message }) => [code, message]));
  const rows = risk.risk_basis.map((rule) => [
    rule,
    risk.contributions
      .filter((one) => one.rule === rule)
      .map(({ dimension, points }) => `${nameOf(dimension)} ${formatPoints(points)}`)
      .join(', '),
    why.get(rule) ?? RISK_RULES.find(({ id }) => id === rule)?.message ?? '',
  ]);
  const fields = fieldsOf({
    mode: MODES[assessment.autonomy_mode],
    score: assessment.risk_score.toFixed(3),
    category: assessment.category,
    ...Object.fromEntries(
      DIMENSIONS.filter((dimension) => risk.dimensions[dimension] > 0).map((dimension) => [
        nameOf(dimension),
        risk.dimensions[dimension].toFixed(3),
      ]),
    ),
    'to pass': decision.would_pass.join('\n'),
  });
  return `${fields}\n\n${tableOf(['rule', 'adds', 'why'], rows)}`;
}

// SPDX-License-Identifier: Apache-2.0
import { Errors } from 'typebox/value';
import { scoreOf } from '../score.ts';
import { RiskRules, type Ceiling, type RiskRule } from './rule.ts';

/** An invalid table of rules. `problems` name the positions and the faults. */
export class RiskRulesError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`the table of risk rules is wrong: ${problems.join('; ')}`);
    this.name = 'RiskRulesError';
    this.problems = problems;
  }
}

/** The permitted scores of a single rule, by its ceiling: the score and the ceiling must agree. */
export const SCORES: Readonly<Record<Ceiling, readonly [number, number]>> = {
  none: [0, 0.4],
  soft_gate: [0.4, 1],
  no_go: [0.9, 1],
};

/**
 * Parses a table of rules.
 * @throws RiskRulesError where it doesn't fit its schema, has a duplicate rule, or a rule's score contradicts its
 * ceiling
 */
export function parseRiskRules(value: unknown): readonly RiskRule[] {
  const shape = Errors(RiskRules, value).map(
    ({ instancePath, message }) => `\`${instancePath === '' ? '/' : instancePath}\` ${message}`,
  );
  if (shape.length > 0) throw new RiskRulesError(shape);
  const rules = value as readonly RiskRule[];
  const problems = rules.flatMap((rule, index) => [...twice(rules, index), ...besideCeiling(rule)]);
  if (problems.length > 0) throw new RiskRulesError(problems);
  return rules;
}

function twice(rules: readonly RiskRule[], index: number): string[] {
  const id = rules[index]?.id;
  return rules.findIndex((rule) => rule.id === id) < index ? [`\`${id ?? ''}\` is the id of two rules`] : [];
}

function besideCeiling({ id, points, ceiling }: RiskRule): string[] {
  const [least, most] = SCORES[ceiling];
  const score = scoreOf(Object.values(points));
  return score < least || score > most
    ? [`\`${id}\` scores ${score}, and \`${ceiling}\` goes with ${least} to ${most}`]
    : [];
}

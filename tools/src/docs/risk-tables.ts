// SPDX-License-Identifier: Apache-2.0
// The parts of the risk guide that are generated from `libs/risk`.
import { CEILINGS, DIMENSIONS, RISK_RULES, type Ceiling, type RiskRule } from '@writ/risk';
import { code, table } from './table.ts';

const THOUSANDTHS = 1000;
const MODES: Readonly<Record<Ceiling, string>> = { none: 'nothing', soft_gate: 'a person', no_go: 'refused' };

/** Further conditions of a rule. */
function conditionsOf({ when }: RiskRule): string {
  const { zones, recursive, many, categories, history } = when;
  return [
    ...(zones ? [`where: ${zones.join(', ')}`] : []),
    ...(recursive === undefined ? [] : [recursive ? 'a tree' : 'no tree']),
    ...(many === undefined ? [] : [many ? 'many, or drastic' : 'one']),
    ...(categories ? [`category ${categories.join(' or ')}`] : []),
    ...(history?.destructive_calls === undefined ? [] : [`after ${history.destructive_calls} destructive calls`]),
    ...(history?.failures_in_a_row === undefined ? [] : [`after ${history.failures_in_a_row} failures in a row`]),
    ...(history?.labels ? [`labels ${history.labels.map(code).join(' and ')}`] : []),
  ].join('; ');
}

/**
 * Every rule: its subject, its points, and the supervision that it requires at least. Within the order of the table,
 * the strictest is first.
 */
export function riskRulesTable(): string {
  const rules = [...RISK_RULES].sort((a, b) => CEILINGS.indexOf(b.ceiling) - CEILINGS.indexOf(a.ceiling));
  return table(
    [
      'rule',
      'asks for',
      'reaches',
      ...DIMENSIONS.map((dimension) => dimension.replace('_', ' ')),
      'speaks of',
      'in words',
    ],
    rules.map((rule) => [
      code(rule.id),
      MODES[rule.ceiling],
      rule.reach === 'beyond' ? 'beyond the workspace' : 'the workspace',
      ...DIMENSIONS.map((dimension) =>
        rule.points[dimension] === undefined ? '' : (rule.points[dimension] / THOUSANDTHS).toFixed(2),
      ),
      [(rule.when.kinds ?? ['the call']).join(', '), conditionsOf(rule)].filter((part) => part !== '').join('; '),
      rule.message.replaceAll('`', ''),
    ]),
  );
}

// SPDX-License-Identifier: Apache-2.0
import type { ToolCategory } from '@writ/contract';
import type { Act } from '../act.ts';
import type { RiskHistory } from '../history.ts';
import type { RiskRule } from './rule.ts';

/** The conditions of a rule apart from single acts. */
export interface Circumstances {
  readonly category: ToolCategory;
  readonly history: RiskHistory;
}

/**
 * The act to which the rule applies, the call itself (null) where the rule names no kind, or undefined where it doesn't
 * apply.
 */
export function matchingAct(
  rule: RiskRule,
  acts: readonly Act[],
  { category, history }: Circumstances,
): Act | null | undefined {
  const { kinds, categories, history: before } = rule.when;
  if (categories && !categories.includes(category)) return undefined;
  if (before && !happened(before, history)) return undefined;
  return kinds ? acts.find((act) => fits(rule.when, act)) : null;
}

function fits(when: RiskRule['when'], act: Act): boolean {
  return (
    (when.kinds ?? []).includes(act.kind) &&
    (when.zones === undefined || (act.zone !== undefined && when.zones.includes(act.zone))) &&
    (when.recursive === undefined || when.recursive === (act.recursive ?? false)) &&
    (when.many === undefined || when.many === (act.many ?? false))
  );
}

function happened(
  before: NonNullable<RiskRule['when']['history']>,
  { destructive_calls = 0, failures_in_a_row = 0, labels = [] }: RiskHistory,
): boolean {
  return (
    destructive_calls >= (before.destructive_calls ?? 0) &&
    failures_in_a_row >= (before.failures_in_a_row ?? 0) &&
    (before.labels ?? []).every((label) => labels.includes(label))
  );
}

/**
 * The rule's message about the act, or about the call. With function replacements, since a subject's `$&` isn't a
 * pattern.
 */
export const messageOf = ({ message }: RiskRule, act: Act | null): string =>
  message.replace('{form}', () => act?.form ?? 'the call').replace('{subject}', () => act?.subject ?? '');

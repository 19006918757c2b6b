// SPDX-License-Identifier: Apache-2.0
import { matchesTool } from '@writ/capability';
import type { HistoryRule } from '../document/history-rule.ts';
import type { PolicySet } from '../policy-set.ts';
import { spanOf } from './format.ts';
import type { SupervisionRequirement } from './corridor.ts';
import type { HistoryFacts } from '../policy-request.ts';

/** A count from the session's history that a decision needs: the number of such calls before the current one. */
export interface HistoryNeed {
  /** the rule that needs it; the facts have its id as key */
  readonly id: string;
  /** tool patterns as in tokens; a call counts if it matches any */
  readonly tools: readonly string[];
  /** only calls of these task classes; null: of all */
  readonly task_classes: readonly string[] | null;
  /**
   * `admitted`: it was allowed to run, whatever its outcome; `succeeded`: it ended as committed or no_op, with status
   * ok
   */
  readonly outcome: 'admitted' | 'succeeded';
  /** how far back it counts, in milliseconds; null: the whole session */
  readonly window_ms: number | null;
}

export type HistoryQuery = { readonly tool_id: string; readonly task_class: string };

/** The counts of the session's records that a decision on a call of the tool needs; empty for most. */
export function historyNeeds(set: PolicySet, ask: HistoryQuery): HistoryNeed[] {
  return rulesFor(set, ask).map((rule) => ({
    id: rule.id,
    tools: rule.kind === 'at_most' ? rule.tools : rule.after,
    task_classes: (rule.kind === 'at_most' ? rule.task_classes : rule.after_task_classes) ?? null,
    outcome: rule.kind === 'only_after' ? 'succeeded' : 'admitted',
    window_ms: rule.window_ms ?? null,
  }));
}

/**
 * The rules that a call breaks, given the history. INVARIANT (unknown refuses): a missing or invalid count is an error.
 */
export function brokenRules(
  set: PolicySet,
  ask: HistoryQuery,
  facts: HistoryFacts | undefined,
): { broken: SupervisionRequirement[]; errors: string[] } {
  const broken: SupervisionRequirement[] = [];
  const errors: string[] = [];
  for (const rule of rulesFor(set, ask)) {
    const count = facts !== undefined && Object.hasOwn(facts, rule.id) ? facts[rule.id] : undefined;
    if (count === undefined || !Number.isSafeInteger(count) || count < 0)
      errors.push(`\`${rule.id}\`: what happened before isn't known`);
    else if (isBroken(rule, count))
      broken.push({
        rule_id: rule.id,
        mode: rule.then === 'refuse' ? 'no_go' : rule.then,
        reason: rule.reason,
        would_pass: wordsOf(rule),
      });
  }
  return { broken, errors };
}

function rulesFor({ document: { history } }: PolicySet, { tool_id, task_class }: HistoryQuery): readonly HistoryRule[] {
  if (history.length === 0) return history;
  return history.filter(
    ({ tools, task_classes }) =>
      tools.some((pattern) => matchesTool(pattern, tool_id)) &&
      (task_classes === undefined || task_classes.includes(task_class)),
  );
}

function isBroken(rule: HistoryRule, count: number): boolean {
  if (rule.kind === 'at_most') return count >= rule.n;
  return rule.kind === 'only_after' ? count === 0 : count > 0;
}

function wordsOf(rule: HistoryRule): string {
  const calls = (tools: readonly string[], classes: readonly string[] | undefined): string =>
    `${tools.map((tool) => `\`${tool}\``).join(' or ')}${classes === undefined ? '' : ` for ${classes.map((name) => `\`${name}\``).join(' or ')}`}`;
  const within = rule.window_ms === undefined ? 'in this session' : `within ${spanOf(rule.window_ms)}`;
  if (rule.kind === 'at_most')
    return `at most ${rule.n} ${rule.n === 1 ? 'call' : 'calls'} of ${calls(rule.tools, rule.task_classes)} ${within}`;
  const earlier = calls(rule.after, rule.after_task_classes);
  return rule.kind === 'only_after'
    ? `a call of ${earlier} that succeeded before, ${within}`
    : `no call of ${earlier} before, ${within}`;
}

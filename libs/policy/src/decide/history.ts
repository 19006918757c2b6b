// SPDX-License-Identifier: Apache-2.0
import { matchesTool } from '@writ/capability';
import type { HistoryRule } from '../document/history-rule.ts';
import type { PolicySet } from '../policy-set.ts';
import { spanOf } from './words.ts';
import type { Ground } from './corridor.ts';
import type { HistoryFacts } from '../ask.ts';

/**
 * A number that a decision needs to know of the session's past: how many such calls there were before the one at hand.
 */
export interface HistoryNeed {
  /** the rule that asks; facts are given under it */
  readonly id: string;
  /** tool patterns as tokens write them; a call counts if it fits any */
  readonly tools: readonly string[];
  /** only calls of these task classes; null: of any */
  readonly task_classes: readonly string[] | null;
  /** `admitted`: it was let run, whatever came of it; `succeeded`: it ended as committed or no_op, with status ok */
  readonly outcome: 'admitted' | 'succeeded';
  /** how far back from now it counts, in milliseconds; null: the whole session */
  readonly window_ms: number | null;
}

export type HistoryAsk = { readonly tool_id: string; readonly task_class: string };

/** What must be read of the session's records before a call of the tool can be decided; empty for most. */
export function historyNeeds(set: PolicySet, ask: HistoryAsk): HistoryNeed[] {
  return concerning(set, ask).map((rule) => ({
    id: rule.id,
    tools: rule.kind === 'at_most' ? rule.tools : rule.after,
    task_classes: (rule.kind === 'at_most' ? rule.task_classes : rule.after_task_classes) ?? null,
    outcome: rule.kind === 'only_after' ? 'succeeded' : 'admitted',
    window_ms: rule.window_ms ?? null,
  }));
}

/**
 * The rules that a call breaks, given what happened before. INVARIANT (unknown refuses): a count that wasn't given, or
 * isn't one, is an error.
 */
export function brokenRules(
  set: PolicySet,
  ask: HistoryAsk,
  facts: HistoryFacts | undefined,
): { broken: Ground[]; errors: string[] } {
  const broken: Ground[] = [];
  const errors: string[] = [];
  for (const rule of concerning(set, ask)) {
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

function concerning({ document: { history } }: PolicySet, { tool_id, task_class }: HistoryAsk): readonly HistoryRule[] {
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

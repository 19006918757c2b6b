// SPDX-License-Identifier: Apache-2.0
import { EFFECT_RULES, readRedaction } from '@writ/contract';
import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs';
import { callCedar } from '../cedar-instance.ts';
import { RULE_ID } from '../document/history-rule.ts';
import { POLICY_LIMITS } from '../document/policy-document.ts';
import { problemOf, type PolicyProblem } from '../problems.ts';
import { reservingProblems } from './approver-groups.ts';
import { complexityProblems } from './complexity.ts';
import { patternProblems } from './patterns.ts';
import { problemAt } from './problem-at.ts';
import type { RuleText } from './rule-text.ts';

/** A parsed text: its rules by id, and its problems. */
export interface RulesRead {
  readonly rules: ReadonlyMap<string, RuleText>;
  readonly problems: readonly PolicyProblem[];
}

/** The supported annotations. Any other is a typo that would go unnoticed. */
const ANNOTATIONS = ['id', 'reason', 'would_pass', 'quorum', 'approvers', 'redact'];
/** Reasons are part of every result and record of a decision. */
const WORDS_MAX = 512;
const APPROVERS = /^(?:[1-9]|1[0-6])$/;
/** Reserved ids, which decisions use for causes other than rules of the text. */
export const RESERVED_IDS: readonly string[] = [
  'risk.soft_gate',
  'risk.escalated',
  'risk.no_go',
  'session.max_autonomy',
  'session.staged_change',
  'default.deny',
  'policy.observed',
  'policy.error',
  'policy.args_changed',
  'policy.args_untyped',
  'policy.unredactable',
  'policy.would_pass',
  ...EFFECT_RULES,
];

/** Reads rules one by one. Rules without a valid id are reported and left out. */
export function readRules(source: string): RulesRead {
  const beyond = complexityProblems(source);
  if (beyond.length > 0) return { rules: new Map(), problems: beyond };
  const split = callCedar((cedar) => cedar.policySetTextToParts(source));
  if (split.type === 'failure')
    return { rules: new Map(), problems: split.errors.map((error) => located(source, 0, error)) };
  // Each rule is parsed and reported separately, so a text that is too long isn't started.
  const count = split.policies.length + split.policy_templates.length;
  if (count > POLICY_LIMITS.rules)
    return {
      rules: new Map(),
      problems: [
        problemOf('/cedar', `it has ${count} rules, and ${POLICY_LIMITS.rules} are allowed`, 'use fewer, wider rules'),
      ],
    };
  const problems: PolicyProblem[] = [];
  const rules = new Map<string, RuleText>();
  for (const text of split.policy_templates) {
    problems.push(
      problemAt(
        source,
        source.indexOf(text),
        'a rule with slots is a template, and a set takes none',
        'write the rule out for each value',
      ),
    );
  }
  const from = new Map<string, number>();
  for (const text of split.policies) {
    const at = source.indexOf(text, from.get(text) ?? 0);
    from.set(text, at + text.length);
    const rule = { text, at, json: verifyAnswer(callCedar((cedar) => cedar.policyToJson(text))).json };
    const found = annotationProblems(rule, rules);
    problems.push(...found.map(([message, help]) => problemAt(source, at, message, help)));
    if (found.length === 0) rules.set(rule.json.annotations?.['id'] as string, rule);
  }
  return { rules, problems: [...problems, ...patternProblems(source, rules.values())] };
}

function annotationProblems({ json }: RuleText, others: ReadonlyMap<string, RuleText>): [string, string][] {
  const { id = '', quorum, approvers, redact, ...rest } = json.annotations ?? {};
  const problems: [string, string][] = [];
  if (!new RegExp(RULE_ID).test(id))
    problems.push([
      'a rule needs an `@id` of lower-case letters, digits, `.`, `_` and `-`',
      'decisions and records name rules by it',
    ]);
  if (others.has(id)) problems.push([`the id \`${id}\` is given to two rules`, 'give each rule an `@id` of its own']);
  if (RESERVED_IDS.includes(id))
    problems.push([`the id \`${id}\` stands for something else in decisions`, 'take another']);
  if (quorum !== undefined && !APPROVERS.test(quorum))
    problems.push(['`@quorum` is a number of people from 1 to 16', 'write `@quorum("2")`']);
  if (approvers !== undefined) problems.push(...reservingProblems(json, approvers));
  if (redact !== undefined) problems.push(...redactProblems(json, redact));
  for (const [name, words] of Object.entries(rest)) {
    if (words.length > WORDS_MAX)
      problems.push([`\`@${name}\` is longer than ${WORDS_MAX} characters`, 'say it shorter']);
    if (!ANNOTATIONS.includes(name))
      problems.push([
        `there is no annotation \`@${name}\``,
        `there are ${ANNOTATIONS.map((known) => `\`@${known}\``).join(', ')}`,
      ]);
  }
  return problems;
}

/**
 * INVARIANT (redacting only narrows): a rule that redacts is a `forbid`. Whoever doesn't know the annotation reads a
 * stricter rule, and a `permit` would permit calls beside.
 */
function redactProblems({ effect, annotations = {} }: RuleText['json'], text: string): [string, string][] {
  const problems: [string, string][] = [];
  const read = readRedaction(text);
  if (!read.ok) problems.push([read.message, read.help]);
  if (effect !== 'forbid')
    problems.push(['a rule with `@redact` is a `forbid`', 'it forbids to see the members, and refuses no call']);
  for (const name of ['quorum', 'would_pass'].filter((each) => annotations[each] !== undefined))
    problems.push([`a rule with \`@redact\` refuses no call, so \`@${name}\` means nothing`, 'leave it out']);
  return problems;
}

/** Cedar's answer where only a success is possible: a failure is our bug and ends the request. */
export function verifyAnswer<T extends { type: string }>(answer: T): Extract<T, { type: 'success' }> {
  if (answer.type !== 'success') throw new Error(`cedar refused what it had accepted: ${JSON.stringify(answer)}`);
  return answer as Extract<T, { type: 'success' }>;
}

/** A problem that Cedar reports, located in the whole text; at the rule's beginning if Cedar has no position. */
export function located(source: string, base: number, error: DetailedError): PolicyProblem {
  const [place] = error.sourceLocations ?? [];
  return problemAt(source, base + (place?.start ?? 0), error.message, error.help ?? place?.label ?? '');
}

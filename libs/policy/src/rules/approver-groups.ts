// SPDX-License-Identifier: Apache-2.0
import { APPROVER_GROUP_NAME, APPROVER_GROUPS_MAX, type ApproverDemand } from '@writ/contract';
import type { PolicyProblem } from '../problems.ts';
import type { CheckedRule } from './checked-rule.ts';
import { problemAt } from './problem-at.ts';
import type { RuleText } from './rule-text.ts';

/** The groups that an `@approvers` names, or what is wrong with it. */
export type GroupsRead =
  | { readonly ok: true; readonly groups: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly help: string };

const HELP = 'write `@approvers("finance")`, or several groups with commas between them';

/** Reads the text of an `@approvers`: names of groups with commas between them, sorted. */
export function readGroups(text: string): GroupsRead {
  const groups = text.split(',').map((name) => name.trim());
  const wrong = groups.find((name) => !new RegExp(APPROVER_GROUP_NAME).test(name));
  if (wrong !== undefined)
    return {
      ok: false,
      message: '`@approvers` names groups, of lower-case letters, digits, `.`, `_` and `-`',
      help: HELP,
    };
  if (new Set(groups).size < groups.length)
    return { ok: false, message: '`@approvers` names a group twice', help: 'name it once' };
  if (groups.length > APPROVER_GROUPS_MAX)
    return {
      ok: false,
      message: `\`@approvers\` names ${groups.length} groups, and ${APPROVER_GROUPS_MAX} are allowed`,
      help: 'make a group of the persons',
    };
  return { ok: true, groups: groups.sort() };
}

/** Answers whether a rule reserves the approval of the calls that it applies to for groups. */
export const reserves = ({ annotations }: Pick<CheckedRule, 'annotations'>): boolean =>
  annotations.approvers !== undefined;

/** The demand of a rule with that annotation; null for any other rule. */
export function demandOf({ annotations }: Pick<CheckedRule, 'annotations'>): ApproverDemand | null {
  const read = annotations.approvers === undefined ? null : readGroups(annotations.approvers);
  return read?.ok === true ? { any_of: [...read.groups], count: Number(annotations.quorum ?? 1) } : null;
}

/**
 * INVARIANT (reserving only narrows): a rule with `@approvers` is a `forbid`. It refuses no call, and no permit answers
 * it. Whoever doesn't know the annotation reads a stricter rule.
 */
export function reservingProblems({ effect, annotations = {} }: RuleText['json'], text: string): [string, string][] {
  const read = readGroups(text);
  return [
    ...(read.ok ? [] : [[read.message, read.help] as [string, string]]),
    ...(effect === 'forbid'
      ? []
      : [
          ['a rule with `@approvers` is a `forbid`', 'it forbids the calls until persons of the groups approve'] as [
            string,
            string,
          ],
        ]),
    ...(annotations['redact'] === undefined
      ? []
      : [['a rule with `@approvers` redacts nothing', 'write another rule with `@redact`'] as [string, string]]),
  ];
}

/** Problems of such rules that show only once their conditions are read. */
export function supervisionProblems(
  source: string,
  rules: ReadonlyMap<string, CheckedRule>,
  texts: ReadonlyMap<string, RuleText>,
): PolicyProblem[] {
  return [...rules]
    .filter(([, rule]) => reserves(rule) && rule.reads.context.has('supervision'))
    .map(([id]) =>
      problemAt(
        source,
        (texts.get(id) as RuleText).at,
        "a rule with `@approvers` can't ask for `context.supervision`",
        'a person approves each call that it applies to; another rule asks for administrators',
      ),
    );
}

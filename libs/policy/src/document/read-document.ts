// SPDX-License-Identifier: Apache-2.0
import { matchesTool } from '@writ/capability';
import type { ToolDefinition } from '@writ/contract';
import { Compile } from 'typebox/compile';
import { problemOf, type PolicyProblem } from '../problems.ts';
import type { HistoryRule } from './history-rule.ts';
import { completeDocument, PolicySetSource, type PolicyDocument, type Thresholds } from './policy-document.ts';
import { shapeProblems } from './shape-problems.ts';

export type DocumentRead =
  | { readonly document: PolicyDocument; readonly problems: readonly PolicyProblem[] }
  | { readonly document: null; readonly problems: readonly PolicyProblem[] };

let validator: ReturnType<typeof Compile<typeof PolicySetSource>> | undefined;

/** Reads a document of any shape, and reports all its problems except those of its Cedar text. */
export function readDocument(source: unknown, tools: readonly Pick<ToolDefinition, 'tool_id'>[]): DocumentRead {
  validator ??= Compile(PolicySetSource);
  if (!validator.Check(source)) return { document: null, problems: shapeProblems(validator, source) };
  const document = completeDocument(source);
  return {
    document,
    problems: [
      ...thresholdProblems(document),
      ...historyProblems(document.history, tools),
      ...waitingProblems(document),
    ],
  };
}

/** A step that isn't later than the one before, or comes after the end, would never be seen. */
function waitingProblems({ waiting, ttl }: PolicyDocument): PolicyProblem[] {
  const steps = waiting?.escalation ?? [];
  return [
    ...steps.flatMap(({ after_ms }, n) => {
      const pointer = `/waiting/escalation/${n}/after_ms`;
      const before = steps[n - 1];
      if (after_ms >= ttl.approval_ms)
        return [problemOf(pointer, 'the approval has expired by then', 'take less than `ttl.approval_ms`')];
      return before !== undefined && after_ms <= before.after_ms
        ? [problemOf(pointer, 'it comes no later than the step before', 'order the steps by their times')]
        : [];
    }),
    ...(waiting?.reminders_ms ?? []).flatMap((ms, n) =>
      ms >= ttl.approval_ms
        ? [problemOf(`/waiting/reminders_ms/${n}`, 'no approval waits that long', 'take less than `ttl.approval_ms`')]
        : [],
    ),
  ];
}

const SUPERVISIONS = ['soft_gate', 'escalated', 'no_go'] as const;

function thresholdProblems({ thresholds }: PolicyDocument): PolicyProblem[] {
  const classes = Object.entries(thresholds.task_classes).map(([name, own]): [string, Thresholds] => [
    `/thresholds/task_classes/${name}`,
    own,
  ]);
  return [['/thresholds/general', thresholds.general] as [string, Thresholds], ...classes].flatMap(([pointer, own]) => [
    ...SUPERVISIONS.filter((name) => own[name] !== null && Math.round(own[name] * 1000) / 1000 !== own[name]).map(
      (name) => problemOf(`${pointer}/${name}`, 'a risk has three decimals at most', 'round it'),
    ),
    ...orderProblems(pointer, own),
  ]);
}

/** More supervision can't begin at less risk: the lower threshold would have no effect. */
function orderProblems(pointer: string, own: Thresholds): PolicyProblem[] {
  const set = SUPERVISIONS.filter((name) => own[name] !== null);
  return set
    .slice(1)
    .filter((name, n) => (own[name] as number) < (own[set[n] as keyof Thresholds] as number))
    .map((name) =>
      problemOf(
        `${pointer}/${name}`,
        `\`${name}\` begins below less supervision`,
        'order them: `soft_gate`, `escalated`, `no_go`',
      ),
    );
}

function historyProblems(
  rules: readonly HistoryRule[],
  tools: readonly Pick<ToolDefinition, 'tool_id'>[],
): PolicyProblem[] {
  return rules.flatMap((rule, n) => [
    ...(rules.findIndex(({ id }) => id === rule.id) < n
      ? [
          problemOf(
            `/history/${n}/id`,
            `the id \`${rule.id}\` is given to two rules`,
            'give each rule an id of its own',
          ),
        ]
      : []),
    ...patternProblems(`/history/${n}/tools`, rule.tools, tools),
    ...('after' in rule ? patternProblems(`/history/${n}/after`, rule.after, tools) : []),
  ]);
}

/** A pattern that matches no tool is a mistake: the rule would silently apply to nothing, or to everything. */
function patternProblems(
  pointer: string,
  patterns: readonly string[],
  tools: readonly Pick<ToolDefinition, 'tool_id'>[],
): PolicyProblem[] {
  return patterns.flatMap((pattern, n) =>
    tools.some(({ tool_id }) => matchesTool(pattern, tool_id))
      ? []
      : [problemOf(`${pointer}/${n}`, `no tool fits \`${pattern}\``, 'see `GET /v1/tools`')],
  );
}

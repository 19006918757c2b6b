// SPDX-License-Identifier: Apache-2.0
import { TaskClass, ToolPattern } from '@writ/contract';
import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
/** Limit on how far back a session's records are searched. */
const WINDOW_MAX_MS = 30 * 24 * 3_600_000;
export const RULE_ID = '^[a-z0-9_.-]{1,128}$';

const Tools = (description: string) => Type.Array(ToolPattern, { minItems: 1, maxItems: 64, description });
const TaskClasses = (description: string) =>
  Type.Optional(Type.Array(TaskClass, { minItems: 1, maxItems: 64, description }));

const about = {
  id: Type.String({
    pattern: RULE_ID,
    description: 'names the rule in decisions and records; no other rule of the set has it',
  }),
  tools: Tools('the calls that the rule is about'),
  task_classes: TaskClasses('only calls of these task classes; left out: of any'),
  window_ms: Type.Optional(
    Type.Integer({
      minimum: 1000,
      maximum: WINDOW_MAX_MS,
      description: "how far back it looks; left out: to the session's beginning",
    }),
  ),
  then: Type.Enum(['soft_gate', 'escalated', 'refuse'], {
    description: 'the least that becomes of a call that breaks the rule',
  }),
  reason: Type.String({ minLength: 1, maxLength: 512, description: 'shown to whoever is told of the decision' }),
};

const AtMost = Type.Object(
  {
    ...about,
    kind: Type.Literal('at_most'),
    n: Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'so many such calls may be admitted before; the next one breaks the rule',
    }),
  },
  closed,
);

const earlier = {
  ...about,
  after: Tools('the earlier calls that it asks about'),
  after_task_classes: TaskClasses('only earlier calls of these task classes; left out: of any'),
};
const OnlyAfter = Type.Object(
  { ...earlier, kind: Type.Literal('only_after') },
  { ...closed, description: 'broken unless such an earlier call succeeded' },
);
const NeverAfter = Type.Object(
  { ...earlier, kind: Type.Literal('never_after') },
  { ...closed, description: 'broken once such an earlier call was admitted' },
);

/** A rule on earlier calls of the session. */
export const HistoryRule = Type.Union([AtMost, OnlyAfter, NeverAfter]);
export type HistoryRule = Static<typeof HistoryRule>;

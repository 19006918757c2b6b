// SPDX-License-Identifier: Apache-2.0
import { TaskClass, ToolPattern } from '@writ/contract';
import { Type, type TObject } from 'typebox';
import { closed, Outcome, ruleId, type PolicyTemplate } from './fragment.ts';

const template = <P extends TObject>(made: PolicyTemplate<P>): PolicyTemplate => made as unknown as PolicyTemplate;
const HOUR_MS = 3_600_000;
const Tools = (description: string, value?: readonly string[]) =>
  Type.Array(ToolPattern, { minItems: 1, maxItems: 64, description, default: value });
const TaskClassName = (value: string, description: string) => Type.Union([TaskClass], { default: value, description });
const Window = Type.Integer({
  minimum: 1000,
  maximum: 720 * HOUR_MS,
  default: HOUR_MS,
  description: 'how far back is looked, in milliseconds',
});

const testsBeforePublish = template({
  id: 'tests_before_publish',
  description:
    'Publishing only after tests passed in the same session. Both are told apart by the task class that the caller gives, so it keeps honest agents in order; it is no barrier to others.',
  parameters: Type.Object(
    {
      id: ruleId('tests_before_publish'),
      tools: Tools('the tools that publish', ['shell.run']),
      publish: TaskClassName('publish', 'the task class of publishing'),
      test_tools: Tools('the tools that test', ['shell.run']),
      test: TaskClassName('test', 'the task class of testing'),
      window_ms: Window,
      then: Outcome,
    },
    closed,
  ),
  make: ({ id, tools, publish, test_tools, test, window_ms, then }) => ({
    cedar: '',
    history: [
      {
        id,
        kind: 'only_after',
        tools,
        task_classes: [publish],
        after: test_tools,
        after_task_classes: [test],
        window_ms,
        then,
        reason: 'publishing needs tests that passed shortly before',
      },
    ],
  }),
});

const callLimit = template({
  id: 'call_limit',
  description: 'So many calls of some tools in a session and a time; the next needs a person, or is refused.',
  parameters: Type.Object(
    {
      id: ruleId('call_limit'),
      tools: Tools('which tools'),
      n: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 100, description: 'how many calls' }),
      window_ms: Window,
      then: Outcome,
    },
    closed,
  ),
  make: ({ id, tools, n, window_ms, then }) => ({
    cedar: '',
    history: [
      {
        id,
        kind: 'at_most',
        tools,
        n,
        window_ms,
        then,
        reason: `the session has made ${n} such calls in a short time`,
      },
    ],
  }),
});

const neverAfter = template({
  id: 'never_after',
  description: "Some tools no more once others were used in the session: one reads what the other mustn't carry out.",
  parameters: Type.Object(
    {
      id: ruleId('never_after'),
      tools: Tools('the tools that are given up'),
      after: Tools('the tools that end it'),
      then: Outcome,
    },
    closed,
  ),
  make: ({ id, tools, after, then }) => ({
    cedar: '',
    history: [
      {
        id,
        kind: 'never_after',
        tools,
        after,
        then,
        reason: `after ${after.join(', ')} these tools need supervision`.slice(0, 512),
      },
    ],
  }),
});

export const HISTORY_TEMPLATES: readonly PolicyTemplate[] = [testsBeforePublish, callLimit, neverAfter];

// SPDX-License-Identifier: Apache-2.0
//
// Agents as registered resources: what an agent that is granted another one may see of it, and do to it.
import { Type, type Static } from 'typebox';
import { FREEZE_SCOPES, FreezeReason } from '../freeze-scope.ts';
import { idSchema } from '../ids.ts';
import { INLINE_LIMITS, type ToolDefinition } from './definition.ts';

const closed = { additionalProperties: false } as const;
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });

/** Calls of an agent that one answer lists, and that one call cancels. */
export const MANAGED_CALLS_MAX = 100;
/** Sessions and freezes that one answer lists, the newest. */
const LISTED_MAX = 20;
/** The longest freeze with an end: a month. */
const FREEZE_SECONDS_MAX = 2_678_400;

/** Who placed a freeze, as far as another agent learns it: no key of a person. */
export const FREEZE_PLACERS = ['you', 'another_agent', 'person', 'platform'] as const;

/** What is known of an agent when a call about it runs. */
export const AgentState = Type.Object(
  {
    agent_id: idSchema('agent'),
    name: Type.String(),
    state: Type.Enum(['active', 'frozen']),
    freezes: Type.Array(
      Type.Object(
        {
          freeze_id: idSchema('freeze'),
          scope: Type.Enum(FREEZE_SCOPES),
          reason: Type.String(),
          placed_by: Type.Enum(FREEZE_PLACERS),
          created_at: Instant,
          expires_at: orNull(Instant),
        },
        closed,
      ),
      { maxItems: LISTED_MAX, description: 'those that stop it now, newest first' },
    ),
    sessions: Type.Array(Type.String(), {
      maxItems: LISTED_MAX,
      description: 'those that had a call last, newest first',
    }),
    operations: Type.Array(
      Type.Object(
        {
          operation_id: idSchema('operation'),
          tool_id: Type.String(),
          state: Type.String({ description: '`held` waits for a person, `performing` runs' }),
          session_id: orNull(Type.String()),
          created_at: Instant,
          cancel_requested: Type.Boolean({ description: 'it was asked to stop' }),
        },
        closed,
      ),
      {
        maxItems: MANAGED_CALLS_MAX,
        description:
          'its calls that have not ended: those that run, wait, were asked to stop, then those that are held',
      },
    ),
    more_operations: Type.Boolean({ description: 'whether it has more of them than are listed' }),
  },
  closed,
);
export type AgentState = Static<typeof AgentState>;

/** The most of each list. */
export const AGENT_STATE_MAX = { operations: MANAGED_CALLS_MAX, others: LISTED_MAX } as const;

const AgentRef = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'an agent of the tenant that you are granted: its id, or that of its resource',
});

/** What a call does to another agent. */
export const AGENT_CHANGES = ['freeze', 'lift', 'cancel'] as const;
export type AgentChange = (typeof AGENT_CHANGES)[number];

/** The id of a freeze that a call places: that of its operation, under the other prefix. */
export const madeFreezeId = (operationId: string): string => operationId.replace(/^op_/, 'frz_');

const inline = {
  version: 1,
  class: 'inline',
  accepts_secrets: [],
  labels: [],
  limits: INLINE_LIMITS,
  resources: () => [],
} as const;
const targets: NonNullable<ToolDefinition['targets']> = ({ agent }) => [
  { kind: 'agent', ref: typeof agent === 'string' ? agent : '', right: 'use', pointer: '/agent' },
];

export const AGENT_DESCRIBE: ToolDefinition = {
  ...inline,
  tool_id: 'agent.describe',
  description:
    'Tells the state of another agent: whether it is frozen, its sessions, and its calls that have not ended.',
  category: 'read',
  mutating: false,
  parameters: Type.Object({ agent: AgentRef }, closed),
  result: Type.Object({ agent: AgentState }, closed),
  needs: 'agent',
  targets,
};

export const AGENT_MANAGE: ToolDefinition = {
  ...inline,
  tool_id: 'agent.manage',
  description:
    'Manages another agent. `freeze` stops all its calls, now and later; `lift` ends a freeze that you placed; `cancel` asks its calls that wait or run to stop, ' +
    `${MANAGED_CALLS_MAX} at most, and those that run first.`,
  category: 'admin',
  mutating: true,
  changes_records: true,
  parameters: Type.Object(
    {
      agent: AgentRef,
      change: Type.Enum(AGENT_CHANGES),
      reason: Type.Optional({
        ...FreezeReason,
        description: 'for `freeze`, which needs it: the frozen agent reads it',
      }),
      seconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: FREEZE_SECONDS_MAX,
          description: 'for `freeze`: how long it stands; until it is lifted by default',
        }),
      ),
    },
    closed,
  ),
  result: Type.Object(
    {
      agent_id: idSchema('agent'),
      change: Type.Enum(AGENT_CHANGES),
      freeze_id: { ...orNull(idSchema('freeze')), description: 'of `freeze`: the freeze that it placed' },
      operations: Type.Array(idSchema('operation'), {
        maxItems: MANAGED_CALLS_MAX,
        description: 'the calls that were found; one that ends by itself meanwhile keeps its outcome',
      }),
      more_operations: Type.Boolean({ description: 'of `cancel`: whether it has more calls; cancel again then' }),
    },
    closed,
  ),
  needs: 'agent',
  targets,
  faults: ({ change, reason, seconds }) => {
    if (change === 'freeze')
      return reason === undefined ? [{ pointer: '/reason', message: 'a freeze needs a reason: callers read it' }] : [];
    return reason === undefined && seconds === undefined
      ? []
      : [{ pointer: reason === undefined ? '/seconds' : '/reason', message: 'belongs to `freeze`' }];
  },
};

const IDS: ReadonlySet<string> = new Set([AGENT_DESCRIBE.tool_id, AGENT_MANAGE.tool_id]);

/** Answers whether a tool is about another agent. */
export const isAgentTool = (toolId: string): boolean => IDS.has(toolId);

// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { Caller } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

/** The dimensions by which calls are counted. */
export const CALL_USAGE_BY = ['day', 'agent', 'person', 'key', 'tool', 'outcome'] as const;
export type CallUsageBy = (typeof CALL_USAGE_BY)[number];

/** The most days of one report: a year and a month. */
export const USAGE_DAYS_MAX = 400;

/** A day of UTC. */
export const UsageDay = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'a day in UTC: `2026-01-31`' });

/** How many calls are alike in the dimensions of the report; a member of another dimension is null. */
export const CallUsageItem = Type.Object(
  {
    day: orNull({ ...UsageDay, description: 'the day in UTC on which the calls were decided first' }),
    agent_id: orNull(idSchema('agent')),
    person: orNull(
      Type.String({ description: 'who proposed them, as API keys name persons; the id of a key that names nobody' }),
    ),
    api_key_id: orNull(Type.String({ description: 'the API key that proposed them' })),
    tool_id: orNull(Type.String()),
    outcome: orNull(
      Type.Enum(['refused', 'committed', 'rolled_back', 'no_op', 'ambiguous', 'open'], {
        description: 'how they ended; open: they have not',
      }),
    ),
    calls: Type.Integer({ minimum: 1 }),
  },
  closed,
);
export type CallUsageItem = Static<typeof CallUsageItem>;

/** A page of a report; `next`: for `after` of the next request, null on the last page. */
export const CallUsage = Type.Object(
  { items: Type.Array(CallUsageItem), next: orNull(Type.Array(Type.String())) },
  closed,
);
export type CallUsage = Static<typeof CallUsage>;

/** Members of the position of a page: one for each dimension. */
export const UsagePosition = Type.Array(Type.String({ maxLength: 256, pattern: '^[^\\u0000]*$' }), {
  minItems: CALL_USAGE_BY.length,
  maxItems: CALL_USAGE_BY.length,
});

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const USAGE_REQUESTS = {
  /** → CallUsage: in the order of the dimensions, days first. `to` is exclusive. */
  'usage.calls': Type.Object(
    {
      ...{ v: Type.Literal(1), caller: Caller },
      from: UsageDay,
      to: UsageDay,
      by: Type.Array(Type.Enum([...CALL_USAGE_BY]), { minItems: 1, maxItems: CALL_USAGE_BY.length }),
      after: orNull(UsagePosition),
      limit: Type.Integer({ minimum: 1, maximum: LIMITS.listRows.max }),
    },
    closed,
  ),
} as const;

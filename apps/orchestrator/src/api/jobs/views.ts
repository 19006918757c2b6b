// SPDX-License-Identifier: Apache-2.0
import { idSchema, SchedulingClass } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { CONVERSATIONS, MISSED, OVERLAPS, START_STATES } from '../../store/jobs/jobs.ts';
import { closed, Instant, listOf, orNull } from '../../edge/requests/fields.ts';

export const JobView = Type.Object(
  {
    job_id: idSchema('job'),
    name: Type.String(),
    state: Type.Enum(['active', 'paused']),
    cron: Type.String(),
    time_zone: Type.String(),
    due_at: orNull(
      Type.Integer({
        minimum: 0,
        description: 'when it is due next; null while it is paused, and when it never comes due again',
      }),
    ),
    agent_id: idSchema('agent'),
    workspace_id: Type.String(),
    capability_token_id: Type.String(),
    run_token_id: Type.String({ description: 'the token of its runs, which grants the listed tools' }),
    tools: Type.Array(Type.String()),
    input: Type.String(),
    system: orNull(Type.String()),
    model: Type.String(),
    dialect: Type.String(),
    conversation: Type.Enum([...CONVERSATIONS]),
    overlap: Type.Enum([...OVERLAPS]),
    missed: Type.Enum([...MISSED]),
    scheduling_class: SchedulingClass,
    rounds_max: orNull(Type.Integer()),
    tokens_max: orNull(Type.Integer()),
    cost_max: orNull(Type.Integer()),
    created_at: Instant,
    created_by: Type.String({ description: 'the API key that created it' }),
    changed_at: Instant,
    changed_by: Type.String({ description: 'the API key on whose behalf its runs make their calls' }),
  },
  closed,
);
export type JobView = Static<typeof JobView>;
export const JobList = listOf(JobView);

export const JobStartView = Type.Object(
  {
    start_id: idSchema('jobStart'),
    job_id: idSchema('job'),
    due_at: Instant,
    by_hand: Type.Boolean({ description: 'whether it was requested, not due' }),
    state: Type.Enum([...START_STATES], {
      description:
        '`queued`: waits for a run of the job; `skipped`: excluded by the overlap rule; `missed`: due while no orchestrator was running',
    }),
    reason: orNull(Type.String({ description: 'why it was not started: `overlap`, or the code of a fault' })),
    session_id: orNull(idSchema('session')),
    run_id: orNull(idSchema('run')),
    created_at: Instant,
    started_at: orNull(Instant),
  },
  closed,
);
export type JobStartView = Static<typeof JobStartView>;
export const JobStartList = listOf(JobStartView);

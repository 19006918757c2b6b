// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';

const closed = { additionalProperties: false } as const;

/** The job whose run made a call. */
export const StartingJob = Type.Object(
  {
    job_id: idSchema('job'),
    name: Type.Optional(Type.String({ description: 'absent: the job was deleted' })),
    by_hand: Type.Optional(
      Type.Boolean({ description: 'whether a person started the run; absent: it is not known any more' }),
    ),
    due_at: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'when it was due, or was started by hand, in ms since the epoch; absent: it is not known any more',
      }),
    ),
  },
  closed,
);
export type StartingJob = Static<typeof StartingJob>;

/**
 * Who and what began the work that a call belongs to. The kernel fills in what is on the call itself, the orchestrator
 * the rest. INVARIANT (ours): nothing in it is a claim of the caller.
 */
export const StartedBy = Type.Object(
  {
    agent_id: idSchema('agent'),
    source: Type.Optional(
      Type.String({ description: 'where the call came from: `api`, `mcp` or `run`; absent: it is not known' }),
    ),
    api_key_id: Type.String({
      description: 'the API key or credential that proposed it; of a run the one on whose behalf it runs',
    }),
    principal: Type.Optional(Type.String({ description: 'the person of that key; absent: it names none' })),
    member_id: Type.Optional({ ...idSchema('member'), description: 'the member whose key it is; absent: of none' }),
    run_id: Type.Optional({
      ...idSchema('run'),
      description: 'the run that made it, of a sub-agent the run at the top; absent: no run did',
    }),
    session_id: Type.Optional({
      ...idSchema('session'),
      description: 'the session of that run; absent: no run made it, or the session was erased',
    }),
    job: Type.Optional({ ...StartingJob, description: 'the job that the session belongs to; absent: none' }),
  },
  { ...closed, description: 'who and what began the work that the call belongs to, before any edit' },
);
export type StartedBy = Static<typeof StartedBy>;

// SPDX-License-Identifier: Apache-2.0
import { idSchema, IdempotencyKey } from '@writ/contract';
import { Type } from 'typebox';
import { runFields, sessionFields } from '../../runs/sessions/session-fields.ts';
import { CONVERSATIONS, MISSED, OVERLAPS } from '../../store/jobs/jobs.ts';
import { closed, Key, Name, paging } from '../../edge/requests/fields.ts';
import { JobList, JobStartList, JobStartView, JobView } from './views.ts';
import { ROLES, route } from '../../edge/requests/route.ts';

const shared = { tag: 'jobs' } as const;
const one = { ...shared, params: { job_id: 'job' } } as const;
const { input, rounds_max, tokens_max, cost_max } = runFields;
const { model, dialect, system, data_subject } = sessionFields;

/** All that a job is: said whole when it is made and when it is changed, by whoever answers for it. */
const wish = Type.Object(
  {
    name: Name,
    cron: Type.String({
      pattern: '^[0-9A-Za-z@*/,\\-#?+ ]{1,128}$',
      description:
        'five fields (minute, hour, day, month, weekday), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`',
    }),
    time_zone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'an IANA time zone, whose clocks the fields mean; `UTC` unless said',
      }),
    ),
    workspace_id: Key,
    capability_token_id: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'of the agent that works: the token of the runs is made of it',
    }),
    input,
    model,
    tools: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z0-9_]+(\\.[a-z0-9_]+)*$', maxLength: 128 }), {
        maxItems: 64,
        uniqueItems: true,
        description: 'what its runs may change something with; listing an administrative tool approves it',
      }),
    ),
    system,
    data_subject,
    dialect,
    conversation: Type.Optional(
      Type.Enum([...CONVERSATIONS], {
        description: '`fresh`: each run begins one of its own; `kept`: all go on with one',
      }),
    ),
    overlap: Type.Optional(
      Type.Enum([...OVERLAPS], {
        description: 'what becomes of a start while a run of the job has not ended; `skip` unless said',
      }),
    ),
    missed: Type.Optional(
      Type.Enum([...MISSED], {
        description:
          'what becomes of due times that passed while nobody was there: nothing, or one run for all; `skip` unless said',
      }),
    ),
    rounds_max,
    tokens_max,
    cost_max,
  },
  closed,
);

export const JOBS = {
  list: route({
    ...shared,
    id: 'listJobs',
    method: 'GET',
    path: '/v1/jobs',
    allowed: ROLES,
    summary: "Lists jobs, newest first; an agent's key sees its own",
    query: Type.Object({ ...paging, agent_id: Type.Optional(idSchema('agent')) }, closed),
    answers: { 200: { says: 'A page of jobs', schema: JobList } },
  }),
  create: route({
    ...shared,
    id: 'createJob',
    method: 'POST',
    path: '/v1/jobs',
    allowed: ['admin'],
    summary: 'Gives an agent a task by the clock, with the tools that its runs may change something with',
    body: wish,
    answers: { 201: { says: 'The job', schema: JobView } },
    faults: [
      'not_found',
      'limit.exceeded',
      'token.revoked',
      'token.expired',
      'token.not_yet_valid',
      'token.not_narrower',
      'token.depth',
    ],
  }),
  pause: route({
    ...one,
    id: 'pauseJob',
    method: 'POST',
    path: '/v1/jobs/{job_id}/pause',
    allowed: ['admin', 'operator'],
    summary: 'Lets a job come due no more; runs under way go on',
    body: Type.Object({}, closed),
    answers: { 200: { says: 'The job', schema: JobView } },
    faults: ['not_found'],
  }),
  resume: route({
    ...one,
    id: 'resumeJob',
    method: 'POST',
    path: '/v1/jobs/{job_id}/resume',
    allowed: ['admin'],
    summary: 'Lets a job come due again; what it would have been due for meanwhile is left out',
    body: Type.Object({}, closed),
    answers: { 200: { says: 'The job', schema: JobView } },
    faults: ['not_found', 'conflict'],
  }),
  starts: route({
    ...one,
    id: 'listJobRuns',
    method: 'GET',
    path: '/v1/jobs/{job_id}/runs',
    allowed: ROLES,
    summary: 'Lists what became of each due time of the last 30 days, newest first',
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'A page of starts', schema: JobStartList } },
    faults: ['not_found'],
  }),
  start: route({
    ...one,
    id: 'runJob',
    method: 'POST',
    path: '/v1/jobs/{job_id}/runs',
    allowed: ['admin'],
    summary: 'Starts a job now, paused or not; behind its runs that have not ended, unless they may overlap',
    body: Type.Object({ idempotency_key: Type.Optional(IdempotencyKey) }, closed),
    answers: { 202: { says: 'The start, which waits for a replica that takes it', schema: JobStartView } },
    faults: ['not_found', 'limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readJob',
    method: 'GET',
    path: '/v1/jobs/{job_id}',
    allowed: ROLES,
    summary: 'Shows a job',
    answers: { 200: { says: 'The job', schema: JobView } },
    faults: ['not_found'],
  }),
  change: route({
    ...one,
    id: 'changeJob',
    method: 'PUT',
    path: '/v1/jobs/{job_id}',
    allowed: ['admin'],
    summary: 'Says anew what a job is, on behalf of who says it; runs under way lose their rights',
    body: wish,
    answers: { 200: { says: 'The job', schema: JobView } },
    faults: ['not_found', 'token.revoked', 'token.expired', 'token.not_yet_valid', 'token.not_narrower', 'token.depth'],
  }),
  remove: route({
    ...one,
    id: 'deleteJob',
    method: 'DELETE',
    path: '/v1/jobs/{job_id}',
    allowed: ['admin'],
    summary: 'Takes a job away, and ends its runs; their sessions stay',
    answers: { 200: { says: 'The job as it was', schema: JobView } },
    faults: ['not_found'],
  }),
};

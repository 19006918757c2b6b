// SPDX-License-Identifier: Apache-2.0
import { idSchema, IdempotencyKey, SCHEDULING_CLASSES } from '@writ/contract';
import { Type } from 'typebox';
import { runFields, sessionFields } from '../../runs/conversations/session-fields.ts';
import { CONVERSATIONS, MISSED, OVERLAPS } from '../../store/jobs/jobs.ts';
import { closed, Key, Name, paging } from '../../edge/requests/fields.ts';
import { JobList, JobStartList, JobStartView, JobView } from './views.ts';
import { ROLES, route } from '../../edge/requests/route.ts';

const shared = { tag: 'jobs' } as const;
const one = { ...shared, params: { job_id: 'job' } } as const;
const { input, rounds_max, tokens_max, cost_max } = runFields;
const { model, dialect, system, data_subject } = sessionFields;

/** The complete definition of a job. A request that creates or changes a job must contain all of it. */
const jobFields = Type.Object(
  {
    name: Name,
    cron: Type.String({
      pattern: '^[0-9A-Za-z@*/,\\-#?+ ]{1,128}$',
      description:
        'five fields (minute, hour, day, month, weekday), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`',
    }),
    time_zone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'an IANA time zone for the fields; default: `UTC`' }),
    ),
    workspace_id: Key,
    capability_token_id: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'the token of the agent, from which the token of the runs is derived',
    }),
    input,
    model,
    tools: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z0-9_]+(\\.[a-z0-9_]+)*$', maxLength: 128 }), {
        maxItems: 64,
        uniqueItems: true,
        description: 'the mutating tools that its runs may use; listing an administrative tool approves it',
      }),
    ),
    system,
    data_subject,
    dialect,
    conversation: Type.Optional(
      Type.Enum([...CONVERSATIONS], {
        description: '`fresh`: each run begins a new conversation; `kept`: all runs continue one',
      }),
    ),
    overlap: Type.Optional(
      Type.Enum([...OVERLAPS], {
        description: 'handling of a start while a run of the job has not ended; default: `skip`',
      }),
    ),
    missed: Type.Optional(
      Type.Enum([...MISSED], {
        description:
          'handling of due times at which no orchestrator was running: none, or one run for all; default: `skip`',
      }),
    ),
    scheduling_class: Type.Optional(
      Type.Enum([...SCHEDULING_CLASSES], {
        description: 'when calls of its runs are served among the waiting calls of the tenant; default: `background`',
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
    answers: { 200: { description: 'A page of jobs', schema: JobList } },
  }),
  create: route({
    ...shared,
    id: 'createJob',
    method: 'POST',
    path: '/v1/jobs',
    allowed: ['admin'],
    summary: 'Creates a job: a scheduled task of an agent, with the mutating tools that its runs may use',
    body: jobFields,
    answers: { 201: { description: 'The job', schema: JobView } },
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
    tagged: 'view',
    method: 'POST',
    path: '/v1/jobs/{job_id}/pause',
    allowed: ['admin', 'operator'],
    summary: 'Pauses a job; runs in progress continue',
    body: Type.Object({}, closed),
    answers: { 200: { description: 'The job', schema: JobView } },
    faults: ['not_found'],
  }),
  resume: route({
    ...one,
    id: 'resumeJob',
    tagged: 'view',
    method: 'POST',
    path: '/v1/jobs/{job_id}/resume',
    allowed: ['admin'],
    summary: 'Resumes a job; due times during the pause are skipped',
    body: Type.Object({}, closed),
    answers: { 200: { description: 'The job', schema: JobView } },
    faults: ['not_found', 'conflict'],
  }),
  starts: route({
    ...one,
    id: 'listJobRuns',
    method: 'GET',
    path: '/v1/jobs/{job_id}/runs',
    allowed: ROLES,
    summary: 'Lists the starts of a job within the last 30 days, newest first',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of starts', schema: JobStartList } },
    faults: ['not_found'],
  }),
  start: route({
    ...one,
    id: 'runJob',
    method: 'POST',
    path: '/v1/jobs/{job_id}/runs',
    allowed: ['admin'],
    summary: 'Starts a job now, even if it is paused; the start waits for unfinished runs unless they may overlap',
    body: Type.Object({ idempotency_key: Type.Optional(IdempotencyKey) }, closed),
    answers: { 202: { description: 'The start, which waits for a replica', schema: JobStartView } },
    faults: ['not_found', 'limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readJob',
    tagged: 'view',
    method: 'GET',
    path: '/v1/jobs/{job_id}',
    allowed: ROLES,
    summary: 'Shows a job',
    answers: { 200: { description: 'The job', schema: JobView } },
    faults: ['not_found'],
  }),
  change: route({
    ...one,
    id: 'changeJob',
    tagged: 'view',
    method: 'PUT',
    path: '/v1/jobs/{job_id}',
    allowed: ['admin'],
    summary: 'Replaces the definition of a job, on behalf of the caller; runs in progress lose their token',
    body: jobFields,
    answers: { 200: { description: 'The job', schema: JobView } },
    faults: ['not_found', 'token.revoked', 'token.expired', 'token.not_yet_valid', 'token.not_narrower', 'token.depth'],
  }),
  remove: route({
    ...one,
    id: 'deleteJob',
    tagged: 'view',
    method: 'DELETE',
    path: '/v1/jobs/{job_id}',
    allowed: ['admin'],
    summary: 'Deletes a job, and cancels its runs; their sessions remain',
    answers: { 200: { description: 'The deleted job', schema: JobView } },
    faults: ['not_found'],
  }),
};

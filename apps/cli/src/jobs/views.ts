// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { fieldsOf, momentOf } from '../terminal.ts';

const text = Type.String();
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const Job = Type.Object({
  job_id: text,
  name: text,
  state: text,
  cron: text,
  time_zone: text,
  due_at: orNull(Type.Integer()),
  agent_id: text,
  workspace_id: text,
  capability_token_id: text,
  run_token_id: text,
  tools: Type.Array(text),
  input: text,
  system: orNull(text),
  model: text,
  dialect: text,
  conversation: text,
  overlap: text,
  missed: text,
  scheduling_class: text,
  rounds_max: orNull(Type.Integer()),
  tokens_max: orNull(Type.Integer()),
  cost_max: orNull(Type.Integer()),
  created_at: Type.Integer(),
  changed_at: Type.Integer(),
  changed_by: text,
});
export type Job = Static<typeof Job>;

export const JobStart = Type.Object({
  start_id: text,
  due_at: Type.Integer(),
  by_hand: Type.Boolean(),
  state: text,
  reason: orNull(text),
  session_id: orNull(text),
  run_id: orNull(text),
  created_at: Type.Integer(),
  started_at: orNull(Type.Integer()),
});
export type JobStart = Static<typeof JobStart>;

export const dueOf = ({ due_at, state }: Job): string =>
  state === 'paused' ? 'paused' : due_at === null ? 'never again' : momentOf(due_at);

export function describeJob(job: Job): string {
  return fieldsOf({
    job: job.job_id,
    name: job.name,
    due: dueOf(job),
    cron: `${job.cron} (${job.time_zone})`,
    agent: job.agent_id,
    workspace: job.workspace_id,
    token: `${job.run_token_id} of ${job.capability_token_id}`,
    lists: job.tools.length === 0 ? 'nothing: its runs only read' : job.tools.join('\n'),
    model: job.model,
    dialect: job.dialect,
    conversation: job.conversation,
    overlap: job.overlap,
    missed: job.missed,
    class: job.scheduling_class,
    rounds: job.rounds_max,
    tokens: job.tokens_max,
    cost: job.cost_max,
    changed: `${momentOf(job.changed_at)} by ${job.changed_by}`,
    input: job.input,
    system: job.system,
  });
}

export function describeStart(start: JobStart): string {
  return fieldsOf({
    start: start.start_id,
    due: momentOf(start.due_at),
    state: start.reason === null ? start.state : `${start.state}: ${start.reason}`,
    session: start.session_id,
    run: start.run_id,
  });
}

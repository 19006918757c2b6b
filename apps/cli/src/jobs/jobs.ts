// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteCommand } from '../delete-command.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { momentOf, tableOf } from '../terminal.ts';
import { getVerb, updateVerb } from '../verbs.ts';
import { describeJob, describeStart, dueOf, Job, JobStart } from './views.ts';
import { jobBodyOf, withJobOptions, type JobOptions } from './job-options.ts';

interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;
const pathOf = (id: string): string => `/v1/jobs/${encodeURIComponent(id)}`;
const withPageOptions = (command: Command): Command =>
  command
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');

/** `writ job`. */
export function jobCommand(context: Context): Command {
  return new Command('job')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(showCommand(context))
    .addCommand(changeCommand(context))
    .addCommand(verbCommand(context, 'pause', 'stop starting runs of a job', 'operator'))
    .addCommand(verbCommand(context, 'resume', 'start runs of a job again', 'admin'))
    .addCommand(runCommand(context))
    .addCommand(runsCommand(context))
    .addCommand(deleteOneCommand(context));
}

function listCommand(context: Context): Command {
  const command = withPageOptions(new Command('list').description('scheduled tasks of agents'));
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'operator').client, Job, '/v1/jobs', {
      limit: options.limit,
      cursor: options.cursor,
    });
    const rows = list.items.map((job) => [
      job.job_id,
      job.name,
      dueOf(job),
      `${job.cron} (${job.time_zone})`,
      job.agent_id,
      job.tools.join(' '),
    ]);
    const more = list.next_cursor === null ? '' : `\nmore: writ job list --cursor ${list.next_cursor}`;
    show(context, options, list, () =>
      rows.length === 0 ? 'none' : `${tableOf(['job', 'name', 'due', 'cron', 'agent', 'lists'], rows)}${more}`,
    );
  });
}

function createCommand(context: Context): Command {
  const command = withJobOptions(
    new Command('create')
      .description('a scheduled task for an agent; its runs change something only with the tools that it lists')
      .argument('<name>'),
  );
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<JobOptions>();
    const body = await jobBodyOf(context, { ...options, name }, null);
    const job = await connect(context, options, 'admin').client.read(Job, '/v1/jobs', { method: 'POST', body });
    show(context, options, job, () => describeJob(job));
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one job').argument('<job>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const job = await connect(context, options, 'operator').client.read(Job, pathOf(id));
    show(context, options, job, () => describeJob(job));
  });
}

function changeCommand(context: Context): Command {
  const command = withJobOptions(
    updateVerb('change')
      .description('change a job; settings that are not given stay')
      .argument('<job>')
      .option('--name <name>')
      .option('--only-reads', 'list no tools any more'),
  );
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<JobOptions>();
    const { client } = connect(context, options, 'admin');
    const body = await jobBodyOf(context, options, await client.read(Job, pathOf(id)));
    const job = await client.read(Job, pathOf(id), { method: 'PUT', body });
    show(context, options, job, () => describeJob(job));
  });
}

function verbCommand(
  context: Context,
  verb: 'pause' | 'resume',
  description: string,
  holder: 'admin' | 'operator',
): Command {
  const command = new Command(verb).description(description).argument('<job>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const job = await connect(context, options, holder).client.read(Job, `${pathOf(id)}/${verb}`, {
      method: 'POST',
      body: {},
    });
    show(context, options, job, () => `${job.name}: ${dueOf(job)}`);
  });
}

function runCommand(context: Context): Command {
  const command = new Command('run')
    .description('start a job now')
    .argument('<job>')
    .option('--idempotency-key <key>', 'repeating the key starts no second run');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions & { idempotencyKey?: string }>();
    const body = options.idempotencyKey === undefined ? {} : { idempotency_key: options.idempotencyKey };
    const start = await connect(context, options, 'admin').client.read(JobStart, `${pathOf(id)}/runs`, {
      method: 'POST',
      body,
    });
    show(context, options, start, () => `${describeStart(start)}\nsee what becomes of it: writ job runs ${id}`);
  });
}

function runsCommand(context: Context): Command {
  const command = withPageOptions(new Command('runs').description('the run of each due time').argument('<job>'));
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'operator').client, JobStart, `${pathOf(id)}/runs`, {
      limit: options.limit,
      cursor: options.cursor,
    });
    const rows = list.items.map((start) => [
      momentOf(start.due_at),
      start.by_hand ? 'by hand' : '',
      start.state,
      start.reason ?? '',
      start.run_id ?? '',
      start.session_id ?? '',
    ]);
    const more = list.next_cursor === null ? '' : `\nmore: writ job runs ${id} --cursor ${list.next_cursor}`;
    show(context, options, list, () =>
      rows.length === 0 ? 'it was never due' : `${tableOf(['due', '', 'state', 'why', 'run', 'session'], rows)}${more}`,
    );
  });
}

function deleteOneCommand(context: Context): Command {
  const command = deleteCommand().description('delete a job, and end its runs').argument('<job>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const job = await connect(context, options, 'admin').client.read(Job, pathOf(id), { method: 'DELETE' });
    show(context, options, job, () => `${job.job_id} deleted`);
  });
}

// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { momentOf, tableOf } from '../terminal.ts';
import { describeJob, describeStart, dueOf, Job, JobStart } from './views.ts';
import { wishOf, wishOptions, type WishOptions } from './wish.ts';

interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;
const pathOf = (id: string): string => `/v1/jobs/${encodeURIComponent(id)}`;
const paged = (command: Command): Command =>
  command
    .option('--limit <n>', 'rows of a page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'where the page begins');

/** `writ job`. */
export function jobCommand(context: Context): Command {
  return new Command('job')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(showCommand(context))
    .addCommand(changeCommand(context))
    .addCommand(verbCommand(context, 'pause', 'let a job come due no more', 'operator'))
    .addCommand(verbCommand(context, 'resume', 'let a job come due again', 'admin'))
    .addCommand(runCommand(context))
    .addCommand(runsCommand(context))
    .addCommand(deleteCommand(context));
}

function listCommand(context: Context): Command {
  const command = paged(new Command('list').description('what agents do by the clock'));
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
      rows.length === 0 ? 'there is none' : `${tableOf(['job', 'name', 'due', 'cron', 'agent', 'lists'], rows)}${more}`,
    );
  });
}

function createCommand(context: Context): Command {
  const command = wishOptions(
    new Command('create')
      .description("a task for an agent by the clock; what it doesn't list, its runs change nothing with")
      .argument('<name>'),
  );
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<WishOptions>();
    const body = await wishOf(context, { ...options, name }, null);
    const job = await connect(context, options, 'admin').client.read(Job, '/v1/jobs', { method: 'POST', body });
    show(context, options, job, () => describeJob(job));
  });
}

function showCommand(context: Context): Command {
  const command = new Command('show').description('one job').argument('<job>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const job = await connect(context, options, 'operator').client.read(Job, pathOf(id));
    show(context, options, job, () => describeJob(job));
  });
}

function changeCommand(context: Context): Command {
  const command = wishOptions(
    new Command('change')
      .description('say anew what a job is; what is not said stays')
      .argument('<job>')
      .option('--name <name>')
      .option('--only-reads', 'lists nothing any more'),
  );
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<WishOptions>();
    const { client } = connect(context, options, 'admin');
    const body = await wishOf(context, options, await client.read(Job, pathOf(id)));
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
    .option('--idempotency-key <key>', 'the same key starts it once');
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
  const command = paged(new Command('runs').description('what became of each due time').argument('<job>'));
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

function deleteCommand(context: Context): Command {
  const command = new Command('delete').description('take a job away, and end its runs').argument('<job>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const job = await connect(context, options, 'admin').client.read(Job, pathOf(id), { method: 'DELETE' });
    show(context, options, job, () => `${job.job_id} deleted`);
  });
}

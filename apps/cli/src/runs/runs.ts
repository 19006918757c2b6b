// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { show, showItem, type CommonOptions, type Context } from '../context.ts';
import { followRun } from '../follow-run.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { momentOf, tableOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';
import { lineOf } from './event-lines.ts';
import { recordCommand } from './record.ts';
import { replayCommand } from './replay.ts';
import { describeRun, describeSession, Run, Session, stateOf } from './views.ts';

interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
}
interface ForkOptions extends CommonOptions {
  readonly after: number;
  readonly name?: string;
  readonly model?: string;
}

const LIST_ROWS = 50;
const pathOf = (id: string): string => `/v1/runs/${encodeURIComponent(id)}`;

/** `writ run`. */
export function runCommand(context: Context): Command {
  return new Command('run')
    .addCommand(listCommand(context))
    .addCommand(showCommand(context))
    .addCommand(eventsCommand(context))
    .addCommand(cancelCommand(context))
    .addCommand(forkCommand(context))
    .addCommand(replayCommand(context))
    .addCommand(recordCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('the runs of a session, newest first')
    .argument('<session>')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async (session: string) => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(
      connect(context, options, 'operator').client,
      Run,
      `/v1/sessions/${encodeURIComponent(session)}/runs`,
      { limit: options.limit, cursor: options.cursor },
    );
    const rows = list.items.map((run) => [
      run.run_id,
      stateOf(run),
      momentOf(run.created_at),
      String(run.rounds),
      String(run.input_tokens + run.output_tokens),
      run.model,
    ]);
    const more = list.next_cursor === null ? '' : `\nmore: writ run list ${session} --cursor ${list.next_cursor}`;
    show(context, options, list, () =>
      rows.length === 0 ? 'none' : `${tableOf(['run', 'state', 'asked', 'rounds', 'tokens', 'model'], rows)}${more}`,
    );
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('the status of a run').argument('<run>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const run = await connect(context, options, 'operator').client.read(Run, pathOf(id));
    show(context, options, run, () => describeRun(run));
  });
}

/**
 * Follows the run to its end over as many connections as needed. Durable events come once and in order. With `--json`,
 * one line of JSON per event.
 */
function eventsCommand(context: Context): Command {
  const command = new Command('events')
    .description('the events of a run, until it ends')
    .argument('<run>')
    .option('--after <seq>', 'only later events than this one', parseCount, 0);
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions & { after: number }>();
    const { client } = connect(context, options, 'operator');
    const { state, events } = await client.read(Run, pathOf(id));
    // No event follows the last event of a run.
    if (state === 'ended' && options.after >= events) return;
    for await (const event of followRun(client, id, { after: options.after })) {
      // Streamed text is incomplete and is not repeated after a reconnect: `writ chat` shows it.
      if (!('seq' in event) || event.seq === undefined) continue;
      showItem(context, options, event, () => lineOf(event));
    }
  });
}

function cancelCommand(context: Context): Command {
  const command = new Command('cancel')
    .description('cancel a run, and its calls that have not ended')
    .argument('<run>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const run = await connect(context, options, 'operator').client.read(Run, `${pathOf(id)}/cancel`, {
      method: 'POST',
      body: {},
    });
    show(context, options, run, () =>
      run.state === 'ended' ? `${run.run_id} has ended: ${run.stopped ?? ''}` : `${run.run_id} ends as cancelled soon`,
    );
  });
}

function forkCommand(context: Context): Command {
  const command = new Command('fork')
    .description('a new session with the conversation up to an event of a run')
    .argument('<run>')
    .requiredOption('--after <seq>', 'the last event to include; 0: the conversation before the run', parseCount)
    .option('--name <name>', 'a name for the new session')
    .option('--model <name>', "another model than the run's");
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<ForkOptions>();
    const { after, name, model } = options;
    const session = await connect(context, options, 'admin').client.read(Session, `${pathOf(id)}/fork`, {
      method: 'POST',
      body: { after, name, model },
    });
    show(context, options, session, () => describeSession(session));
  });
}

// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { Type } from 'typebox';
import { CliError } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import { deleteCommand } from '../delete-command.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { parseRunEvent } from '../run-schemas.ts';
import { momentOf, tableOf } from '../terminal.ts';
import { visible } from '../visible.ts';
import { getVerb } from '../verbs.ts';
import { lineOf } from './event-lines.ts';
import { describeSession, Run, Session, stateOf } from './views.ts';

interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly workspace?: string;
  readonly run?: string;
}

const LIST_ROWS = 50;
/** A day. A transfer that takes longer has lost its connection. */
const LINES_MS = 24 * 3_600_000;
/** The last line of a transcript, and an upper bound of its length. */
const END = /(?:^|\n)\{"line":"end"[^\n]*\}\n$/;
const END_CHARS = 1_000;
const BROKE_OFF = 'the transcript broke off before its last line: ask again';
const pathOf = (id: string): string => `/v1/sessions/${encodeURIComponent(id)}`;
const Transcript = Type.Object({
  session: Session,
  runs: Type.Array(
    Type.Object({ run: Run, input: Type.String(), events: Type.Array(Type.Object({ kind: Type.String() })) }),
  ),
});

/** `writ session`. */
export function sessionCommand(context: Context): Command {
  return new Command('session')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(transcriptCommand(context))
    .addCommand(deleteOneCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('conversations of agents, newest first')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show')
    .option('--workspace <id>', 'only those in this workspace')
    .option('--run <id>', 'those of the sub-agents of this run, which are not listed otherwise');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const { limit, cursor, workspace, run } = options;
    const list = await readList(connect(context, options, 'operator').client, Session, '/v1/sessions', {
      limit,
      cursor,
      workspace_id: workspace,
      run_id: run,
    });
    const rows = list.items.map((session) => [
      session.session_id,
      session.name ?? '',
      momentOf(session.created_at),
      session.agent_id,
      session.workspace_id,
      session.model,
    ]);
    const more = list.next_cursor === null ? '' : `\nmore: writ session list --cursor ${list.next_cursor}`;
    show(context, options, list, () =>
      rows.length === 0
        ? 'none'
        : `${tableOf(['session', 'name', 'made', 'agent', 'workspace', 'model'], rows)}${more}`,
    );
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one session').argument('<session>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const session = await connect(context, options, 'operator').client.read(Session, pathOf(id));
    show(context, options, session, () => `${describeSession(session)}\nits runs: writ run list ${session.session_id}`);
  });
}

function transcriptCommand(context: Context): Command {
  const command = new Command('transcript')
    .description('all messages and calls of a session, run by run')
    .argument('<session>')
    .option('--ndjson', "the API's lines of JSON, without a limit of length");
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions & { ndjson?: boolean }>();
    if (options.ndjson === true)
      return await copyLines(context, connect(context, options, 'operator').client, `${pathOf(id)}/transcript.ndjson`);
    const transcript = await connect(context, options, 'operator').client.read(Transcript, `${pathOf(id)}/transcript`);
    show(
      context,
      options,
      transcript,
      () =>
        transcript.runs
          .map(({ run, input, events }) =>
            [
              `${run.run_id} ${stateOf(run)}`,
              ...visible(input)
                .trimEnd()
                .split('\n')
                .map((line) => `> ${line}`),
              ...events.flatMap((event) => {
                const known = parseRunEvent(event.kind, JSON.stringify(event));
                return known === null ? [] : [lineOf(known)];
              }),
            ].join('\n'),
          )
          .join('\n\n') || 'nothing was said',
    );
  });
}

/** Writes the lines as they arrive. @throws CliError where they end before the line that marks the end */
async function copyLines(context: Context, client: Client, path: string): Promise<void> {
  const { body } = await client.request(path, { headers: { accept: 'application/x-ndjson' }, timeoutMs: LINES_MS });
  if (body === null) throw new CliError('answer', 'the transcript has no body');
  let last = '';
  try {
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      context.write(text);
      last = `${last}${text}`.slice(-END_CHARS);
    }
  } catch (cause) {
    throw new CliError('answer', BROKE_OFF, undefined, { cause });
  }
  if (!END.test(last)) throw new CliError('answer', BROKE_OFF);
}

function deleteOneCommand(context: Context): Command {
  const command = deleteCommand()
    .description('delete a session with its runs and messages; receipts of its calls stay')
    .argument('<session>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const session = await connect(context, options, 'admin').client.read(Session, pathOf(id), { method: 'DELETE' });
    show(context, options, session, () => `${session.session_id} deleted`);
  });
}

// SPDX-License-Identifier: Apache-2.0
import { ErasurePlan, ErasureView } from '@writ/contract';
import { Command } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type CommonOptions, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';

interface EraseOptions extends CommonOptions {
  readonly operation?: string;
  readonly session?: string;
  readonly subject?: string;
  readonly before?: string;
  readonly reason?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;
const PATH = '/v1/erasures';

/** `writ erase`: deletes the contents of calls permanently; their records stay. */
export function eraseCommand(context: Context): Command {
  const command = new Command('erase')
    .description('erase the content of calls for good; records and receipts stay')
    .option('--operation <id>', 'of one call')
    .option('--session <id>', 'of the calls of a session')
    .option('--subject <id>', 'of calls with this data subject; the agent id counts for calls that name none')
    .option('--before <moment>', 'of all calls made before it, such as 2026-01-31T09:30:00Z')
    .option('--reason <code>', 'why: a code of your own, such as gdpr-art-17')
    .option('--dry-run', 'show what would be erased')
    .option('--yes', 'erase without confirmation')
    .addCommand(listCommand(context))
    .addCommand(showCommand(context));
  return command.action(async () => {
    const options = command.optsWithGlobals<EraseOptions>();
    const body = bodyOf(options);
    const { client } = connect(context, options, 'admin');
    if (options.dryRun === true) {
      const plan = await planOf(client, body);
      return show(context, options, plan, () => describePlan(plan));
    }
    if (options.yes !== true) await requireYes(context, client, body);
    const erasure = await client.read(ErasureView, PATH, { method: 'POST', body });
    show(context, options, erasure, () => describe(erasure));
  });
}

function bodyOf({ operation, session, subject, before, reason, dryRun }: EraseOptions): Record<string, string> {
  const selectors = Object.entries({ operation_id: operation, session_id: session, subject, before }).filter(
    (each): each is [string, string] => each[1] !== undefined,
  );
  if (selectors.length !== 1)
    throw usage('name what to erase: exactly one of `--operation`, `--session`, `--subject` and `--before`');
  if (reason === undefined && dryRun !== true)
    throw usage('give a reason, as a code: `--reason gdpr-art-17`; it is kept with the erasure');
  return { ...Object.fromEntries(selectors), reason_code: reason ?? 'dry-run' };
}

const planOf = async (client: Client, body: Record<string, string>): Promise<ErasurePlan> =>
  await client.read(ErasurePlan, PATH, { method: 'POST', body: { ...body, dry_run: true } });

async function requireYes(context: Context, client: Client, body: Record<string, string>): Promise<void> {
  if (context.confirm === null)
    throw usage("this is no terminal, and an erasure can't be undone: confirm with `--yes`");
  const plan = await planOf(client, body);
  if (!(await context.confirm(`${describePlan(plan)}\nThis can't be undone.`)))
    throw new CliError('not_confirmed', 'nothing was erased');
}

function describePlan({ operations, unfinished, more, sessions = 0 }: ErasurePlan): string {
  const waiting = unfinished === 0 ? '' : `; ${unfinished} have not ended`;
  return `the content of ${operations}${more ? ' or more' : ''} call${operations === 1 && !more ? '' : 's'} would be erased${sessions === 0 ? '' : `, and all that was said in ${sessions} session${sessions === 1 ? '' : 's'}`}${waiting}`;
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('erasures, newest first')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'admin').client, ErasureView, PATH, {
      limit: options.limit,
      cursor: options.cursor,
    });
    const rows = list.items.map((each) => [
      momentOf(each.created_at),
      each.erasure_id,
      each.selector,
      whatOf(each),
      String(each.operations),
      each.state,
      each.reason_code,
    ]);
    show(context, options, list, () =>
      rows.length === 0
        ? 'nothing was erased'
        : tableOf(['since', 'erasure', 'of', 'what', 'calls', 'state', 'why'], rows),
    );
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one erasure').argument('<erasure>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const erasure = await connect(context, options, 'admin').client.read(
      ErasureView,
      `${PATH}/${encodeURIComponent(id)}`,
    );
    show(context, options, erasure, () => describe(erasure));
  });
}

const whatOf = ({ operation_id, session_id, subject, before }: ErasureView): string =>
  operation_id ?? session_id ?? subject ?? momentOf(before ?? 0);

function describe(erasure: ErasureView): string {
  const { records, record_id } = erasure;
  return fieldsOf({
    erasure: erasure.erasure_id,
    state: erasure.state,
    of: erasure.selector,
    what: whatOf(erasure),
    why: erasure.reason_code,
    erased: `${erasure.operations} call${erasure.operations === 1 ? '' : 's'}`,
    sessions: (erasure.sessions ?? 0) === 0 ? null : `${erasure.sessions ?? 0} with all that was said in them`,
    runs: (erasure.runs ?? 0) === 0 ? null : `${erasure.runs ?? 0} of sessions that go on`,
    'passed over': erasure.unfinished === 0 ? null : `${erasure.unfinished} that had not ended`,
    record:
      record_id === null
        ? 'none: nothing was left to erase'
        : `${record_id}${records > 1 ? `, the last of ${records}` : ''}`,
    asked: `${momentOf(erasure.created_at)} by ${erasure.requested_by}`,
    done: erasure.finished_at === null ? null : momentOf(erasure.finished_at),
    next: erasure.state === 'running' ? `writ erase show ${erasure.erasure_id}` : null,
  });
}

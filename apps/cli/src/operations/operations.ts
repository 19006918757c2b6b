// SPDX-License-Identifier: Apache-2.0
import { EgressRequestPage, isFinal, OperationView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { bodyOf, votesOf, describeFullOutput } from '../describe-result.ts';
import { connect } from '../http/connection.ts';
import { parseCount, queryOf, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, paintState, tableOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { getVerb } from '../verbs.ts';
import { outputCommand } from './output.ts';

interface ListOptions extends CommonOptions {
  readonly state?: string;
  readonly tool?: string;
  readonly agent?: string;
  readonly workspace?: string;
  readonly session?: string;
  readonly schedulingClass?: string;
  readonly unresolved?: true;
  readonly limit?: number;
  readonly cursor?: string;
}

/** One long poll, as long as the API allows. */
const WATCH_MS = 30_000;
const LIST_ROWS = 50;

/** `writ operations`. */
export function operationsCommand(context: Context): Command {
  return new Command('operation')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(requestsCommand(context))
    .addCommand(outputCommand(context))
    .addCommand(cancelCommand(context))
    .addCommand(resolveCommand(context))
    .addCommand(watchCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('the newest first')
    .option('--state <state>')
    .option('--tool <id>')
    .option('--agent <id>')
    .option('--workspace <id>')
    .option('--session <id>')
    .option('--scheduling-class <class>', 'interactive, background or maintenance')
    .option('--unresolved', 'only ambiguous ones without a resolution')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'admin').client, OperationView, '/v1/operations', {
      state: options.state,
      tool_id: options.tool,
      agent_id: options.agent,
      workspace_id: options.workspace,
      session_id: options.session,
      scheduling_class: options.schedulingClass,
      unresolved: options.unresolved === true ? 'true' : undefined,
      limit: options.limit,
      cursor: options.cursor,
    });
    const rows = list.items.map((each) => [
      momentOf(each.created_at),
      each.operation_id,
      each.tool_id,
      each.state,
      each.result?.error?.code ?? '',
    ]);
    const more = list.next_cursor === null ? '' : `\nmore: writ operation list --cursor ${list.next_cursor}`;
    show(context, options, list, () => `${tableOf(['proposed', 'operation', 'tool', 'state', 'why'], rows)}${more}`);
  });
}

function showCommand(context: Context): Command {
  const command = getVerb().description('one operation').argument('<operation>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const operation = await connect(context, options, 'admin').client.read(
      OperationView,
      `/v1/operations/${encodeURIComponent(id)}`,
    );
    show(context, options, operation, () => describe(operation));
  });
}

function requestsCommand(context: Context): Command {
  const command = new Command('requests')
    .description('the network requests of a call')
    .argument('<operation>')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<ListOptions>();
    const page = await connect(context, options, 'admin').client.read(
      EgressRequestPage,
      `/v1/operations/${encodeURIComponent(id)}/requests${queryOf({ limit: options.limit, cursor: options.cursor })}`,
    );
    const rows = page.items.map((each) => [
      `${each.at_ms} ms`,
      each.method,
      visibleLine(each.target),
      each.outcome,
      each.status === null ? visibleLine(each.reason ?? '') : String(each.status),
      String(each.sent_bytes),
      String(each.received_bytes),
    ]);
    const more = page.next_cursor === null ? '' : `\nmore: --cursor ${page.next_cursor}`;
    show(
      context,
      options,
      page,
      () =>
        `${tableOf(['at', 'method', 'to', 'outcome', 'answer', 'sent', 'received'], rows)}\n${page.total} in all${more}`,
    );
  });
}

function cancelCommand(context: Context): Command {
  const command = new Command('cancel').description('cancel a call that waits or runs').argument('<operation>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const operation = await connect(context, options, 'operator').client.read(
      OperationView,
      `/v1/operations/${encodeURIComponent(id)}/cancel`,
      { method: 'POST', body: {} },
    );
    show(context, options, operation, () => describe(operation));
  });
}

function resolveCommand(context: Context): Command {
  const command = new Command('resolve')
    .description('record the outcome of an ambiguous operation')
    .argument('<operation>')
    .requiredOption('--outcome <outcome>', 'committed or rolled_back')
    .requiredOption('--note <text>', 'how you know');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions & { outcome: string; note: string }>();
    const { client } = connect(context, options, 'operator');
    const body = { outcome: options.outcome, note: options.note };
    const operation = await client.read(OperationView, `/v1/operations/${encodeURIComponent(id)}/resolve`, {
      method: 'POST',
      body,
    });
    show(context, options, operation, () => describe(operation));
  });
}

function watchCommand(context: Context): Command {
  const command = new Command('watch').description('follow an operation to its end').argument('<operation>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { client } = connect(context, options, 'admin');
    let last = '';
    for (;;) {
      const operation = await client.read(
        OperationView,
        `/v1/operations/${encodeURIComponent(id)}${last === '' ? '' : `?wait=${WATCH_MS}`}`,
      );
      if (isFinal(operation.state)) return show(context, options, operation, () => describe(operation));
      // Progress is for people: stdout holds only the final value.
      if (operation.state !== last)
        context.writeError(`${momentOf(operation.updated_at)} ${paintState(operation.state)}\n`);
      last = operation.state;
    }
  });
}

function describe(operation: OperationView): string {
  const { result, resolution } = operation;
  return fieldsOf({
    operation: operation.operation_id,
    state: operation.state,
    votes: operation.votes === undefined ? null : votesOf(operation.votes),
    resolved:
      resolution === null
        ? null
        : `${resolution.outcome}: ${resolution.note}\n${momentOf(resolution.resolved_at)} by ${resolution.resolved_by}`,
    erased:
      operation.erased === undefined
        ? null
        : `its content, ${momentOf(operation.erased.at)}, by ${operation.erased.erasure_id} (${operation.erased.record_id})`,
    tool: operation.tool_id,
    class: operation.scheduling_class,
    error: result?.error ? `${result.error.code}: ${result.error.message}` : null,
    reasons: operation.reasons.map(({ code, message }) => `${code}: ${message}`).join('\n'),
    risk: `${operation.risk_score} (${operation.autonomy_mode})${operation.risk_basis.length > 0 ? ` by ${operation.risk_basis.join(', ')}` : ''}`,
    agent: operation.agent_id,
    token: operation.capability_token_id,
    workspace: operation.workspace_id,
    approval: operation.approval_id,
    attempt: operation.attempt,
    proposed: momentOf(operation.created_at),
    changed: momentOf(operation.updated_at),
    snapshot: result?.new_snapshot_id,
    receipt: result?.receipt?.state,
    output: result?.whole_output === undefined ? null : describeFullOutput(result.operation_id, result.whole_output),
    result: bodyOf(result?.result).trimEnd(),
  });
}

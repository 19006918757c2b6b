// SPDX-License-Identifier: Apache-2.0
import { ApprovalView, OperationView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';

interface ListOptions extends CommonOptions {
  readonly state?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;

/** `writ approvals`. Decisions are the operator's: nobody approves their own call. */
export function approvalsCommand(context: Context): Command {
  return new Command('approvals')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(showCommand(context))
    .addCommand(decideCommand(context, 'approve', 'let it run'))
    .addCommand(decideCommand(context, 'deny', 'end it'));
}

function listCommand(context: Context): Command {
  const command = new Command('list').description('what waits, the newest first')
    .option('--state <state>', 'pending, approved, denied, expired, cancelled or all', 'pending')
    .option('--limit <n>', 'rows of a page', parseCount, LIST_ROWS).option('--cursor <text>', 'where the page begins');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'operator').client, ApprovalView, '/v1/approvals', {
      state: options.state === 'all' ? undefined : options.state, limit: options.limit, cursor: options.cursor,
    });
    const rows = list.items.map((each) => [momentOf(each.created_at), each.approval_id, each.tool_id, each.state, each.reasons.map(({ message }) => message).join('; ')]);
    show(context, options, list, () => (rows.length === 0 ? 'nothing waits' : tableOf(['held', 'approval', 'tool', 'state', 'why'], rows)));
  });
}

function showCommand(context: Context): Command {
  const command = new Command('show').description('what would run, and why it waits').argument('<approval>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const approval = await connect(context, options, 'operator').client.read(ApprovalView, `/v1/approvals/${encodeURIComponent(id)}`);
    show(context, options, approval, () => describe(approval));
  });
}

function decideCommand(context: Context, verb: 'approve' | 'deny', summary: string): Command {
  const command = new Command(verb).description(summary).argument('<approval>').option('--comment <text>', 'for those who read it later');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions & { comment?: string }>();
    const { client } = connect(context, options, 'operator');
    const operation = await client.read(OperationView, `/v1/approvals/${encodeURIComponent(id)}/${verb}`, { method: 'POST', body: { comment: options.comment } });
    show(context, options, operation, () => fieldsOf({ operation: operation.operation_id, state: operation.state, tool: operation.tool_id }));
  });
}

function describe(approval: ApprovalView): string {
  return fieldsOf({
    approval: approval.approval_id,
    state: approval.state,
    'would run': `${approval.tool_id}\n${JSON.stringify(approval.args, null, 2)}`,
    why: approval.reasons.map(({ code, message }) => `${code}: ${message}`).join('\n'),
    supervision: approval.autonomy_mode,
    'approval of': approval.of === 'action' ? 'the action: it runs after approval, and its effect is checked then' : 'exactly the effect shown',
    agent: approval.agent_id,
    operation: approval.operation_id,
    held: momentOf(approval.created_at),
    expires: momentOf(approval.expires_at),
    decided: approval.decided_at === null ? null : `${momentOf(approval.decided_at)} by ${approval.decided_by ?? '?'}`,
    comment: approval.comment,
  });
}

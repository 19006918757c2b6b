// SPDX-License-Identifier: Apache-2.0
import { SandboxLogs, SandboxView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { visible } from '../visible.ts';

const LIST_ROWS = 50;

const pathOf = (id: string, verb: string): string => `/v1/sandboxes/${encodeURIComponent(id)}/${verb}`;
const whatOf = ({ kind, tool_id, session_id }: SandboxView): string => (kind === 'session' ? `session ${session_id ?? ''}`.trim() : kind === 'preview' ? `preview of ${tool_id}` : tool_id);

/** `writ sandbox`: containers that have a call or a session now. */
export function sandboxCommand(context: Context): Command {
  return new Command('sandbox').addCommand(listCommand(context), { isDefault: true }).addCommand(logsCommand(context)).addCommand(killCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('ls').description('what runs now; of every tenant with --as platform')
    .option('--limit <n>', 'rows of a page', parseCount, LIST_ROWS).option('--cursor <text>', 'where the page begins');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions & { limit?: number; cursor?: string }>();
    const list = await readList(connect(context, options, 'operator').client, SandboxView, '/v1/sandboxes', { limit: options.limit, cursor: options.cursor });
    show(context, options, list, () => tableOf(['since', 'sandbox', 'has', 'agent', 'executor'], list.items.map((each) =>
      [momentOf(each.created_at), each.sandbox_id, whatOf(each), each.agent_id, each.executor_id])));
  });
}

function logsCommand(context: Context): Command {
  const command = new Command('logs').description('the end of what has come out of it so far').argument('<sandbox>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const logs = await connect(context, options, 'operator').client.read(SandboxLogs, pathOf(id, 'logs'));
    show(context, options, logs, () => (logs.withheld ? `${logs.output_bytes} bytes so far; a call with secrets shows nothing while it runs` : visible(logs.output)));
  });
}

function killCommand(context: Context): Command {
  const command = new Command('kill').description('ends its call as `sandbox.killed`, or takes a session its shell').argument('<sandbox>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const sandbox = await connect(context, options, 'operator').client.read(SandboxView, pathOf(id, 'kill'), { method: 'POST', body: {} });
    show(context, options, sandbox, () => fieldsOf({ killed: sandbox.sandbox_id, has: whatOf(sandbox), ...(sandbox.operation_id === null ? {} : { operation: sandbox.operation_id }) }));
  });
}

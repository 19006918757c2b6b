// SPDX-License-Identifier: Apache-2.0
import { ContainerLogs, ContainerView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { visible } from '../visible.ts';

const LIST_ROWS = 50;

const pathOf = (id: string, verb: string): string => `/v1/containers/${encodeURIComponent(id)}/${verb}`;
function whatOf({ kind, tool_id, session_id, resource_id }: ContainerView): string {
  if (resource_id !== null) return `container ${resource_id}`;
  if (kind === 'session') return `session ${session_id ?? ''}`.trim();
  return kind === 'preview' ? `preview of ${tool_id}` : tool_id;
}

/** `writ container`: the containers that run a call or a session now. */
export function containerCommand(context: Context): Command {
  return new Command('container')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(logsCommand(context))
    .addCommand(killCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .description('containers that run now; with --as platform, those of every tenant')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions & { limit?: number; cursor?: string }>();
    const list = await readList(connect(context, options, 'operator').client, ContainerView, '/v1/containers', {
      limit: options.limit,
      cursor: options.cursor,
    });
    show(context, options, list, () =>
      tableOf(
        ['since', 'container', 'has', 'agent', 'executor'],
        list.items.map((each) => [
          momentOf(each.created_at),
          each.container_id,
          whatOf(each),
          each.agent_id,
          each.executor_id,
        ]),
      ),
    );
  });
}

function logsCommand(context: Context): Command {
  const command = new Command('logs').description('the last part of its output so far').argument('<container>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const logs = await connect(context, options, 'operator').client.read(ContainerLogs, pathOf(id, 'logs'));
    show(context, options, logs, () =>
      logs.withheld
        ? `${logs.output_bytes} bytes so far; a call with secrets shows nothing while it runs`
        : visible(logs.output),
    );
  });
}

function killCommand(context: Context): Command {
  const command = new Command('kill')
    .description('ends its call as `sandbox.killed`, or closes the shell of a session')
    .argument('<container>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const container = await connect(context, options, 'operator').client.read(ContainerView, pathOf(id, 'kill'), {
      method: 'POST',
      body: {},
    });
    show(context, options, container, () =>
      fieldsOf({
        killed: container.container_id,
        has: whatOf(container),
        ...(container.operation_id === null ? {} : { operation: container.operation_id }),
      }),
    );
  });
}

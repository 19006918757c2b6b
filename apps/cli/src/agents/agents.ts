// SPDX-License-Identifier: Apache-2.0
import { AgentView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';

interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;

const describe = (agent: AgentView): string =>
  fieldsOf({ agent: agent.agent_id, name: agent.name, created: momentOf(agent.created_at) });

/** `writ agents`. */
export function agentsCommand(context: Context): Command {
  return new Command('agents')
    .addCommand(listCommand(context), { isDefault: true })
    .addCommand(createCommand(context))
    .addCommand(showCommand(context));
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'admin').client, AgentView, '/v1/agents', {
      limit: options.limit,
      cursor: options.cursor,
    });
    show(context, options, list, () =>
      tableOf(
        ['created', 'agent', 'name'],
        list.items.map((each) => [momentOf(each.created_at), each.agent_id, each.name]),
      ),
    );
  });
}

function createCommand(context: Context): Command {
  const command = new Command('create').argument('<name>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const agent = await connect(context, options, 'admin').client.read(AgentView, '/v1/agents', {
      method: 'POST',
      body: { name },
    });
    show(context, options, agent, () => describe(agent));
  });
}

function showCommand(context: Context): Command {
  const command = new Command('show').argument('<agent>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const agent = await connect(context, options, 'admin').client.read(
      AgentView,
      `/v1/agents/${encodeURIComponent(id)}`,
    );
    show(context, options, agent, () => describe(agent));
  });
}

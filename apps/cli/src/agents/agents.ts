// SPDX-License-Identifier: Apache-2.0
import { AgentView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { listCommand } from '../list-command.ts';
import { fieldsOf, momentOf } from '../terminal.ts';
import { getVerb } from '../verbs.ts';

const describe = (agent: AgentView): string =>
  fieldsOf({ agent: agent.agent_id, name: agent.name, created: momentOf(agent.created_at) });

/** `writ agents`. */
export function agentsCommand(context: Context): Command {
  return new Command('agent')
    .addCommand(
      listCommand(context, {
        item: AgentView,
        path: '/v1/agents',
        head: ['created', 'agent', 'name'],
        rowOf: (each) => [momentOf(each.created_at), each.agent_id, each.name],
        holder: 'admin',
      }),
      { isDefault: true },
    )
    .addCommand(createCommand(context))
    .addCommand(showCommand(context));
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
  const command = getVerb().argument('<agent>');
  return command.action(async (id: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const agent = await connect(context, options, 'admin').client.read(
      AgentView,
      `/v1/agents/${encodeURIComponent(id)}`,
    );
    show(context, options, agent, () => describe(agent));
  });
}

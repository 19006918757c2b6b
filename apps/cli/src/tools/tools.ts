// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { Type } from 'typebox';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { tableOf } from '../terminal.ts';

const Tool = Type.Object({ tool_id: Type.String(), description: Type.String(), category: Type.String(), class: Type.String(), mutating: Type.Boolean() });
const Tools = Type.Object({ items: Type.Array(Tool) });

/** `writ tools`. */
export function toolsCommand(context: Context): Command {
  const command = new Command('tools');
  return command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions>();
    const list = await connect(context, options, 'admin').client.read(Tools, '/v1/tools');
    show(context, options, list, () => tableOf(['tool', 'category', 'runs', 'what it does'], list.items.map((tool) => [tool.tool_id, tool.category, tool.class, tool.description])));
  });
}

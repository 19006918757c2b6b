// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { Type } from 'typebox';
import { show, type CommonOptions, type Context } from './context.ts';
import { connect } from './http/connection.ts';

const Removed = Type.Object({ removed: Type.String() });

/** `delete`, the verb of each command that removes something. `rm` and `remove` mean the same. */
export const deleteCommand = (): Command => new Command('delete').aliases(['rm', 'remove']);

/** `delete` of something that has a name, and whose removal is answered with it. */
export function deleteNamedCommand(
  context: Context,
  argument: string,
  description: string,
  pathOf: (name: string) => string,
): Command {
  const command = deleteCommand().description(description).argument(`<${argument}>`);
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const { removed } = await connect(context, options, 'admin').client.read(Removed, pathOf(name), {
      method: 'DELETE',
    });
    show(context, options, { removed }, () => `removed ${removed}`);
  });
}

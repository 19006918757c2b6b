// SPDX-License-Identifier: Apache-2.0
import { isUtf8 } from 'node:buffer';
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';
import { visible } from '../visible.ts';
import { AT, pathOf, encodePath, withWorkspace, type StateOptions } from './workspace-options.ts';

/** `writ workspace cat PATH`. Control characters are escaped; `export` and `download` return the bytes unchanged. */
export function catCommand(context: Context): Command {
  const command = withWorkspace(new Command('cat').description('the text of a file').argument('<path>')).option(
    '--at <state>',
    AT,
  );
  return command.action(async (path: string) => {
    const options = command.optsWithGlobals<StateOptions>();
    const connection = connect(context, options, 'admin');
    const answer = await connection.client.request(
      `${pathOf(connection, options)}/files/${encodePath(path)}${queryOf({ at: options.at })}`,
    );
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (!isUtf8(bytes))
      throw usage(`\`${path}\` is no text: \`writ workspace download\` or \`export\` gives it as it is`);
    const content = bytes.toString('utf8');
    show(context, options, { path, content }, () => visible(content.replace(/\n$/, '')));
  });
}

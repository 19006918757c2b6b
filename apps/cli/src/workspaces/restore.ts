// SPDX-License-Identifier: Apache-2.0
import { WorkspaceView } from '@writ/contract';
import { Command } from 'commander';
import { show, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { fieldsOf } from '../terminal.ts';
import { AT, pathOf, withWorkspace, type WorkspaceOptions } from './workspace-options.ts';

interface RestoreOptions extends WorkspaceOptions {
  readonly ifHead?: string;
}

/** `writ workspace restore STATE [PATH]`. */
export function restoreCommand(context: Context): Command {
  const command = withWorkspace(
    new Command('restore').description('restore an earlier state, as a new state; another restore undoes it'),
  )
    .argument('<state>', AT)
    .argument('[path]', 'only this path and all below it; everything by default')
    .option('--if-head <snapshot>', 'only if this is still the head');
  return command.action(async (at: string, path: string | undefined) => {
    const options = command.optsWithGlobals<RestoreOptions>();
    const connection = connect(context, options, 'admin');
    const body = {
      at,
      ...(path === undefined ? {} : { path }),
      ...(options.ifHead === undefined ? {} : { if_head: options.ifHead }),
    };
    const workspace = await connection.client.read(WorkspaceView, `${pathOf(connection, options)}/restore`, {
      method: 'POST',
      body,
    });
    show(context, options, workspace, () =>
      fieldsOf({ workspace: workspace.workspace_id, head: workspace.head_snapshot_id }),
    );
  });
}

// SPDX-License-Identifier: Apache-2.0
import { SnapshotView, WorkspaceView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { diffCommand } from './diff.ts';
import { downloadCommand } from './download.ts';
import { treeCommand } from './tree.ts';
import { uploadCommand } from './upload.ts';
import { pathOf, withWorkspace, type WorkspaceOptions } from './which.ts';

interface ListOptions extends WorkspaceOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;

/** `writ workspace`. */
export function workspaceCommand(context: Context): Command {
  const commands = [
    createCommand(context), snapshotsCommand(context), treeCommand(context), uploadCommand(context), downloadCommand(context), diffCommand(context),
  ];
  return commands.reduce((group, command) => group.addCommand(command), new Command('workspace').addCommand(listCommand(context), { isDefault: true }));
}

const describe = (workspace: WorkspaceView): string => fieldsOf({
  workspace: workspace.workspace_id, name: workspace.name, head: workspace.head_snapshot_id, created: momentOf(workspace.created_at), changed: momentOf(workspace.updated_at),
});

function createCommand(context: Context): Command {
  const command = new Command('create').description('an empty workspace').argument('<name>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const workspace = await connect(context, options, 'admin').client.read(WorkspaceView, '/v1/workspaces', { method: 'POST', body: { name } });
    show(context, options, workspace, () => describe(workspace));
  });
}

function listCommand(context: Context): Command {
  const command = new Command('list').option('--limit <n>', 'rows of a page', parseCount, LIST_ROWS).option('--cursor <text>', 'where the page begins');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'admin').client, WorkspaceView, '/v1/workspaces', { limit: options.limit, cursor: options.cursor });
    show(context, options, list, () => tableOf(['created', 'workspace', 'name'], list.items.map((each) => [momentOf(each.created_at), each.workspace_id, each.name])));
  });
}

function snapshotsCommand(context: Context): Command {
  const command = withWorkspace(new Command('snapshots').description('its history, the newest first'))
    .option('--limit <n>', 'rows of a page', parseCount, LIST_ROWS).option('--cursor <text>', 'where the page begins');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const connection = connect(context, options, 'admin');
    const list = await readList(connection.client, SnapshotView, `${pathOf(connection, options)}/snapshots`, { limit: options.limit, cursor: options.cursor });
    show(context, options, list, () => tableOf(['since', 'snapshot', 'made by'], list.items.map((each) => [momentOf(each.created_at), each.snapshot_id, each.operation_id ?? 'upload'])));
  });
}

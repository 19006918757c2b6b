// SPDX-License-Identifier: Apache-2.0
import { WorkspaceView } from '@writ/contract';
import { Command } from 'commander';
import { show, type CommonOptions, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { fieldsOf, momentOf, tableOf } from '../terminal.ts';
import { catCommand } from './cat.ts';
import { exportCommand, importCommand } from './archives.ts';
import { diffCommand } from './diff.ts';
import { downloadCommand } from './download.ts';
import { limitsCommand } from './limits.ts';
import { logCommand } from './log.ts';
import { restoreCommand } from './restore.ts';
import { lsCommand, treeCommand } from './tree.ts';
import { uploadCommand } from './upload.ts';

interface ListOptions extends CommonOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

const LIST_ROWS = 50;

/** `writ workspace`. */
export function workspaceCommand(context: Context): Command {
  const commands = [
    createCommand(context),
    logCommand(context),
    treeCommand(context),
    lsCommand(context),
    catCommand(context),
    diffCommand(context),
    restoreCommand(context),
    limitsCommand(context),
    uploadCommand(context),
    downloadCommand(context),
    importCommand(context),
    exportCommand(context),
  ];
  return commands.reduce(
    (group, command) => group.addCommand(command),
    new Command('workspace').addCommand(listCommand(context), { isDefault: true }),
  );
}

const describe = (workspace: WorkspaceView): string =>
  fieldsOf({
    workspace: workspace.workspace_id,
    name: workspace.name,
    head: workspace.head_snapshot_id,
    created: momentOf(workspace.created_at),
    changed: momentOf(workspace.updated_at),
  });

function createCommand(context: Context): Command {
  const command = new Command('create').description('an empty workspace').argument('<name>');
  return command.action(async (name: string) => {
    const options = command.optsWithGlobals<CommonOptions>();
    const workspace = await connect(context, options, 'admin').client.read(WorkspaceView, '/v1/workspaces', {
      method: 'POST',
      body: { name },
    });
    show(context, options, workspace, () => describe(workspace));
  });
}

function listCommand(context: Context): Command {
  const command = new Command('list')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<ListOptions>();
    const list = await readList(connect(context, options, 'admin').client, WorkspaceView, '/v1/workspaces', {
      limit: options.limit,
      cursor: options.cursor,
    });
    show(context, options, list, () =>
      tableOf(
        ['created', 'workspace', 'name'],
        list.items.map((each) => [momentOf(each.created_at), each.workspace_id, each.name]),
      ),
    );
  });
}

// SPDX-License-Identifier: Apache-2.0
import type { TreeEntry } from '@writ/contract';
import { Command } from 'commander';
import { show, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { visibleLine } from '../visible.ts';
import { readTree } from './read-tree.ts';
import { pathOf, withWorkspace, type WorkspaceOptions } from './which.ts';
import { paint } from '../terminal.ts';

/** Wide enough for the files of a source tree; a wider size moves its own line only. */
const SIZE_COLUMNS = 9;

/** `writ workspace tree [PATH]`. */
export function treeCommand(context: Context): Command {
  const command = withWorkspace(new Command('tree').description('its files').argument('[path]', 'a directory; all unless said'))
    .option('--snapshot <id>', 'an earlier state; the head unless said');
  return command.action(async (path: string | undefined) => {
    const options = command.optsWithGlobals<WorkspaceOptions & { snapshot?: string }>();
    const connection = connect(context, options, 'admin');
    const tree = await readTree(connection.client, pathOf(connection, options), { snapshot: options.snapshot, path });
    show(context, options, tree, () => [paint.dim(tree.snapshot_id), ...tree.entries.map(lineOf)].join('\n'));
  });
}

function lineOf({ path, state }: TreeEntry): string {
  const size = state.kind === 'file' ? String(state.size) : '';
  const mark = { file: state.mode === '755' ? '*' : '', dir: '/', symlink: '@' }[state.kind];
  return `${size.padStart(SIZE_COLUMNS)}  ${visibleLine(path)}${mark}`;
}

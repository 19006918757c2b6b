// SPDX-License-Identifier: Apache-2.0
import type { TreeEntry } from '@writ/contract';
import { Command } from 'commander';
import { show, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { visibleLine } from '../visible.ts';
import { readTree } from './read-tree.ts';
import { AT, pathOf, withWorkspace, type StateOptions } from './workspace-options.ts';
import { paint } from '../terminal.ts';

/** Wide enough for the files of a source tree; a longer size shifts only its own line. */
const SIZE_COLUMNS = 9;

/** `writ workspace tree [PATH]`. */
export const treeCommand = (context: Context): Command =>
  listing(context, new Command('tree').description('all files, recursively'));

/** `writ workspace ls [PATH]`. */
export const lsCommand = (context: Context): Command =>
  listing(context, new Command('ls').description('the files of a directory'), 1);

function listing(context: Context, bare: Command, depth?: number): Command {
  const command = withWorkspace(bare.argument('[path]', 'a directory; the workspace itself by default')).option(
    '--at <state>',
    `${AT}; the head by default`,
  );
  return command.action(async (path: string | undefined) => {
    const options = command.optsWithGlobals<StateOptions>();
    const connection = connect(context, options, 'admin');
    const tree = await readTree(connection.client, pathOf(connection, options), { at: options.at, path, depth });
    show(context, options, tree, () => [paint.dim(tree.snapshot_id), ...tree.entries.map(lineOf)].join('\n'));
  });
}

function lineOf({ path, state }: TreeEntry): string {
  const size = state.kind === 'file' ? String(state.size) : '';
  const mark = { file: state.mode === '755' ? '*' : '', dir: '/', symlink: '@' }[state.kind];
  return `${size.padStart(SIZE_COLUMNS)}  ${visibleLine(path)}${mark}`;
}

// SPDX-License-Identifier: Apache-2.0
import { DiffView, type Change, type FileState } from '@writ/contract';
import { Command } from 'commander';
import { show, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';
import { visibleLine } from '../visible.ts';
import { pathOf, withWorkspace, type WorkspaceOptions } from './which.ts';
import { paint } from '../terminal.ts';

/** `writ workspace diff FROM [TO]`. */
export function diffCommand(context: Context): Command {
  const command = withWorkspace(new Command('diff').description('what differs between two snapshots').argument('<from>').argument('[to]', 'the head unless said'));
  return command.action(async (from: string, to: string | undefined) => {
    const options = command.optsWithGlobals<WorkspaceOptions>();
    const connection = connect(context, options, 'admin');
    const delta = await connection.client.read(DiffView, `${pathOf(connection, options)}/diff${queryOf({ from, to })}`);
    show(context, options, delta, () => (delta.changes.length === 0 ? 'no difference' : delta.changes.map(lineOf).join('\n')));
  });
}

const HASH_CHARS = 12;

const stateText = (state: FileState | null): string => {
  if (state === null) return 'absent';
  return state.sha256 === null ? state.kind : `${state.kind === 'symlink' ? 'symlink ' : ''}${state.sha256.slice(0, HASH_CHARS)}${state.mode === '755' ? ' executable' : ''}`;
};

function lineOf({ path, before, after }: Change): string {
  const mark = before === null ? paint.green('A') : after === null ? paint.red('D') : paint.yellow('M');
  return `${mark} ${visibleLine(path)}  ${paint.dim(`${stateText(before)} → ${stateText(after)}`)}`;
}

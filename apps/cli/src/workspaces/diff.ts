// SPDX-License-Identifier: Apache-2.0
import { DiffView, TextDiff, type Change, type FileDiff, type FileState } from '@writ/contract';
import { Command } from 'commander';
import { show, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';
import { visible, visibleLine } from '../visible.ts';
import { AT, pathOf, withWorkspace, type WorkspaceOptions } from './workspace-options.ts';
import { paint } from '../terminal.ts';

interface DiffOptions extends WorkspaceOptions {
  readonly text?: boolean;
  readonly path?: string;
}

/** `writ workspace diff FROM [TO]`. */
export function diffCommand(context: Context): Command {
  const command = withWorkspace(
    new Command('diff')
      .description('the differences between two states')
      .argument('<from>', AT)
      .argument('[to]', 'the head by default'),
  )
    .option('--text', 'print unified diffs')
    .option('--path <path>', 'only this path and all below it');
  return command.action(async (from: string, to: string | undefined) => {
    const options = command.optsWithGlobals<DiffOptions>();
    const connection = connect(context, options, 'admin');
    const place = `${pathOf(connection, options)}/diff`;
    const query = queryOf({ from, to, path: options.path });
    if (options.text === true) {
      const { files, ...states } = await connection.client.read(TextDiff, `${place}/text${query}`);
      return show(context, options, { ...states, files }, () => textOf(files, states.files_total));
    }
    const delta = await connection.client.read(DiffView, `${place}${query}`);
    return show(context, options, delta, () =>
      delta.changes.length === 0 ? 'no difference' : delta.changes.map(lineOf).join('\n'),
    );
  });
}

const NO_TEXT_REASONS: Record<NonNullable<FileDiff['why_no_text']>, string> = {
  binary: 'no text',
  too_long: 'too long to show',
  not_a_file: 'no file',
};

function textOf(files: readonly FileDiff[], total: number): string {
  if (total === 0) return 'no difference';
  const shown = files.map((file) =>
    file.text === null
      ? `${lineOf(file)}  (${NO_TEXT_REASONS[file.why_no_text ?? 'binary']})`
      : visible(file.text.replace(/\n$/, '')),
  );
  return [...shown, ...(total > files.length ? [`and ${total - files.length} more`] : [])].join('\n');
}

const HASH_CHARS = 12;

const stateText = (state: FileState | null): string => {
  if (state === null) return 'absent';
  return state.sha256 === null
    ? state.kind
    : `${state.kind === 'symlink' ? 'symlink ' : ''}${state.sha256.slice(0, HASH_CHARS)}${state.mode === '755' ? ' executable' : ''}`;
};

function lineOf({ path, before, after }: Pick<Change, 'path' | 'before' | 'after'>): string {
  const mark = before === null ? paint.green('A') : after === null ? paint.red('D') : paint.yellow('M');
  return `${mark} ${visibleLine(path)}  ${paint.dim(`${stateText(before)} → ${stateText(after)}`)}`;
}

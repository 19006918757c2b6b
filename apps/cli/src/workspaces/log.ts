// SPDX-License-Identifier: Apache-2.0
import { SnapshotView } from '@writ/contract';
import { Command } from 'commander';
import { show, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { parseCount, readList } from '../http/lists.ts';
import { momentOf, tableOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { pathOf, withWorkspace, type WorkspaceOptions } from './workspace-options.ts';

interface LogOptions extends WorkspaceOptions {
  readonly limit?: number;
  readonly cursor?: string;
}

const ROWS = 50;

/** `writ workspace log`. */
export function logCommand(context: Context): Command {
  const command = withWorkspace(new Command('log').description('earlier heads, newest first'))
    .option('--limit <n>', 'rows per page', parseCount, ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const options = command.optsWithGlobals<LogOptions>();
    const connection = connect(context, options, 'admin');
    const list = await readList(connection.client, SnapshotView, `${pathOf(connection, options)}/history`, {
      limit: options.limit,
      cursor: options.cursor,
    });
    show(context, options, list, () => tableOf(['n', 'since', 'snapshot', 'how', 'by'], list.items.map(rowOf)));
  });
}

const rowOf = ({ seq, created_at, snapshot_id, kind, tool_id, made_by, operation_id }: SnapshotView): string[] => [
  String(seq),
  momentOf(created_at),
  snapshot_id,
  tool_id === null ? kind : `${kind} ${visibleLine(tool_id)}`,
  visibleLine(operation_id ?? made_by ?? ''),
];

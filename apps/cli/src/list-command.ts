// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import type { Static, TSchema } from 'typebox';
import { show, type CommonOptions, type Context } from './context.ts';
import { connect, type KeyHolder } from './http/connection.ts';
import { parseCount, readList } from './http/lists.ts';
import { tableOf } from './terminal.ts';

const LIST_ROWS = 50;

/** A list of the API, and how it is shown. */
export interface ShownList<S extends TSchema> {
  readonly item: S;
  readonly path: string;
  readonly head: readonly string[];
  readonly rowOf: (item: Static<S>) => readonly string[];
  /** whose key reads it where the local set-up has several; the operator's by default */
  readonly holder?: KeyHolder;
}

/** `list`: one page of a list as a table. */
export function listCommand<S extends TSchema>(context: Context, shown: ShownList<S>): Command {
  const { item, path, head, rowOf, holder = 'operator' } = shown;
  const command = new Command('list')
    .option('--limit <n>', 'rows per page', parseCount, LIST_ROWS)
    .option('--cursor <text>', 'cursor of the page to show');
  return command.action(async () => {
    const { limit, cursor, ...options } = command.optsWithGlobals<
      CommonOptions & { limit?: number; cursor?: string }
    >();
    const list = await readList(connect(context, options, holder).client, item, path, { limit, cursor });
    show(context, options, list, () => tableOf(head, list.items.map(rowOf)));
  });
}

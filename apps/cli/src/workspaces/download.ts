// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TreeEntry } from '@writ/contract';
import { Command } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';
import { fieldsOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { readTree } from './read-tree.ts';
import { AT, pathOf, encodePath, withWorkspace, type StateOptions } from './workspace-options.ts';

/** `writ workspace download DIR`. */
export function downloadCommand(context: Context): Command {
  const command = withWorkspace(
    new Command('download').description('write the files into a new or empty directory').argument('<dir>'),
  ).option('--at <state>', `${AT}; the head by default`);
  return command.action(async (dir: string) => {
    const options = command.optsWithGlobals<StateOptions>();
    const connection = connect(context, options, 'admin');
    if (existsSync(dir) && readdirSync(dir).length > 0) throw usage(`\`${dir}\` is not empty: name another directory`);
    const workspace = pathOf(connection, options);
    const { snapshot_id, entries } = await readTree(connection.client, workspace, { at: options.at });
    mkdirSync(dir, { recursive: true });
    for (const entry of entries) await write(context, connection.client, { workspace, snapshot_id, dir, entry });
    const files = entries.filter(({ state }) => state.kind === 'file').length;
    show(context, options, { snapshot_id, dir, files }, () =>
      fieldsOf({ snapshot: snapshot_id, files, directory: dir }),
    );
  });
}

interface FileTarget {
  readonly workspace: string;
  readonly snapshot_id: string;
  readonly dir: string;
  readonly entry: TreeEntry;
}

/** Paths come from the server: a path that leads out of the directory is refused. */
function checkPath(path: string): string[] {
  const segments = path.split('/');
  if (path.includes('\0') || segments.some((segment) => ['', '.', '..'].includes(segment)))
    throw new CliError(
      'path.escape',
      `the server names a file \`${visibleLine(path)}\`, which is no path below a directory`,
    );
  return segments;
}

async function write(
  context: Context,
  client: Client,
  { workspace, snapshot_id, dir, entry: { path, state } }: FileTarget,
): Promise<void> {
  const segments = checkPath(path);
  const target = join(dir, ...segments);
  if (state.kind === 'dir') return void mkdirSync(target, { recursive: true });
  // A link of the workspace could have another target on this machine.
  if (state.kind === 'symlink') return context.writeError(`left out: ${visibleLine(path)} is a symbolic link\n`);
  const answer = await client.request(`${workspace}/files/${encodePath(path)}${queryOf({ at: snapshot_id })}`);
  const bytes = await answer.bytes();
  if (createHash('sha256').update(bytes).digest('hex') !== state.sha256)
    throw new CliError('blob.corrupt', `the content of \`${visibleLine(path)}\` is not what the snapshot names`);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, bytes, { flag: 'wx', mode: state.mode === '755' ? 0o755 : 0o644 });
}

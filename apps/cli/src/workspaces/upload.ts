// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { join, relative } from 'node:path';
import { LIMITS, WorkspaceView } from '@writ/contract';
import { Command } from 'commander';
import { usage } from '../cli-error.ts';
import { show, type Context } from '../context.ts';
import type { Client } from '../http/client.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';
import { fieldsOf } from '../terminal.ts';
import { visibleLine } from '../visible.ts';
import { pathOf, encodePath, withWorkspace, type WorkspaceOptions } from './workspace-options.ts';

interface UploadOptions extends WorkspaceOptions {
  readonly exclude: readonly string[];
}

interface LocalFile {
  readonly path: string;
  readonly from: string;
  readonly mode: '644' | '755';
  readonly size: number;
}

/** Version history, and what a package manager can restore: usually no part of an upload. */
const EXCLUDED = ['.git', 'node_modules'];
/** Base64 takes four bytes for three; half of the body's limit is enough for that and for the paths. */
const BATCH_BYTES_MAX = LIMITS.filesBodyBytes.max / 2;
const BATCH_FILES_MAX = 1_000;
const ANY_EXECUTE = 0o111;

/** `writ workspace upload DIR`. Existing files of the same names are replaced; others stay. */
export function uploadCommand(context: Context): Command {
  const command = withWorkspace(
    new Command('upload').description("upload a directory's files").argument('<dir>'),
  ).option(
    '--exclude <name>',
    `a name to leave out wherever it stands; may be repeated (${EXCLUDED.join(' and ')} by default)`,
    (value: string, before: readonly string[]) => (before === EXCLUDED ? [value] : [...before, value]),
    EXCLUDED,
  );
  return command.action(async (dir: string) => {
    const options = command.optsWithGlobals<UploadOptions>();
    const connection = connect(context, options, 'admin');
    const { files, skipped } = listFiles(dir, options.exclude);
    for (const path of skipped)
      context.writeError(`left out: ${visibleLine(path)} is neither a file nor a directory\n`);
    if (files.length === 0) throw usage(`\`${dir}\` has no files`);
    const workspace = await upload(connection.client, pathOf(connection, options), files);
    show(context, options, { ...workspace, files: files.length }, () =>
      fieldsOf({ workspace: workspace.workspace_id, files: files.length, head: workspace.head_snapshot_id }),
    );
  });
}

function listFiles(dir: string, exclude: readonly string[]): { files: LocalFile[]; skipped: string[] } {
  const [files, skipped]: [LocalFile[], string[]] = [[], []];
  const walk = (folder: string): void => {
    for (const entry of readFolder(folder)) {
      const from = join(folder, entry.name);
      const path = relative(dir, from);
      if (exclude.includes(entry.name)) continue;
      if (entry.isDirectory()) walk(from);
      else if (entry.isFile()) files.push(describeFile(path, from));
      // A link may lead anywhere on this machine.
      else skipped.push(path);
    }
  };
  walk(dir);
  return { files, skipped };
}

function readFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    throw usage(`\`${folder}\` can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function describeFile(path: string, from: string): LocalFile {
  const { mode, size } = statSync(from);
  if (size > LIMITS.uploadBytes.max)
    throw usage(`\`${from}\` has ${size} bytes; a file of a workspace has at most ${LIMITS.uploadBytes.max}`);
  return { path, from, size, mode: (mode & ANY_EXECUTE) === 0 ? '644' : '755' };
}

/** Small files go in batches, each one change of the workspace; large files go one by one. */
async function upload(client: Client, workspace: string, files: readonly LocalFile[]): Promise<WorkspaceView> {
  let last: WorkspaceView | undefined;
  for (const batch of batchesOf(files.filter(({ size }) => size <= BATCH_BYTES_MAX / 2))) {
    const body = {
      files: batch.map(({ path, from, mode }) => ({
        path,
        content: readFileSync(from, 'base64'),
        encoding: 'base64',
        mode,
      })),
    };
    last = await client.read(WorkspaceView, `${workspace}/files`, { method: 'POST', body });
  }
  for (const { path, from, mode } of files.filter(({ size }) => size > BATCH_BYTES_MAX / 2)) {
    last = await client.read(WorkspaceView, `${workspace}/files/${encodePath(path)}${queryOf({ mode })}`, {
      method: 'PUT',
      body: readFileSync(from),
    });
  }
  return last as WorkspaceView;
}

function batchesOf(files: readonly LocalFile[]): LocalFile[][] {
  const batches: LocalFile[][] = [];
  let bytesLeft = 0;
  for (const file of files) {
    const batch = batches.at(-1);
    bytesLeft -= file.size;
    if (batch === undefined || bytesLeft < 0 || batch.length === BATCH_FILES_MAX) {
      batches.push([file]);
      bytesLeft = BATCH_BYTES_MAX - file.size;
    } else batch.push(file);
  }
  return batches;
}

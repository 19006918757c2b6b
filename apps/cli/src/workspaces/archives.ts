// SPDX-License-Identifier: Apache-2.0
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { createGunzip, createGzip } from 'node:zlib';
import { WorkspaceView } from '@writ/contract';
import { Command } from 'commander';
import { CliError, usage } from '../cli-error.ts';
import { show, type Context } from '../context.ts';
import { connect } from '../http/connection.ts';
import { queryOf } from '../http/lists.ts';
import { fieldsOf } from '../terminal.ts';
import { AT, pathOf, withWorkspace, type StateOptions, type WorkspaceOptions } from './workspace-options.ts';

/** The API's time limit for a request body, plus as long again for the change. */
const ARCHIVE_MS = 600_000;
const isZipped = (file: string): boolean => /\.(tgz|gz)$/.test(file);

interface ImportOptions extends WorkspaceOptions {
  readonly path?: string;
  readonly replace?: boolean;
}

/** `writ workspace import FILE`. */
export function importCommand(context: Context): Command {
  const command = withWorkspace(
    new Command('import')
      .description('unpack a tar archive into the workspace, in one change')
      .argument('<file>', 'an archive; `.tar.gz` and `.tgz` are decompressed'),
  )
    .option('--path <directory>', 'the target directory; the workspace itself by default')
    .option('--replace', 'remove files that the archive does not have');
  return command.action(async (file: string) => {
    const options = command.optsWithGlobals<ImportOptions>();
    const connection = connect(context, options, 'admin');
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw usage(`\`${file}\` is no file`);
    const workspace = await connection.client.read(
      WorkspaceView,
      `${pathOf(connection, options)}/import${queryOf({ path: options.path, replace: options.replace === true ? 'true' : undefined })}`,
      {
        method: 'POST',
        body: Readable.toWeb(read(file)),
        headers: { 'content-type': 'application/x-tar' },
        timeoutMs: ARCHIVE_MS,
      },
    );
    show(context, options, workspace, () =>
      fieldsOf({ workspace: workspace.workspace_id, head: workspace.head_snapshot_id }),
    );
  });
}

/** An error of the file or of the decompression fails the request. */
function read(file: string): Readable {
  const bytes = createReadStream(file);
  if (!isZipped(file)) return bytes;
  const unzipped = createGunzip();
  pipeline(bytes, unzipped).catch((error: unknown) => unzipped.destroy(error as Error));
  return unzipped;
}

interface ExportOptions extends StateOptions {
  readonly path?: string;
}

/** `writ workspace export FILE`. */
export function exportCommand(context: Context): Command {
  const command = withWorkspace(
    new Command('export')
      .description('pack the workspace into a tar archive')
      .argument('<file>', 'a new file; `.tar.gz` and `.tgz` are compressed'),
  )
    .option('--at <state>', `${AT}; the head by default`)
    .option('--path <directory>', 'only what is below it');
  return command.action(async (file: string) => {
    const options = command.optsWithGlobals<ExportOptions>();
    const connection = connect(context, options, 'admin');
    if (statSync(file, { throwIfNoEntry: false }) !== undefined)
      throw usage(`\`${file}\` is there already: name another file`);
    const answer = await connection.client.request(
      `${pathOf(connection, options)}/export${queryOf({ at: options.at, path: options.path })}`,
      { timeoutMs: ARCHIVE_MS },
    );
    const bytes = await save(answer, file);
    const snapshot = answer.headers.get('etag')?.replaceAll('"', '') ?? null;
    show(context, options, { file, bytes, snapshot_id: snapshot }, () => fieldsOf({ file, bytes, snapshot }));
  });
}

/** Writes a temporary file, and renames it when the archive is complete. */
async function save(answer: Response, file: string): Promise<number> {
  const partial = `${file}.partial`;
  try {
    const archive = Readable.fromWeb(answer.body as WebStream);
    const out = createWriteStream(partial, { flags: 'wx' });
    await (isZipped(file) ? pipeline(archive, createGzip(), out) : pipeline(archive, out));
    await rename(partial, file);
    return statSync(file).size;
  } catch (cause) {
    await rm(partial, { force: true });
    throw new CliError('http', 'the archive broke off before its end, and nothing was kept of it', undefined, {
      cause,
    });
  }
}

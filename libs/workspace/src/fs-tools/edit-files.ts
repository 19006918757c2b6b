// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS } from '@writ/contract';
import { deltaOf } from '../delta.ts';
import type { WorkspacePath } from '../path.ts';
import { quote } from '../quote.ts';
import type { Resolved } from '../resolve-links.ts';
import { snapshotIdOf } from '../snapshot.ts';
import type { EditArgs, EditedText } from './edit-text.ts';
import type { EditResult } from './edit.ts';
import { workerOf } from './file-work.ts';
import { failureOf, type FileToolContext, type FileToolSuccess } from './outcome.ts';
import { ToolFault } from './tool-fault.ts';
import { requireFile, targetOf } from './target.ts';
import { putFile } from './write.ts';

export interface EditFilesArgs {
  readonly files: readonly EditArgs[];
}
export interface EditFilesResult {
  readonly files: readonly EditResult[];
  readonly replacements: number;
}

/** A file after the edits so far. */
interface Edited extends EditedText {
  readonly target: Resolved;
}

/**
 * `fs.edit_files`: `fs.edit` over several files, all or none. Files are edited in the order in which they are named.
 * One that is named twice, or also by a link, is edited in its state so far. A failure names its file. Faults: those of
 * `fs.edit`.
 */
export async function editFilesTool(
  context: FileToolContext,
  { files }: EditFilesArgs,
): Promise<FileToolSuccess<EditFilesResult>> {
  const edited = new Map<WorkspacePath, Edited>();
  for (const { path, edits } of files) {
    const target = await targetOf(context, path, ['read', 'write']);
    const before = edited.get(target.path);
    const bytes = await bytesOfNext(context, target, edited);
    const after = await withFileName(target, () => workerOf(context)('edit', { path: target.path, bytes, edits }));
    edited.set(target.path, { ...after, target, replacements: (before?.replacements ?? 0) + after.replacements });
  }
  return await outcomeOf(context, [...edited.values()]);
}

/** Reads the next file. All of them together are limited to the size of one, since they are in memory at once. */
async function bytesOfNext(
  context: FileToolContext,
  target: Resolved,
  others: ReadonlyMap<WorkspacePath, Edited>,
): Promise<Uint8Array> {
  const before = others.get(target.path);
  const size = before === undefined ? requireFile(target).size : 0;
  const held = [...others.values()].reduce((sum, { bytes }) => sum + bytes.length, size);
  if (held > LIMITS.fileToolBytes.max)
    throw new Fault(
      'file.too_large',
      `${quote(target.path)} and the files before it are together longer than ${LIMITS.fileToolBytes.max} bytes`,
    );
  return before?.bytes ?? (await context.reader(requireFile(target).sha256));
}

/** Adds the file's path to the error of an edit. */
async function withFileName<T>(target: Resolved, edit: () => Promise<T>): Promise<T> {
  try {
    return await edit();
  } catch (error) {
    const { code, message, hint } = failureOf(error);
    // A message that names its file already isn't prefixed again.
    throw new ToolFault(code, code === 'file.kind' ? message : `${quote(target.path)}: ${message}`, hint);
  }
}

async function outcomeOf(
  context: FileToolContext,
  edited: readonly Edited[],
): Promise<FileToolSuccess<EditFilesResult>> {
  const all = await Promise.all(
    edited.map(async ({ target, bytes, sha256, replacements }) => {
      const { delta, blobs } = await putFile(context, target, { bytes, sha256 });
      return {
        file: { path: target.path, replacements, size: bytes.length, sha256 },
        changes: delta?.changes ?? [],
        blobs,
      };
    }),
  );
  const changes = all.flatMap((one) => one.changes);
  return {
    ok: true,
    result: {
      files: all.map(({ file }) => file),
      replacements: all.reduce((sum, { file }) => sum + file.replacements, 0),
    },
    delta: changes.length === 0 ? null : deltaOf(snapshotIdOf(context.root), changes),
    blobs: all.flatMap((one) => one.blobs),
  };
}

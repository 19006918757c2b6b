// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS } from '@writ/contract';
import { deltaOf } from '../delta.ts';
import type { WorkspacePath } from '../path.ts';
import { quote } from '../quote.ts';
import type { Resolved } from '../resolve-links.ts';
import { snapshotIdOf } from '../snapshot.ts';
import type { EditArgs, EditedText } from './edit-text.ts';
import type { EditResult } from './edit.ts';
import { workOf } from './file-work.ts';
import { failureOf, type FileToolContext, type FileToolSuccess } from './outcome.ts';
import { ToolFault } from './tool-fault.ts';
import { requireFile, targetOf } from './target.ts';
import { place } from './write.ts';

export interface EditFilesArgs {
  readonly files: readonly EditArgs[];
}
export interface EditFilesResult {
  readonly files: readonly EditResult[];
  readonly replacements: number;
}

/** A file as the edits so far leave it. */
interface Edited extends EditedText {
  readonly target: Resolved;
}

/**
 * `fs.edit_files`: `fs.edit` over several files; all of them or none. Files are edited in the order in which they are
 * named, and one that is named twice, or by a link too, on what was left of it. A failure names its file. Faults: those
 * of `fs.edit`.
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
    const after = await named(target, () => workOf(context)('edit', { path: target.path, bytes, edits }));
    edited.set(target.path, { ...after, target, replacements: (before?.replacements ?? 0) + after.replacements });
  }
  return await placed(context, [...edited.values()]);
}

/** One file more, as long as all of them together are as long as one may be: they are held in memory at once. */
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

/** Says which file it is that an edit doesn't fit. */
async function named<T>(target: Resolved, edit: () => Promise<T>): Promise<T> {
  try {
    return await edit();
  } catch (error) {
    const { code, message, hint } = failureOf(error);
    // What says by itself which file it is about isn't told of it twice.
    throw new ToolFault(code, code === 'file.kind' ? message : `${quote(target.path)}: ${message}`, hint);
  }
}

async function placed(context: FileToolContext, edited: readonly Edited[]): Promise<FileToolSuccess<EditFilesResult>> {
  const all = await Promise.all(
    edited.map(async ({ target, bytes, sha256, replacements }) => {
      const { delta, blobs } = await place(context, target, { bytes, sha256 });
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

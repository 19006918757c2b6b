// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS } from '@writ/contract';
import { deltaOf } from '../delta.ts';
import type { WorkspacePath } from '../path.ts';
import { quote } from '../quote.ts';
import type { Resolved } from '../resolve-links.ts';
import { snapshotIdOf } from '../snapshot.ts';
import { editedText, textToEdit, type EditArgs, type EditResult } from './edit.ts';
import { failureOf, ToolFault, type FileToolContext, type FileToolSuccess } from './outcome.ts';
import { requireFile, targetOf } from './target.ts';
import { place } from './write.ts';

export interface EditFilesArgs { readonly files: readonly EditArgs[] }
export interface EditFilesResult { readonly files: readonly EditResult[]; readonly replacements: number }

/** A file as the edits so far leave it. */
interface Edited { readonly target: Resolved; readonly text: string; readonly replacements: number }

/**
 * `fs.edit_files`: `fs.edit` over several files; all of them or none. Files are edited in the order in which they are named, and one that is named twice, or by a link too, on
 * what was left of it. What is wrong with one is told with its name. Faults: those of `fs.edit`.
 */
export async function editFilesTool(context: FileToolContext, { files }: EditFilesArgs): Promise<FileToolSuccess<EditFilesResult>> {
  const edited = new Map<WorkspacePath, Edited>();
  for (const file of files) {
    const target = await targetOf(context, file.path, ['read', 'write']);
    const before = edited.get(target.path) ?? { target, replacements: 0, text: await textOfNext(context, target, edited) };
    const { text, replacements } = named(target, () => editedText(before.text, file));
    edited.set(target.path, { target, text, replacements: before.replacements + replacements });
  }
  return await placed(context, [...edited.values()]);
}

/** One file more, as long as all of them together are as long as one may be: they are held in memory at once. */
async function textOfNext(context: FileToolContext, target: Resolved, others: ReadonlyMap<WorkspacePath, Edited>): Promise<string> {
  const held = [...others.values()].reduce((sum, { text }) => sum + text.length, requireFile(target).size);
  if (held > LIMITS.fileToolBytes.max) throw new Fault('file.too_large', `${quote(target.path)} and the files before it are together longer than ${LIMITS.fileToolBytes.max} bytes`);
  return await textToEdit(context, target);
}

/** Says which file it is that an edit doesn't fit. */
function named<T>(target: Resolved, edit: () => T): T {
  try {
    return edit();
  } catch (error) {
    const { code, message, hint } = failureOf(error);
    throw new ToolFault(code, `${quote(target.path)}: ${message}`, hint);
  }
}

async function placed(context: FileToolContext, edited: readonly Edited[]): Promise<FileToolSuccess<EditFilesResult>> {
  const all = await Promise.all(edited.map(async ({ target, text, replacements }) => {
    const bytes = new TextEncoder().encode(text);
    const { sha256, delta, blobs } = await place(context, target, bytes);
    return { file: { path: target.path, replacements, size: bytes.length, sha256 }, changes: delta?.changes ?? [], blobs };
  }));
  const changes = all.flatMap((one) => one.changes);
  return {
    ok: true,
    result: { files: all.map(({ file }) => file), replacements: all.reduce((sum, { file }) => sum + file.replacements, 0) },
    delta: changes.length === 0 ? null : deltaOf(snapshotIdOf(context.root), changes),
    blobs: all.flatMap((one) => one.blobs),
  };
}

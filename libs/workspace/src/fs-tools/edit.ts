// SPDX-License-Identifier: Apache-2.0
import type { EditArgs } from './edit-text.ts';
import { workerOf } from './file-work.ts';
import type { FileToolContext, FileToolSuccess } from './outcome.ts';
import { requireFile, targetOf } from './target.ts';
import { putFile } from './write.ts';

export interface EditResult {
  readonly path: string;
  readonly replacements: number;
  readonly size: number;
  readonly sha256: string;
}

/**
 * `fs.edit`: replaces text exactly, edit by edit, each on the result of the previous one; all or none: see `editText`.
 * Faults: `edit.no_match`, `edit.ambiguous`.
 */
export async function editTool(
  context: FileToolContext,
  { path, edits }: EditArgs,
): Promise<FileToolSuccess<EditResult>> {
  const target = await targetOf(context, path, ['read', 'write']);
  const before = await context.reader(requireFile(target).sha256);
  const { bytes, sha256, replacements } = await workerOf(context)('edit', { path: target.path, bytes: before, edits });
  const written = await putFile(context, target, { bytes, sha256 });
  return { ok: true, result: { path: target.path, replacements, size: bytes.length, sha256 }, ...written };
}

// SPDX-License-Identifier: Apache-2.0
import type { EditArgs } from './edit-text.ts';
import { workOf } from './file-work.ts';
import type { FileToolContext, FileToolSuccess } from './outcome.ts';
import { requireFile, targetOf } from './target.ts';
import { place } from './write.ts';

export interface EditResult {
  readonly path: string;
  readonly replacements: number;
  readonly size: number;
  readonly sha256: string;
}

/**
 * `fs.edit`: replaces text exactly, edit by edit, each on what the one before left; all of them or none: see
 * `editText`. Faults: `edit.no_match`, `edit.ambiguous`.
 */
export async function editTool(
  context: FileToolContext,
  { path, edits }: EditArgs,
): Promise<FileToolSuccess<EditResult>> {
  const target = await targetOf(context, path, ['read', 'write']);
  const before = await context.reader(requireFile(target).sha256);
  const { bytes, sha256, replacements } = await workOf(context)('edit', { path: target.path, bytes: before, edits });
  const written = await place(context, target, { bytes, sha256 });
  return { ok: true, result: { path: target.path, replacements, size: bytes.length, sha256 }, ...written };
}

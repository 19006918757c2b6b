// SPDX-License-Identifier: Apache-2.0
import { workOf } from './file-work.ts';
import { seen, type FileToolContext, type FileToolSuccess } from './outcome.ts';
import type { ReadText } from './read-text.ts';
import { requireFile, targetOf } from './target.ts';

export interface ReadArgs {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
}
export interface ReadResult extends ReadText {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * `fs.read`: the file's lines from `offset` (lines to skip) on, `limit` at most, cut at what a result may hold. What
 * isn't UTF-8 text comes whole as base64, or as much of its start as fits. `truncated` says that something after what
 * is returned was left out.
 */
export async function readTool(
  context: FileToolContext,
  { path, ...range }: ReadArgs,
): Promise<FileToolSuccess<ReadResult>> {
  const target = await targetOf(context, path, ['read']);
  const file = requireFile(target);
  const shown = await workOf(context)('read', { bytes: await context.reader(file.sha256), ...range });
  return seen({ path: target.path, size: file.size, sha256: file.sha256, ...shown });
}

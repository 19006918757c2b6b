// SPDX-License-Identifier: Apache-2.0
import { workerOf } from './file-work.ts';
import { unchangedOutcome, type FileToolContext, type FileToolSuccess } from './outcome.ts';
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
 * `fs.read`: the file's lines from `offset` (lines to skip) on, at most `limit`, truncated to the limit of a result.
 * Contents that aren't UTF-8 text are returned as base64, or as much of their start as fits. `truncated` means that
 * something after the returned part was left out.
 */
export async function readTool(
  context: FileToolContext,
  { path, ...range }: ReadArgs,
): Promise<FileToolSuccess<ReadResult>> {
  const target = await targetOf(context, path, ['read']);
  const file = requireFile(target);
  const shown = await workerOf(context)('read', { bytes: await context.reader(file.sha256), ...range });
  return unchangedOutcome({ path: target.path, size: file.size, sha256: file.sha256, ...shown });
}

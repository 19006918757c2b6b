// SPDX-License-Identifier: Apache-2.0
import { walk } from '../tree.ts';
import { quote } from '../quote.ts';
import { isWithin } from '../path.ts';
import { unchangedOutcome, type FileToolContext, type FileToolSuccess } from './outcome.ts';
import { ToolFault } from './tool-fault.ts';
import { targetOf } from './target.ts';

export interface ListArgs {
  readonly path?: string;
  readonly depth?: number;
}
export interface ListedEntry {
  readonly path: string;
  readonly kind: 'file' | 'dir' | 'symlink';
  readonly size: number;
}
export interface ListResult {
  readonly path: string;
  readonly entries: readonly ListedEntry[];
  readonly truncated: boolean;
}

/** Limit on the entries of a result: about as many as a model reads, and within the size of a result. */
const ENTRIES_MAX = 1_000;

/**
 * `fs.list`: the entries below a directory, `depth` levels deep (1 by default), each directory before its entries; the
 * first thousand.
 */
export async function listTool(context: FileToolContext, args: ListArgs): Promise<FileToolSuccess<ListResult>> {
  const target = await targetOf(context, args.path ?? '', ['read']);
  if (target.entry === null)
    throw new ToolFault('file.not_found', `there is no directory ${quote(target.path)}`, 'list the directory above it');
  if (target.entry.kind !== 'dir')
    throw new ToolFault('file.kind', `${quote(target.path)} is a file`, 'use `fs.read` for a file');
  const entries: ListedEntry[] = [];
  const levels = target.path === '' ? 0 : target.path.split('/').length;
  for await (const { path, entry } of walk(context.reader, context.root, {
    prefixes: [target.path],
    depth: levels + (args.depth ?? 1),
  })) {
    if (path === target.path || !isWithin(target.path, path) || !context.may('read', path)) continue;
    if (entries.length === ENTRIES_MAX) return unchangedOutcome({ path: target.path, entries, truncated: true });
    entries.push({ path, kind: entry.kind, size: entry.size });
  }
  return unchangedOutcome({ path: target.path, entries, truncated: false });
}

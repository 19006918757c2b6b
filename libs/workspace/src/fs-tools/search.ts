// SPDX-License-Identifier: Apache-2.0
import type { NodeEntry } from '../node-entry.ts';
import type { WorkspacePath } from '../path.ts';
import { quote } from '../quote.ts';
import { walk } from '../tree.ts';
import { workerOf } from './file-work.ts';
import { unchangedOutcome, type FileToolContext, type FileToolSuccess } from './outcome.ts';
import { ToolFault } from './tool-fault.ts';
import { targetOf } from './target.ts';

export interface SearchArgs {
  readonly pattern: string;
  readonly path?: string;
  readonly regex?: boolean;
  readonly max?: number;
}
export interface SearchMatch {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}
export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  readonly files_searched: number;
  readonly truncated: boolean;
}

interface Candidate {
  readonly path: WorkspacePath;
  readonly entry: NodeEntry;
}

const MATCHES_DEFAULT = 100;
/** Larger files are data. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;
/** Bytes that a search reads in all. */
const TOTAL_BYTES_MAX = 64 * 1024 * 1024;
/**
 * Steps of a search in all: an expression of 256 instructions over everything that it may read. The time limit of the
 * call applies too.
 */
const STEPS_MAX = 256 * TOTAL_BYTES_MAX;
/** Files fetched at once, each time in one round trip to the store. */
const BATCH_FILES = 64;
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * `fs.search`: the lines that contain a text, or match a regular expression in RE2 syntax, in linear time. Skips files
 * that aren't UTF-8 text. `truncated` means that there may be more: a limit was reached, or a file was too large.
 * Faults: `search.pattern`, `limit.exceeded`.
 */
export async function searchTool(context: FileToolContext, args: SearchArgs): Promise<FileToolSuccess<SearchResult>> {
  const { pattern, regex = false, max = MATCHES_DEFAULT } = args;
  const search = workerOf(context);
  // An invalid expression is reported, whatever the files.
  await search('search', { files: [], pattern, regex, max: 1, steps: STEPS_MAX });
  const target = await targetOf(context, args.path ?? '', ['read']);
  if (target.entry === null)
    throw new ToolFault(
      'file.not_found',
      `there is no ${quote(target.path)}`,
      'list the directory to see what is there',
    );
  const found: SearchMatch[] = [];
  let [searched, bytes, steps, truncated] = [0, 0, 0, false];
  for await (const batch of batchesOf(context, target.path)) {
    const read = batch.filter(({ entry }) => entry.size <= FILE_BYTES_MAX);
    truncated ||= read.length < batch.length;
    const files = await Promise.all(read.map(({ entry }) => context.reader(entry.sha256)));
    const done = await search('search', {
      files,
      pattern,
      regex,
      max: max + 1 - found.length,
      steps: STEPS_MAX - steps,
    });
    for (const { file, line, text } of done.found) found.push({ path: read[file]?.path ?? '', line, text });
    searched += done.searched;
    bytes += done.bytes;
    steps += done.steps;
    if (found.length > max || bytes > TOTAL_BYTES_MAX)
      return unchangedOutcome({ matches: found.slice(0, max), files_searched: searched, truncated: true });
  }
  return unchangedOutcome({ matches: found, files_searched: searched, truncated });
}

async function* batchesOf(context: FileToolContext, from: WorkspacePath): AsyncGenerator<Candidate[]> {
  let batch: Candidate[] = [];
  let bytes = 0;
  for await (const found of walk(context.reader, context.root, { prefixes: [from] })) {
    if (found.entry.kind !== 'file' || !context.may('read', found.path)) continue;
    batch.push(found);
    bytes += Math.min(found.entry.size, FILE_BYTES_MAX);
    if (batch.length < BATCH_FILES && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

// SPDX-License-Identifier: Apache-2.0
import { RE2JS } from 're2js';
import type { NodeEntry } from '../node.ts';
import type { WorkspacePath } from '../path.ts';
import { quote } from '../quote.ts';
import { decodeText } from '../text.ts';
import { walk } from '../tree.ts';
import { linesOf } from './lines.ts';
import { ToolFault, seen, type FileToolContext, type FileToolSuccess } from './outcome.ts';
import { targetOf } from './target.ts';

export interface SearchArgs { readonly pattern: string; readonly path?: string; readonly regex?: boolean; readonly max?: number }
export interface SearchMatch { readonly path: string; readonly line: number; readonly text: string }
export interface SearchResult { readonly matches: readonly SearchMatch[]; readonly files_searched: number; readonly truncated: boolean }

interface Candidate { readonly path: WorkspacePath; readonly entry: NodeEntry }
type Matcher = (line: string) => boolean;

const MATCHES_DEFAULT = 100;
/** Larger files are data, and would hold the executor up. */
const FILE_BYTES_MAX = 4 * 1024 * 1024;
/** What one search reads in all: some seconds of a regular expression at worst. */
const TOTAL_BYTES_MAX = 64 * 1024 * 1024;
/** A line of a minified file would fill the result by itself. */
const TEXT_CHARACTERS_MAX = 400;
/** Files fetched at once: one round trip to the store each time. */
const BATCH_FILES = 64;
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * `fs.search`: the lines that hold a text, or match a regular expression in RE2 syntax, which takes linear time. Skips what isn't UTF-8 text.
 * `truncated` says that there may be more: a bound was met, or a file was too large. Fault: `search.pattern`.
 */
export async function searchTool(context: FileToolContext, args: SearchArgs): Promise<FileToolSuccess<SearchResult>> {
  const matches = matcherOf(args);
  const target = await targetOf(context, args.path ?? '', ['read']);
  if (target.entry === null) throw new ToolFault('file.not_found', `there is no ${quote(target.path)}`, 'list the directory to see what is there');
  const max = args.max ?? MATCHES_DEFAULT;
  const found: SearchMatch[] = [];
  let searched = 0;
  let bytes = 0;
  let truncated = false;
  for await (const batch of batchesOf(context, target.path)) {
    const read = batch.filter(({ entry }) => entry.size <= FILE_BYTES_MAX);
    truncated ||= read.length < batch.length;
    const texts = await Promise.all(read.map(async ({ entry }) => decodeText(await context.reader(entry.sha256))));
    for (const [index, text] of texts.entries()) {
      if (text === null) continue;
      searched++;
      bytes += text.length;
      found.push(...linesMatching(text, matches, max + 1 - found.length).map((match) => ({ path: read[index]?.path ?? '', ...match })));
      if (found.length > max || bytes > TOTAL_BYTES_MAX) return seen({ matches: found.slice(0, max), files_searched: searched, truncated: true });
    }
  }
  return seen({ matches: found, files_searched: searched, truncated });
}

function matcherOf(args: SearchArgs): Matcher {
  if (!args.regex) return (line) => line.includes(args.pattern);
  try {
    const compiled = RE2JS.compile(args.pattern);
    return (line) => compiled.matcher(line).find();
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it does not compile';
    throw new ToolFault('search.pattern', `the pattern ${quote(args.pattern)} is not a regular expression: ${quote(why)}`,
      'RE2 syntax has no backreferences; without `regex` the pattern is taken as plain text');
  }
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

function linesMatching(text: string, matches: Matcher, max: number): { line: number; text: string }[] {
  const found = [];
  for (const [index, each] of linesOf(text).entries()) {
    const line = each.replace(/\r?\n$/, '');
    if (!matches(line)) continue;
    found.push({ line: index + 1, text: line.length > TEXT_CHARACTERS_MAX ? `${line.slice(0, TEXT_CHARACTERS_MAX).toWellFormed()}…` : line });
    if (found.length === max) break;
  }
  return found;
}

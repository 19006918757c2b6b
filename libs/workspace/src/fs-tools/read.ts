// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { decodeText } from '../text.ts';
import { cutToBytes, linesOf } from './lines.ts';
import { seen, type FileToolContext, type FileToolSuccess } from './outcome.ts';
import { requireFile, targetOf } from './target.ts';

export interface ReadArgs { readonly path: string; readonly offset?: number; readonly limit?: number }
export interface ReadResult {
  readonly path: string;
  readonly content: string;
  readonly encoding: 'utf8' | 'base64';
  readonly size: number;
  readonly sha256: string;
  readonly lines: number;
  readonly truncated: boolean;
}

/** Base64 takes four characters for three bytes. */
const BINARY_BYTES_MAX = Math.floor(LIMITS.outputBytes.max / 4) * 3;

/**
 * `fs.read`: the file's lines from `offset` (lines to skip) on, `limit` at most, cut at what a result may hold. What isn't UTF-8 text comes whole as
 * base64, or as much of its start as fits. `truncated` says that something after what is returned was left out.
 */
export async function readTool(context: FileToolContext, args: ReadArgs): Promise<FileToolSuccess<ReadResult>> {
  const target = await targetOf(context, args.path, ['read']);
  const file = requireFile(target);
  const bytes = await context.reader(file.sha256);
  const about = { path: target.path, size: file.size, sha256: file.sha256 };
  const text = decodeText(bytes);
  if (text === null) {
    const content = Buffer.from(bytes.subarray(0, BINARY_BYTES_MAX)).toString('base64');
    return seen({ ...about, content, encoding: 'base64', lines: 0, truncated: bytes.length > BINARY_BYTES_MAX });
  }
  const lines = linesOf(text);
  const offset = args.offset ?? 0;
  const asked = lines.slice(offset, args.limit === undefined ? undefined : offset + args.limit);
  const content = cutToBytes(asked, LIMITS.outputBytes.max);
  const left = lines.slice(offset).reduce((sum, line) => sum + line.length, 0) - content.length;
  return seen({ ...about, content, encoding: 'utf8', lines: lines.length, truncated: left > 0 });
}

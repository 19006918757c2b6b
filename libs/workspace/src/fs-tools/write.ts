// SPDX-License-Identifier: Apache-2.0
import type { Change, FileState } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { deltaOf } from '../delta.ts';
import { isSameState, stateOf, type NewBlob } from '../node.ts';
import { ancestorsOf, ROOT } from '../path.ts';
import { snapshotIdOf } from '../snapshot.ts';
import { lookup } from '../tree.ts';
import type { Resolved } from '../resolve-links.ts';
import type { FileToolContext, FileToolSuccess } from './outcome.ts';
import { ToolFault } from './tool-fault.ts';
import { notAFile, targetOf } from './target.ts';

export interface WriteArgs {
  readonly path: string;
  readonly content: string;
  readonly encoding?: 'utf8' | 'base64';
}
export interface WriteResult {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  readonly created: boolean;
}

/**
 * `fs.write`: puts a whole file at the path, following its links, and makes missing directories. An existing file keeps
 * its mode. Writing the same content changes nothing.
 */
export async function writeTool(context: FileToolContext, args: WriteArgs): Promise<FileToolSuccess<WriteResult>> {
  const bytes = decodeContent(args);
  const target = await targetOf(context, args.path, ['write']);
  if (target.path === ROOT || target.entry?.kind === 'dir') throw notAFile(target.path);
  const sha256 = sha256Hex(bytes);
  const written = await putFile(context, target, { bytes, sha256 });
  return {
    ok: true,
    result: { path: target.path, size: bytes.length, sha256, created: target.entry === null },
    ...written,
  };
}

/** The delta and the content of a file at a resolved path, including its missing directories. */
export async function putFile(
  context: FileToolContext,
  target: Resolved,
  { bytes, sha256 }: NewBlob,
): Promise<Pick<FileToolSuccess<never>, 'delta' | 'blobs'>> {
  const before = stateOf(target.entry);
  const after: FileState = { kind: 'file', mode: before?.mode ?? '644', sha256, size: bytes.length };
  if (isSameState(before, after)) return { delta: null, blobs: [] };
  const changes: Change[] = [{ path: target.path, before, after }];
  if (target.entry === null) changes.push(...(await missingDirectories(context, target)));
  return { delta: deltaOf(snapshotIdOf(context.root), changes), blobs: [{ sha256, bytes }] };
}

async function missingDirectories(context: FileToolContext, target: Resolved): Promise<Change[]> {
  const changes: Change[] = [];
  for (const path of ancestorsOf(target.path)) {
    const entry = await lookup(context.reader, context.root, path);
    if (entry === null) changes.push({ path, before: null, after: { kind: 'dir', mode: null, sha256: null, size: 0 } });
  }
  return changes;
}

function decodeContent(args: WriteArgs): Uint8Array {
  if (args.encoding !== 'base64') return new TextEncoder().encode(args.content);
  const bytes = Buffer.from(args.content, 'base64');
  // Buffer skips characters that aren't base64; a damaged content must not become another file.
  if (bytes.toString('base64') !== args.content)
    throw new ToolFault('args.invalid', '`content` is not base64', 'use the standard alphabet, with padding');
  return bytes;
}

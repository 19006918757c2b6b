// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type Change, type Delta, type FileState } from '@writ/contract';
import {
  ancestorsOf,
  isSameState,
  LINK_TARGET_BYTES_MAX,
  list,
  orderingDelta,
  parsePath,
  parseSnapshotId,
  PART,
  partsOf,
  quote,
  ROOT,
  runWithPauses,
  type NodeReader,
  type Steps,
  type WorkspacePath,
} from '@writ/workspace';
import { CachedTree } from './cached-tree.ts';

const DIRECTORY: FileState = { kind: 'dir', mode: null, sha256: null, size: 0 };

/** The target states of an upload by path; null deletes. */
export type Upload = ReadonlyMap<WorkspacePath, FileState | null>;

/**
 * Reads an attacker-controlled upload in parts. `before` of a change is ignored.
 * @throws Fault `path.escape`, `path.invalid`; `request.malformed` for a path that occurs twice, is below a
 * non-directory, or has a state that doesn't fit its kind
 */
export function* readingUpload(changes: readonly Change[]): Steps<Upload> {
  const upload = new Map<WorkspacePath, FileState | null>();
  for (const part of partsOf(changes)) {
    for (const { path: text, after } of part) {
      const index = upload.size;
      const path = parsePath(text);
      if (path === ROOT) throw new Fault('path.invalid', 'a change names a path below the workspace, not its root');
      if (upload.has(path)) throw malformed(index, `names ${quote(path)} a second time`);
      if (after !== null && !isState(after)) throw malformed(index, 'holds a state that its kind does not have');
      upload.set(path, after);
    }
    yield;
  }
  let index = 0;
  for (const [path, after] of upload) {
    const above =
      after === null ? undefined : ancestorsOf(path).find((at) => upload.has(at) && upload.get(at)?.kind !== 'dir');
    if (above !== undefined) throw malformed(index, `has a path below ${quote(above)}, which is then no directory`);
    index += 1;
    if (index % PART === 0) yield;
  }
  return upload;
}

/**
 * The delta of the upload. It creates missing directories, deletes everything below a deleted path, and leaves out
 * unchanged paths.
 * @throws Fault `file.not_found` where there is nothing to delete, `file.kind` for a path below a file,
 * `limit.exceeded`
 */
export async function uploadDelta(reader: NodeReader, base: string, upload: Upload): Promise<Delta> {
  const root = parseSnapshotId(base);
  const tree = new CachedTree(reader, root);
  const wanted = new Map<WorkspacePath, FileState | null>(upload);
  for (const [path, after] of upload) {
    await reader.pause?.();
    const before = await tree.at(path);
    if (after === null && before === null) throw new Fault('file.not_found', `there is no ${quote(path)}`);
    if (after !== null) await addMissingDirectories(tree, path, wanted);
    if (before?.kind === 'dir' && after?.kind !== 'dir') {
      for (const { path: below } of await list(reader, root, path, Infinity)) wanted.set(below, null);
    }
    verifyCount(wanted.size);
  }
  const changes: Change[] = [];
  for (const [path, after] of wanted) {
    await reader.pause?.();
    const before = await tree.at(path);
    if (!isSameState(before, after)) changes.push({ path, before, after });
  }
  return await runWithPauses(orderingDelta(base, changes), reader.pause);
}

async function addMissingDirectories(
  tree: CachedTree,
  path: WorkspacePath,
  wanted: Map<WorkspacePath, FileState | null>,
): Promise<void> {
  for (const above of ancestorsOf(path)) {
    if (wanted.has(above)) continue;
    const existing = await tree.at(above);
    if (existing !== null && existing.kind !== 'dir') throw new Fault('file.kind', `${quote(above)} is no directory`);
    if (existing === null) wanted.set(above, DIRECTORY);
  }
}

function verifyCount(count: number): void {
  const { max, fault } = LIMITS.deltaChanges;
  if (count > max) throw new Fault(fault, `one change of a workspace touches at most ${max} paths`);
}

function isState({ kind, mode, sha256, size }: FileState): boolean {
  switch (kind) {
    case 'dir':
      return mode === null && sha256 === null && size === 0;
    case 'file':
      return mode !== null && sha256 !== null;
    case 'symlink':
      return mode === null && sha256 !== null && size > 0 && size <= LINK_TARGET_BYTES_MAX;
  }
}

function malformed(index: number, why: string): Fault {
  return new Fault('request.malformed', `\`/changes/${index}\` ${why}`, { pointer: `/changes/${index}` });
}

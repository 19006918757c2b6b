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
import { StandingTree } from './standing-tree.ts';

const DIRECTORY: FileState = { kind: 'dir', mode: null, sha256: null, size: 0 };

/** What an upload is to lead to, by path; null takes away. */
export type Upload = ReadonlyMap<WorkspacePath, FileState | null>;

/**
 * Reads what an upload names, in parts: attacker-controlled. `before` of a change is ignored.
 * @throws Fault `path.escape`, `path.invalid`; `request.malformed` for a path named twice, below one that is no
 * directory then, or in a state that its kind doesn't have
 */
export function* readingUpload(changes: readonly Change[]): Steps<Upload> {
  const upload = new Map<WorkspacePath, FileState | null>();
  for (const part of partsOf(changes)) {
    for (const { path: text, after } of part) {
      const index = upload.size;
      const path = parsePath(text);
      if (path === ROOT) throw new Fault('path.invalid', 'a change names something below the workspace, not all of it');
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
    if (above !== undefined) throw malformed(index, `puts something below ${quote(above)}, which is no directory then`);
    index += 1;
    if (index % PART === 0) yield;
  }
  return upload;
}

/**
 * The change of the snapshot that the upload is: directories on the way are made, what stands below something taken
 * away goes with it, and what is so already is left out.
 * @throws Fault `file.not_found` where nothing is to be taken away, `file.kind` for a path below a file,
 * `limit.exceeded`
 */
export async function uploadDelta(reader: NodeReader, base: string, upload: Upload): Promise<Delta> {
  const root = parseSnapshotId(base);
  const standing = new StandingTree(reader, root);
  const wanted = new Map<WorkspacePath, FileState | null>(upload);
  for (const [path, after] of upload) {
    await reader.pause?.();
    const before = await standing.at(path);
    if (after === null && before === null) throw new Fault('file.not_found', `there is no ${quote(path)}`);
    if (after !== null) await makeWay(standing, path, wanted);
    if (before?.kind === 'dir' && after?.kind !== 'dir') {
      for (const { path: below } of await list(reader, root, path, Infinity)) wanted.set(below, null);
    }
    verifyCount(wanted.size);
  }
  const changes: Change[] = [];
  for (const [path, after] of wanted) {
    await reader.pause?.();
    const before = await standing.at(path);
    if (!isSameState(before, after)) changes.push({ path, before, after });
  }
  return await runWithPauses(orderingDelta(base, changes), reader.pause);
}

async function makeWay(
  standing: StandingTree,
  path: WorkspacePath,
  wanted: Map<WorkspacePath, FileState | null>,
): Promise<void> {
  for (const above of ancestorsOf(path)) {
    if (wanted.has(above)) continue;
    const there = await standing.at(above);
    if (there !== null && there.kind !== 'dir') throw new Fault('file.kind', `${quote(above)} is no directory`);
    if (there === null) wanted.set(above, DIRECTORY);
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

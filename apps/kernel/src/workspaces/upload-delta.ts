// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type Change, type Delta, type FileState } from '@writ/contract';
import {
  ancestorsOf, deltaOf, isSameState, LINK_TARGET_BYTES_MAX, list, parsePath, parseSnapshotId, quote, ROOT, type NodeReader, type WorkspacePath,
} from '@writ/workspace';
import { StandingTree } from './standing-tree.ts';

const DIRECTORY: FileState = { kind: 'dir', mode: null, sha256: null, size: 0 };

/** What an upload is to lead to, by path; null takes away. */
export type Upload = ReadonlyMap<WorkspacePath, FileState | null>;

/**
 * Reads what an upload names: attacker-controlled. `before` of a change is ignored.
 * @throws Fault `path.escape`, `path.invalid`; `request.malformed` for a path named twice, below one that is no directory then, or in a state that its kind doesn't have
 */
export function parseUpload(changes: readonly Change[]): Upload {
  const upload = new Map<WorkspacePath, FileState | null>();
  changes.forEach(({ path: text, after }, index) => {
    const path = parsePath(text);
    if (path === ROOT) throw new Fault('path.invalid', 'a change names something below the workspace, not all of it');
    if (upload.has(path)) throw malformed(index, `names ${quote(path)} a second time`);
    if (after !== null && !isState(after)) throw malformed(index, 'holds a state that its kind does not have');
    upload.set(path, after);
  });
  [...upload.keys()].forEach((path, index) => {
    const above = ancestorsOf(path).find((at) => upload.has(at) && upload.get(at)?.kind !== 'dir');
    if (above !== undefined && upload.get(path) !== null) throw malformed(index, `puts something below ${quote(above)}, which is no directory then`);
  });
  return upload;
}

/**
 * The change of the snapshot that the upload is: directories on the way are made, what stands below something taken away goes with it, and what is so
 * already is left out.
 * @throws Fault `file.not_found` where nothing is to be taken away, `file.kind` for a path below a file, `limit.exceeded`
 */
export async function uploadDelta(reader: NodeReader, base: string, upload: Upload): Promise<Delta> {
  const root = parseSnapshotId(base);
  const standing = new StandingTree(reader, root);
  const wanted = new Map<WorkspacePath, FileState | null>(upload);
  for (const [path, after] of upload) {
    const before = await standing.at(path);
    if (after === null && before === null) throw new Fault('file.not_found', `there is no ${quote(path)}`);
    if (after !== null) await makeWay(standing, path, wanted);
    if (before?.kind === 'dir' && after?.kind !== 'dir') {
      for (const { path: below } of await list(reader, root, path, Infinity)) wanted.set(below, null);
    }
    verifyCount(wanted.size);
  }
  const changes = await Promise.all([...wanted].map(async ([path, after]): Promise<Change> => ({ path, before: await standing.at(path), after })));
  return deltaOf(base, changes.filter(({ before, after }) => !isSameState(before, after)));
}

async function makeWay(standing: StandingTree, path: WorkspacePath, wanted: Map<WorkspacePath, FileState | null>): Promise<void> {
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
    case 'dir': return mode === null && sha256 === null && size === 0;
    case 'file': return mode !== null && sha256 !== null;
    case 'symlink': return mode === null && sha256 !== null && size > 0 && size <= LINK_TARGET_BYTES_MAX;
  }
}

function malformed(index: number, why: string): Fault {
  return new Fault('request.malformed', `\`/changes/${index}\` ${why}`, { pointer: `/changes/${index}` });
}

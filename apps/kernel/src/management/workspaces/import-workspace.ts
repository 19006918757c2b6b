// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  type BlobRef,
  type Change,
  type KernelRequest,
  type TenantId,
  type WorkspaceView,
} from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { pacer } from '@writ/worker-pool';
import {
  ancestorsOf,
  applyDelta,
  isWithin,
  parsePath,
  parseSnapshotId,
  runWithPauses,
  walk,
  type NodeReader,
  type Pause,
  type WorkspacePath,
} from '@writ/workspace';
import { requireId, requireRole } from '../../foundation/tenancy/index.ts';
import type { HeadMoves } from './head-moves.ts';
import { readingChanges } from './reading-changes.ts';
import { verifyContents } from './verify-contents.ts';
import { readingUpload, uploadDelta, type Upload } from './upload-delta.ts';

/**
 * Maximum bytes of the list: as many changes as one delta holds, with names of usual length. It is read into memory
 * completely.
 */
const CHANGES_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Imports the contents of an archive into a workspace as one change. The API has unpacked the archive, and stored the
 * contents and their list.
 */
export class ImportWorkspace {
  readonly #moves: HeadMoves;
  readonly #blobs: BlobStore;

  constructor(moves: HeadMoves, blobs: BlobStore) {
    this.#moves = moves;
    this.#blobs = blobs;
  }

  /** @throws Fault as `ChangeWorkspace.run` */
  async run({
    caller,
    workspace_id,
    changes_ref,
    path: text,
    replace,
  }: KernelRequest<'workspace.import'>): Promise<WorkspaceView> {
    requireRole(caller, 'admin', 'operator');
    requireId('workspace', workspace_id);
    const path = parsePath(text);
    const pause = pacer();
    const changes = await this.#read(caller.tenant_id, changes_ref, pause);
    const upload = await runWithPauses(readingUpload(changes), pause);
    for (const each of upload.keys()) {
      if (!isWithin(path, each)) throw new Fault('request.malformed', 'the import names a path outside its directory');
      await pause();
    }
    await verifyContents(this.#blobs, caller.tenant_id, upload);
    return await this.#moves.run(caller, workspace_id, {
      kind: 'imported',
      next: async (reader, { head_snapshot_id }) => {
        const root = parseSnapshotId(head_snapshot_id);
        const delta = await uploadDelta(
          reader,
          head_snapshot_id,
          replace ? await withDeletions(reader, root, path, upload) : upload,
        );
        return { delta, ...(await applyDelta(reader, root, delta)) };
      },
    });
  }

  async #read(tenantId: TenantId, { sha256, size }: BlobRef, pause: Pause): Promise<Change[]> {
    const tooMany = new Fault('limit.exceeded', 'the archive holds more than one change of a workspace may bring');
    if (size > CHANGES_BYTES_MAX) throw tooMany;
    const bytes = await this.#blobs.get(tenantId, sha256);
    if (bytes.length > CHANGES_BYTES_MAX) throw tooMany;
    return await runWithPauses(readingChanges(bytes), pause);
  }
}

/** The upload, extended by deletions of everything else in the directory. */
async function withDeletions(
  reader: NodeReader,
  root: string,
  directory: WorkspacePath,
  upload: Upload,
): Promise<Upload> {
  const extended = new Map(upload);
  const kept = new Set<string>();
  for (const path of upload.keys()) {
    for (const each of [path, ...ancestorsOf(path)]) kept.add(each);
    await reader.pause?.();
  }
  for await (const { path } of walk(reader, root, { prefixes: [directory] })) {
    // Skips paths above the directory, and paths that are deleted with their directory.
    if (path === directory || !isWithin(directory, path) || kept.has(path)) continue;
    if (!ancestorsOf(path).some((above) => extended.get(above) === null)) extended.set(path, null);
  }
  return extended;
}

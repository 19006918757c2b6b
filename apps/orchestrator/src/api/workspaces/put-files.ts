// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import type { BlobStore } from '@writ/blobs';
import {
  Fault,
  LIMITS,
  type BlobRef,
  type Caller,
  type Change,
  type FileState,
  type WorkspaceView,
} from '@writ/contract';
import { parsePath, ROOT, type WorkspacePath } from '@writ/workspace';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { conditionMembers } from '../../edge/requests/conditions.ts';
import { contentsOf } from '../../edge/requests/sent-content.ts';
import { bounded } from '../../edge/requests/bounded.ts';

/** A change is one message on the bus, which holds 1 MiB with its envelope: some four thousand files. */
const CHANGE_BYTES_MAX = 960 * 1024;

export interface FileText {
  readonly path: string;
  readonly content: string;
  readonly encoding?: string | undefined;
  readonly mode?: string | undefined;
}

/** The state of the file that a change is meant for. The kernel compares it. */
type FileCondition = ReturnType<typeof conditionMembers>;

/** Stores contents as blobs, then has the kernel make the change that refers to them. */
export class PutFiles {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;

  constructor(kernel: KernelClient, blobs: BlobStore) {
    this.#kernel = kernel;
    this.#blobs = blobs;
  }

  /**
   * Stores many files in one change. Faults: `request.malformed` with the file's pointer, those of a path, those of the
   * change.
   */
  async putAll(caller: Caller, workspaceId: string, files: readonly FileText[]): Promise<WorkspaceView> {
    const paths = files.map(({ path }) => parseFilePath(path));
    const contents = await contentsOf(files, (index) => `/files/${index}/content`);
    await this.#verifyWorkspace(caller, workspaceId);
    const refs = await this.#blobs.putMany(caller.tenant_id, contents);
    return await this.#change(
      caller,
      workspaceId,
      paths.map((path, index) => changeOf(path, refs[index], files[index]?.mode)),
    );
  }

  /**
   * Stores one file as it arrives, of any size up to the limit. Faults as above, `request.too_large` and
   * `precondition.failed`.
   */
  async put(
    caller: Caller,
    workspaceId: string,
    { path, mode, stream }: { readonly path: string; readonly mode: string | undefined; readonly stream: Readable },
    condition: FileCondition,
  ): Promise<{ workspace: WorkspaceView; sha256: string }> {
    const parsed = parseFilePath(path);
    await this.#verifyWorkspace(caller, workspaceId);
    const ref = await this.#blobs.putStream(caller.tenant_id, bounded(stream, LIMITS.uploadBytes.max));
    const workspace = await this.#kernel.ask('workspace.change', caller, {
      workspace_id: workspaceId,
      changes: [changeOf(parsed, ref, mode)],
      ...condition,
    });
    return { workspace, sha256: ref.sha256 };
  }

  async remove(caller: Caller, workspaceId: string, path: string, condition: FileCondition): Promise<WorkspaceView> {
    return await this.#kernel.ask('workspace.change', caller, {
      workspace_id: workspaceId,
      changes: [{ path: parseFilePath(path), before: null, after: null }],
      ...condition,
    });
  }

  async #change(caller: Caller, workspace_id: string, changes: Change[]): Promise<WorkspaceView> {
    if (Buffer.byteLength(JSON.stringify(changes)) > CHANGE_BYTES_MAX)
      throw new Fault('request.too_large', "so many files don't go into one change; send them in several requests", {
        pointer: '/files',
      });
    return await this.#kernel.ask('workspace.change', caller, { workspace_id, changes });
  }

  /** Checked before anything is stored, so that nobody fills the store for another tenant's workspace. */
  async #verifyWorkspace(caller: Caller, workspace_id: string): Promise<void> {
    await this.#kernel.ask('workspace.read', caller, { workspace_id });
  }
}

function parseFilePath(text: string): WorkspacePath {
  const path = parsePath(text);
  if (path === ROOT) throw new Fault('path.invalid', 'the path names the workspace itself; name a file in it');
  return path;
}

function changeOf(path: WorkspacePath, ref: BlobRef | undefined, mode: string | undefined): Change {
  if (ref === undefined) throw new Error('every content has a reference');
  const after: FileState = { kind: 'file', mode: mode === '755' ? '755' : '644', sha256: ref.sha256, size: ref.size };
  return { path, before: null, after };
}

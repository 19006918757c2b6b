// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import { Fault, type Caller, type TenantId } from '@writ/contract';
import { lookup, parsePath, quote } from '@writ/workspace';
import { Snapshots } from './snapshots.ts';

/** A file of a snapshot. The content of a symbolic link is the text of its target. */
export interface StoredFile {
  readonly kind: 'file' | 'symlink';
  readonly mode: '644' | '755' | null;
  readonly sha256: string;
  /** bytes */
  readonly size: number;
  /** the content in parts; the iteration fails after the last part if the content doesn't match its hash */
  readonly parts: () => AsyncIterable<Uint8Array>;
}

/** Finds a file and reads its content. */
export class ReadFile {
  readonly #snapshots: Snapshots;
  readonly #blobs: BlobStore;

  constructor(snapshots: Snapshots, blobs: BlobStore) {
    this.#snapshots = snapshots;
    this.#blobs = blobs;
  }

  /** Faults: `not_found`, `file.not_found`, `file.kind` for a directory, those of a path. */
  async run(caller: Caller, workspaceId: string, text: string, at?: string): Promise<StoredFile> {
    const path = parsePath(text);
    const { reader, root } = await this.#snapshots.open(caller, workspaceId, at);
    const entry = await lookup(reader, root, path);
    if (entry === null) throw new Fault('file.not_found', `there is no ${quote(path)}`);
    if (entry.kind === 'dir') throw new Fault('file.kind', `${quote(path)} is a directory; its \`tree\` lists it`);
    const { kind, sha256, size } = entry;
    return {
      kind,
      mode: entry.kind === 'file' ? entry.mode : null,
      sha256,
      size,
      parts: () => this.#parts(caller.tenant_id, sha256),
    };
  }

  #parts(tenantId: TenantId, sha256: string): AsyncIterable<Uint8Array> {
    return this.#blobs.getStream(tenantId, sha256);
  }
}

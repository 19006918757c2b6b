// SPDX-License-Identifier: Apache-2.0
import type { Change, Delta, TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import type { TaskRunner } from '@writ/worker-pool';
import type { ExecutionTasks } from '../worker-tasks.ts';
import {
  INLINE_BYTES_MAX,
  READ_WALL_MS,
  readLasting,
  readWhole,
  parsePieces,
  type DeltaPieces,
} from './delta-pieces.ts';
import type { Effort } from './effort.ts';

/** Reads deltas that were stored, by the hex SHA-256 of their bytes. */
export class StoredDeltas {
  readonly #blobs: BlobStore;
  readonly #work: TaskRunner<ExecutionTasks>;
  readonly #queuedAs: string | null;

  /** @param queuedAs the name under which all its tasks queue; null: their tenants */
  constructor(blobs: BlobStore, work: TaskRunner<ExecutionTasks>, queuedAs: string | null = null) {
    this.#blobs = blobs;
    this.#work = work;
    this.#queuedAs = queuedAs;
  }

  /** @throws BeyondEffort; Fault `effect.invalid` where it is no delta, others as the blob store */
  async whole(tenantId: TenantId, hash: string, effort: Effort): Promise<Delta> {
    const pieces = await this.#read('delta.whole', readWhole, { tenantId, hash, effort });
    return { v: 1, base: pieces.base, changes: await parsePieces(pieces) } as Delta;
  }

  /** Those of its changes that count in a series. @throws as `whole` */
  async lasting(tenantId: TenantId, hash: string, effort: Effort): Promise<readonly Change[]> {
    return await parsePieces(await this.#read('delta.lasting', readLasting, { tenantId, hash, effort }));
  }

  async #read(
    task: 'delta.whole' | 'delta.lasting',
    read: (bytes: Uint8Array) => DeltaPieces,
    { tenantId, hash, effort }: { readonly tenantId: TenantId; readonly hash: string; readonly effort: Effort },
  ): Promise<DeltaPieces> {
    const bytes = await this.#blobs.get(tenantId, hash);
    effort.countRead(bytes.byteLength);
    if (bytes.byteLength <= INLINE_BYTES_MAX) return read(bytes);
    const options = { tenantId: this.#queuedAs ?? tenantId, wallMs: effort.atMost(READ_WALL_MS) };
    return await effort.ended(this.#work.run(task, bytes, options));
  }
}

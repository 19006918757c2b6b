// SPDX-License-Identifier: Apache-2.0
import type { Change, TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { sha256Hex } from '@writ/digest';
import type { PastEffect } from '@writ/effect';
import type { Work } from '@writ/worker-pool';
import type { AttemptFacts } from '../attempts/index.ts';
import { callKernel, type TenantPool } from '../store/index.ts';
import type { KernelTasks } from '../kernel.worker.ts';
import { readLasting, takePieces } from './delta-pieces.ts';

/** Changes of earlier effects that are kept in memory, of all tenants: some 40 MB. */
const CHANGES_MAX = 100_000;
/** Deltas that are read at the same time. */
const READ_AT_ONCE = 16;
/** A delta up to this size is read on the event loop: it takes 5 ms. */
const INLINE_BYTES_MAX = 16 * 1024;
/** The longest delta takes 2 s on a free processor; this is for a busy one, in milliseconds. */
const READ_WALL_MS = 15_000;

interface SeriesRow {
  readonly is_approved: boolean;
  /** hex SHA-256 of the delta's bytes */
  readonly delta: string;
}

/** How an effect joins its series. */
export interface Joining {
  /** whether persons approved this very effect */
  readonly isApproved: boolean;
  /** how far back the series goes */
  readonly windowMs: number;
}

/** The effects of a session, and of all tokens under an issued one, on a workspace: they are judged together. */
export class EffectSeries {
  readonly #blobs: BlobStore;
  readonly #tenants: TenantPool;
  readonly #work: Work<KernelTasks>;
  /** the newest last */
  readonly #known = new Map<string, readonly Change[]>();
  #changes = 0;

  constructor(blobs: BlobStore, tenants: TenantPool, work: Work<KernelTasks>) {
    this.#blobs = blobs;
    this.#tenants = tenants;
    this.#work = work;
  }

  /**
   * Adds an effect that is about to commit, and resolves with what reads those before it, the earliest first. Durable
   * before this resolves: of two effects that are examined at the same time the later one sees the earlier.
   *
   * @param bytes RFC 8785 JSON of its delta
   *
   * @throws Fault as the blob store and the database
   */
  async join(
    { operation, chain }: AttemptFacts, bytes: Uint8Array, { isApproved, windowMs }: Joining,
  ): Promise<() => Promise<readonly PastEffect[]>> {
    const { tenant_id, operation_id, capability_token_id, workspace_id, session_id } = operation;
    const root = chain.find(({ parent_id }) => parent_id === null)?.capability_token_id ?? capability_token_id;
    const hash = sha256Hex(bytes);
    await this.#blobs.put(tenant_id, bytes);
    const rows = await callKernel<readonly SeriesRow[]>(this.#tenants.pool, 'join_series', [
      tenant_id, workspace_id, session_id ?? capability_token_id, root, operation_id, hash, isApproved, windowMs,
    ]);
    return async () => await this.#read(tenant_id, rows);
  }

  async #read(tenantId: TenantId, rows: readonly SeriesRow[]): Promise<readonly PastEffect[]> {
    const effects: PastEffect[] = [];
    for (let at = 0; at < rows.length; at += READ_AT_ONCE) {
      effects.push(...await Promise.all(rows.slice(at, at + READ_AT_ONCE).map(async ({ delta, is_approved }) =>
        ({ changes: await this.#changesOf(tenantId, delta), isApproved: is_approved }))));
    }
    return effects;
  }

  async #changesOf(tenantId: TenantId, hash: string): Promise<readonly Change[]> {
    const key = `${tenantId}/${hash}`;
    const changes = this.#known.get(key) ?? await this.#load(tenantId, hash);
    if (!this.#known.delete(key)) this.#changes += changes.length;
    this.#known.set(key, changes);
    for (const [oldest, { length }] of this.#known) {
      if (this.#changes <= CHANGES_MAX) break;
      this.#known.delete(oldest);
      this.#changes -= length;
    }
    return changes;
  }

  async #load(tenantId: TenantId, hash: string): Promise<readonly Change[]> {
    const bytes = await this.#blobs.get(tenantId, hash);
    return await takePieces(bytes.byteLength <= INLINE_BYTES_MAX
      ? readLasting(bytes)
      : await this.#work.run('delta.lasting', bytes, { tenantId, wallMs: READ_WALL_MS }));
  }
}

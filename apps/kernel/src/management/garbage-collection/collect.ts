// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import type { BlobSweep } from '@writ/blobs';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { CollectStores } from './collect-stores.ts';
import type { GcRoots } from './gc-roots.ts';

/** Contents that are checked in one statement, and deleted in one transaction with one record. */
const BATCH = 1_000;
const ACTOR = 'kernel';

export interface CollectOptions {
  /** milliseconds between two passes over one tenant */
  readonly everyMs: number;
  /** milliseconds since the last write or existence check of a content that may be deleted */
  readonly graceMs: number;
}

/**
 * The result of a pass: deleted contents, their bytes, deleted parts that belong to no content, and documents of
 * information stores that nothing shows any more.
 */
export interface Collected {
  readonly contents: number;
  readonly bytes: number;
  readonly parts: number;
  readonly documents: number;
}

/**
 * Deletes unreachable contents: effects that were rolled back, abandoned uploads, parts of interrupted uploads.
 * Histories are kept completely. INVARIANT (what is named stays): a content is deleted only if nothing referenced it
 * when all references were read. In addition, nobody has written it or checked its existence after `since`. A later
 * reference is preceded by a write or an existence check; then the content isn't deleted.
 */
export class Collect {
  readonly #workers: CrossTenantPool;
  readonly #roots: GcRoots;
  readonly #sweep: BlobSweep;
  readonly #changes: Changes;
  readonly #options: CollectOptions;
  readonly #stores: CollectStores;

  constructor(workers: CrossTenantPool, roots: GcRoots, sweep: BlobSweep, changes: Changes, options: CollectOptions) {
    this.#stores = new CollectStores(changes);
    this.#workers = workers;
    this.#roots = roots;
    this.#sweep = sweep;
    this.#changes = changes;
    this.#options = options;
  }

  /** Runs a pass for the tenant that is due; null where none is. Two replicas never get the same tenant. */
  async next(): Promise<Collected | null> {
    const turn = await kernelSql.takeCollection(this.#workers.pool, { every: this.#options.everyMs });
    return turn === null ? null : await this.run(turn.tenant_id, turn.now);
  }

  /** @param now milliseconds on the database's clock */
  async run(tenantId: TenantId, now: number): Promise<Collected> {
    const since = now - this.#options.graceMs;
    const marked = await this.#roots.of(tenantId);
    let [contents, bytes] = [0, 0];
    let past: string | null = null;
    for (;;) {
      const page = await this.#sweep.untouched(tenantId, since, past, BATCH);
      const unreachable = page.map(({ sha256 }) => sha256).filter((sha256) => !marked.has(sha256));
      if (unreachable.length > 0) {
        await this.#record(tenantId, unreachable);
        const deleted = await this.#sweep.delete(tenantId, since, unreachable);
        contents += deleted.length;
        bytes += deleted.reduce((sum, { size }) => sum + size, 0);
      }
      past = page.at(-1)?.sha256 ?? null;
      if (page.length < BATCH || past === null) break;
    }
    const parts = await this.#deleteParts(tenantId, since);
    return { contents, bytes, parts, documents: await this.#stores.run(tenantId, since) };
  }

  /**
   * Runs before the deletion. A content that was recorded and is still there is deleted and recorded again in the next
   * pass.
   */
  async #record(tenantId: TenantId, sha256s: readonly string[]): Promise<void> {
    await this.#changes.upkeep(tenantId, () =>
      Promise.resolve({
        value: null,
        records: [
          {
            kind: 'change',
            actor: ACTOR,
            change: { verb: 'contents_collected', subject: tenantId, digest: contentDigest({ sha256s }) },
          },
        ],
      }),
    );
  }

  async #deleteParts(tenantId: TenantId, since: number): Promise<number> {
    let parts = 0;
    for (;;) {
      const deleted = await this.#sweep.deleteParts(tenantId, since, BATCH);
      parts += deleted;
      if (deleted < BATCH) return parts;
    }
  }
}

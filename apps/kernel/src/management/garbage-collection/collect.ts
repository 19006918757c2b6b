// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import type { BlobSweep } from '@writ/blobs';
import { contentDigest, type Changes } from '../../evidence/changes/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import type { GcRoots } from './gc-roots.ts';

/** Contents looked at in one statement, and taken in one transaction with a record of its own. */
const BATCH = 1_000;
const ACTOR = 'kernel';

export interface CollectOptions {
  /** milliseconds between two passes over one tenant */
  readonly everyMs: number;
  /** milliseconds for which nobody put or asked for a content that is taken */
  readonly graceMs: number;
}

/** What a pass took: contents, their bytes, and parts of contents that no content has. */
export interface Collected {
  readonly contents: number;
  readonly bytes: number;
  readonly parts: number;
}

/**
 * Takes contents away that nothing names any more: effects that were rolled back, uploads that came to nothing, parts
 * of uploads that broke off. Histories are kept whole. INVARIANT (what is named stays): a content goes only if nothing
 * named it when all names were read, after `since`, and nobody has put it or was told of it since. Whatever names it
 * later has put it, or asked whether it is there, before; then it isn't taken.
 */
export class Collect {
  readonly #workers: CrossTenantPool;
  readonly #names: GcRoots;
  readonly #sweep: BlobSweep;
  readonly #changes: Changes;
  readonly #options: CollectOptions;

  constructor(workers: CrossTenantPool, names: GcRoots, sweep: BlobSweep, changes: Changes, options: CollectOptions) {
    this.#workers = workers;
    this.#names = names;
    this.#sweep = sweep;
    this.#changes = changes;
    this.#options = options;
  }

  /** Looks through the tenant whose turn it is; null where it is nobody's. Replicas never have the same one. */
  async next(): Promise<Collected | null> {
    const turn = await kernelSql.takeCollection(this.#workers.pool, { every: this.#options.everyMs });
    return turn === null ? null : await this.run(turn.tenant_id, turn.now);
  }

  /** @param now the database's clock, in milliseconds */
  async run(tenantId: TenantId, now: number): Promise<Collected> {
    const since = now - this.#options.graceMs;
    const named = await this.#names.of(tenantId);
    let [contents, bytes] = [0, 0];
    let past: string | null = null;
    for (;;) {
      const page = await this.#sweep.untouched(tenantId, since, past, BATCH);
      const unnamed = page.map(({ sha256 }) => sha256).filter((sha256) => !named.has(sha256));
      if (unnamed.length > 0) {
        await this.#record(tenantId, unnamed);
        const taken = await this.#sweep.take(tenantId, since, unnamed);
        contents += taken.length;
        bytes += taken.reduce((sum, { size }) => sum + size, 0);
      }
      past = page.at(-1)?.sha256 ?? null;
      if (page.length < BATCH || past === null) break;
    }
    return { contents, bytes, parts: await this.#takeParts(tenantId, since) };
  }

  /** Before anything goes: what is recorded and then is still there goes the next time, and is recorded again. */
  async #record(tenantId: TenantId, sha256s: readonly string[]): Promise<void> {
    await this.#changes.make(tenantId, () =>
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

  async #takeParts(tenantId: TenantId, since: number): Promise<number> {
    let parts = 0;
    for (;;) {
      const taken = await this.#sweep.takeParts(tenantId, since, BATCH);
      parts += taken;
      if (taken < BATCH) return parts;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
import type { Change, TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { sha256Hex } from '@writ/digest';
import type { PastEffect } from '@writ/effect';
import type { AttemptFacts } from '../attempts/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { SeriesRow } from '../../foundation/database/functions/outcomes.ts';
import { Effort } from './effort.ts';
import type { StoredDeltas } from './stored-deltas.ts';

/** Changes of earlier effects that are cached, of all tenants: some 40 MB. */
export const SERIES_CHANGES_MAX = 100_000;
/** Deltas that are read at the same time. */
const READ_AT_ONCE = 16;

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
  readonly #deltas: StoredDeltas;
  readonly #changesMax: number;
  /** the newest last */
  readonly #cache = new Map<string, readonly Change[]>();
  #changes = 0;

  constructor(deltas: StoredDeltas, blobs: BlobStore, tenants: TenantPool, changesMax: number) {
    this.#blobs = blobs;
    this.#tenants = tenants;
    this.#deltas = deltas;
    this.#changesMax = changesMax;
  }

  /**
   * Adds an effect that is about to commit, and resolves with a reader of those before it, the earliest first. It is
   * durable before this resolves: of two effects that are examined at the same time the later one sees the earlier.
   *
   * @param bytes RFC 8785 JSON of its delta
   *
   * @throws Fault as the blob store and the database
   */
  async join(
    { operation, chain }: AttemptFacts,
    bytes: Uint8Array,
    { isApproved, windowMs }: Joining,
  ): Promise<() => Promise<readonly PastEffect[]>> {
    const { tenant_id, operation_id, capability_token_id, workspace_id, session_id } = operation;
    const root = chain.find(({ parent_id }) => parent_id === null)?.capability_token_id ?? capability_token_id;
    const hash = sha256Hex(bytes);
    await this.#blobs.put(tenant_id, bytes);
    const rows = await kernelSql.joinSeries(this.#tenants.pool, {
      tenant: tenant_id,
      workspace: workspace_id,
      session: session_id ?? capability_token_id,
      root,
      operation: operation_id,
      delta: hash,
      approved: isApproved,
      window_ms: windowMs,
    });
    return async () => await this.read(tenant_id, rows, Effort.unbounded());
  }

  /** Reads effects of a series, in the order of their rows. @throws BeyondEffort; Fault as the blob store */
  async read(tenantId: TenantId, rows: readonly SeriesRow[], effort: Effort): Promise<readonly PastEffect[]> {
    const effects: PastEffect[] = [];
    for (let at = 0; at < rows.length; at += READ_AT_ONCE) {
      effects.push(
        ...(await Promise.all(
          rows
            .slice(at, at + READ_AT_ONCE)
            .map(async ({ delta, is_approved }) => ({
              changes: await this.#changesOf(tenantId, delta, effort),
              isApproved: is_approved,
            })),
        )),
      );
    }
    return effects;
  }

  async #changesOf(tenantId: TenantId, hash: string, effort: Effort): Promise<readonly Change[]> {
    const key = `${tenantId}/${hash}`;
    const changes = this.#cache.get(key) ?? (await this.#deltas.lasting(tenantId, hash, effort));
    if (!this.#cache.delete(key)) this.#changes += changes.length;
    this.#cache.set(key, changes);
    for (const [oldest, { length }] of this.#cache) {
      if (this.#changes <= this.#changesMax) break;
      this.#cache.delete(oldest);
      this.#changes -= length;
    }
    return changes;
  }
}

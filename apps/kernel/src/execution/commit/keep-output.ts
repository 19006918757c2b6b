// SPDX-License-Identifier: Apache-2.0
import { Fault, type ReportRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { sealedBy, verifyOutput } from '../effects/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';

/**
 * Stores the full output that a report names, for a time. It is no part of the effect: no digest and no record names
 * it. INVARIANT (fenced): only the executor that holds the attempt can store it, and only while the attempt performs.
 */
export class KeepOutput {
  readonly #tenants: TenantPool;
  readonly #blobs: BlobStore;
  readonly #keptMs: number;

  constructor(tenants: TenantPool, blobs: BlobStore, keptMs: number) {
    this.#tenants = tenants;
    this.#blobs = blobs;
    this.#keptMs = keptMs;
  }

  /**
   * Resolves once it is durable and its time has begun. Nothing is written for an attempt that is over or another's,
   * nor for contents that don't match their names: the check of the effect reports those.
   */
  async run(report: ReportRequest): Promise<void> {
    const { tenant_id, operation_id, attempt, executor_id, nonce, output_refs: refs } = report;
    if (refs === undefined || !(await this.#areStored(report))) return;
    await kernelSql.keepOutput(this.#tenants.pool, {
      tenant: tenant_id,
      operation: operation_id,
      attempt,
      executor: executor_id,
      nonce,
      stdout: { ...refs.stdout, sealed: sealedBy(report) },
      stderr: { ...refs.stderr, sealed: sealedBy(report) },
      kept_ms: this.#keptMs,
    });
  }

  async #areStored(report: ReportRequest): Promise<boolean> {
    try {
      await verifyOutput(this.#blobs, report);
      return true;
    } catch (error) {
      if (error instanceof Fault && error.code === 'effect.invalid') return false;
      throw error;
    }
  }
}

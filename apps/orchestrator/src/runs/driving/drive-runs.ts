// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import { LeaseLost, type RunClaim } from '../../store/session-rows/sessions.ts';
import type { DriveParts } from './drive-parts.ts';
import { DriveRun, LEASE_MS } from './drive-run.ts';

/** Runs in progress in one replica: each mostly waits for a model, and holds its conversation in memory. */
const AT_ONCE_MAX = 200;
/** Runs of one tenant in progress, over all replicas, so that other tenants' runs find capacity. */
const TENANT_MAX = 100;
/** Pause before the next attempt at a run that failed because of the database or the kernel. */
const RETRY_DELAY_MS = 1_000;

/**
 * A run fails if no replica has had its model for this long. A starting replica waits as long before it claims such
 * runs, because other replicas with the model may still be starting.
 */
export const MODEL_GONE_MS = 60_000;

/** Remembered operations that runs wait for. */
const WAITING_MAX = 10_000;

/** Drives due runs, up to the limit of concurrent runs. */
export class DriveRuns {
  readonly #parts: DriveParts;
  readonly #failed: (error: unknown) => void;
  /** when it was created, by its monotonic clock */
  readonly #since: number;
  readonly #driving = new Map<string, DriveRun>();
  readonly #running = new Set<Promise<void>>();
  /** runs that wait for a decision, by operation; runs that are missing here are found by polling */
  readonly #runsByOperation = new LRUCache<string, { readonly tenant_id: TenantId; readonly run_id: string }>({
    max: WAITING_MAX,
  });
  #isStopping = false;

  constructor(parts: DriveParts, failed: (error: unknown) => void) {
    this.#parts = parts;
    this.#failed = failed;
    this.#since = parts.monotonic();
  }

  /** How many runs this replica drives now. */
  get size(): number {
    return this.#driving.size;
  }

  /** Claims due runs up to the limit, and resolves when they have begun. */
  async run(): Promise<void> {
    const rows = AT_ONCE_MAX - this.#driving.size;
    if (rows <= 0 || this.#isStopping) return;
    const { work, models, monotonic } = this.#parts;
    const goneMs = monotonic() - this.#since < MODEL_GONE_MS ? null : MODEL_GONE_MS;
    const claims = await work.claim({
      rows,
      tenantMax: TENANT_MAX,
      leaseMs: LEASE_MS,
      models: models.views().map(({ name }) => name),
      goneMs,
    });
    for (const claim of claims) this.#begin(claim);
  }

  /** Renews the leases of driven runs, and interrupts runs that are lost, revoked or cancelled. */
  async renew(): Promise<void> {
    const driving = [...this.#driving.values()];
    if (driving.length === 0) return;
    const held = new Map(
      (
        await this.#parts.work.renew(
          driving.map(({ claim }) => claim),
          LEASE_MS,
        )
      ).map((run) => [run.run_id, run]),
    );
    for (const drive of driving) {
      const run = held.get(drive.claim.run_id);
      if (run === undefined) drive.interrupt('lost');
      else if (run.revoked) drive.interrupt('revoked');
      else if (run.cancelled) drive.interrupt('cancelled');
    }
  }

  /** Handles an event of an operation: wakes the run that waits for it. */
  operationChanged(operationId: string, state: string): void {
    const of = this.#runsByOperation.get(operationId);
    if (of === undefined || state === 'held') return;
    this.#runsByOperation.delete(operationId);
    void this.#parts.work.wake(of.tenant_id, of.run_id).catch(this.#failed);
  }

  /**
   * Interrupts a cancelled run if this replica drives it. Other replicas see the cancellation when they renew its
   * lease.
   */
  cancel(runId: string): void {
    this.#driving.get(runId)?.interrupt('cancelled');
  }

  /**
   * Ends the runs of this replica that the key requested. Its revocation MUST be durable. Runs of other replicas, and
   * those that are just being read, end when their leases are renewed.
   */
  keyRevoked(apiKeyId: string): void {
    for (const drive of this.#driving.values()) if (drive.isFor(apiKeyId)) drive.interrupt('revoked');
  }

  /** Releases all driven runs, so that other replicas continue them. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const drive of this.#driving.values()) drive.interrupt('stopping');
    await this.settled();
  }

  /** Resolves when this replica drives no run. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #begin(claim: RunClaim): void {
    const drive = new DriveRun(this.#parts, claim);
    this.#driving.set(claim.run_id, drive);
    const running = this.#drive(drive)
      .catch((error: unknown) => {
        if (!(error instanceof LeaseLost)) this.#failed(error);
      })
      .finally(() => {
        if (this.#driving.get(claim.run_id) === drive) this.#driving.delete(claim.run_id);
        this.#running.delete(running);
      });
    this.#running.add(running);
  }

  async #drive(drive: DriveRun): Promise<void> {
    const { tenant_id, run_id } = drive.claim;
    try {
      for (const operationId of await drive.run()) this.#runsByOperation.set(operationId, { tenant_id, run_id });
    } catch (error) {
      await this.#handleFailure(drive, error);
    }
  }

  /**
   * Releases the run for a retry after a temporary error. Any other error ends the run; a bug is also reported to
   * operators.
   */
  async #handleFailure(drive: DriveRun, error: unknown): Promise<void> {
    if (drive.isOpen && !(error instanceof Fault && error.retryable)) {
      await drive.fail(error instanceof Fault ? error.code : 'internal');
      if (error instanceof Fault) return;
    } else await drive.release(RETRY_DELAY_MS);
    throw error;
  }
}

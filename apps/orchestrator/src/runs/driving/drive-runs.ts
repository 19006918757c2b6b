// SPDX-License-Identifier: Apache-2.0
import { Fault, type TenantId } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import { LeaseLost, type RunClaim } from '../../store/sessions/sessions.ts';
import type { DriveParts } from './drive-parts.ts';
import { DriveRun, LEASE_MS } from './drive-run.ts';

/** Runs under way in one replica: each mostly waits for a model, and holds its conversation in memory. */
const AT_ONCE_MAX = 200;
/** Runs of one tenant under way, over all replicas: those of others find room. */
const TENANT_MAX = 100;
/** How long a run is left alone that the database or the kernel kept from going on. */
const AGAIN_MS = 1_000;

/**
 * For how long no replica must have had a run's model before the run ends for that. A replica that starts looks for as
 * long before it believes so: others may be about to start with the model.
 */
export const MODEL_GONE_MS = 60_000;

/** Operations remembered that runs wait for. */
const WAITING_MAX = 10_000;

/** Drives what is due, as much at once as there is room for. */
export class DriveRuns {
  readonly #parts: DriveParts;
  readonly #failed: (error: unknown) => void;
  /** when it began to look, by its monotonic clock */
  readonly #since: number;
  readonly #driving = new Map<string, DriveRun>();
  readonly #running = new Set<Promise<void>>();
  /** by operation: who waits for a decision. What nobody here remembers is found by looking again. */
  readonly #waiting = new LRUCache<string, { readonly tenant_id: TenantId; readonly run_id: string }>({
    max: WAITING_MAX,
  });
  #isStopping = false;

  constructor(parts: DriveParts, failed: (error: unknown) => void) {
    this.#parts = parts;
    this.#failed = failed;
    this.#since = parts.monotonic();
  }

  /** How many runs are under way here. */
  get size(): number {
    return this.#driving.size;
  }

  /** Begins with what is due and has room; resolves when that has begun. */
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

  /** Renews the leases of what is under way, and breaks off what is lost or to be cancelled. */
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
      if (run === undefined) drive.breakOff('lost');
      else if (run.revoked) drive.breakOff('revoked');
      else if (run.cancelled) drive.breakOff('cancelled');
    }
  }

  /** Something happened to an operation: a run that waits for it is looked at again. */
  heard(operationId: string, state: string): void {
    const of = this.#waiting.get(operationId);
    if (of === undefined || state === 'held') return;
    this.#waiting.delete(operationId);
    void this.#parts.work.wake(of.tenant_id, of.run_id).catch(this.#failed);
  }

  /** A run of this replica is to be cancelled: others hear of it when they renew. */
  cancel(runId: string): void {
    this.#driving.get(runId)?.breakOff('cancelled');
  }

  /**
   * Ends the runs of this replica that the key asked for. Its revocation MUST be durable. Runs of other replicas, and
   * those that are just being read, end when their leases are renewed.
   */
  keyRevoked(apiKeyId: string): void {
    for (const drive of this.#driving.values()) if (drive.isFor(apiKeyId)) drive.breakOff('revoked');
  }

  /** Lets go of what is under way: other replicas go on with it. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const drive of this.#driving.values()) drive.breakOff('stopping');
    await this.settled();
  }

  /** Resolves when no run is under way here. */
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
      for (const operationId of await drive.run()) this.#waiting.set(operationId, { tenant_id, run_id });
    } catch (error) {
      await this.#givenUp(drive, error);
    }
  }

  /** What may pass is tried again; what can't is the run's end, told to whoever operates as well. */
  async #givenUp(drive: DriveRun, error: unknown): Promise<void> {
    if (drive.isOpen && !(error instanceof Fault && error.retryable)) {
      await drive.fail(error instanceof Fault ? error.code : 'internal');
      if (error instanceof Fault) return;
    } else await drive.leave(AGAIN_MS);
    throw error;
  }
}

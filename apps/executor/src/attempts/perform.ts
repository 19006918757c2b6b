// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '@writ/blobs';
import type { WorkMessage } from '@writ/bus';
import {
  Fault,
  TOOLS,
  type UnmetNeed,
  type AssignedEvent,
  type Lane,
  type Permit,
  type Redemption,
  type ReportReply,
  type ToolClass,
} from '@writ/contract';
import { parseJson } from '@writ/digest';
import { PERMIT_SKEW_MS, verifyPermit } from '@writ/permit';
import { parseEnvelope, type Envelope, type Verifier } from '@writ/signing';
import { withSpan } from '@writ/telemetry';
import type { TaskRunner } from '@writ/worker-pool';
import { LRUCache } from 'lru-cache';
import type { ExecutorTasks } from '../calls/worker-tasks.ts';
import { prepareCall, redactedOrSettled } from '../calls/call-secrets.ts';
import type { RunContext, Runner, Staged } from '../calls/runner.ts';
import type { CallImages } from '../images/call-images.ts';
import { KernelClient, type Report, type AttemptCredentials } from '../foundation/kernel-client.ts';
import { keepLease } from './keep-lease.ts';
import { Lease } from './lease.ts';
import { isOfOtherVersion } from './other-version.ts';
import { proveCall, sealOf } from './prove-call.ts';
import type { RunningAttempts } from './running-attempts.ts';
import { REPLY_TIMEOUT_MS, runContextOf } from './run-context.ts';
import { stagedOfFault } from './staged-of-fault.ts';
import { stageReport, type ContentDestination } from './stage-report.ts';
import { unstartedPauseMs } from './unstarted.ts';

export interface Clocks {
  /** epoch milliseconds: only to compare with times that other processes set */
  readonly epoch: () => number;
  /** monotonic milliseconds, which advance while the process is frozen: for leases */
  readonly monotonic: () => number;
}

export interface PerformOptions {
  readonly executorId: string;
  /** the images that calls of this executor may run in, `sha256:…`; none: it has no containers */
  readonly images: ReadonlySet<string>;
  /** those for programs of MCP servers, which live between calls; absent: the same */
  readonly programImages?: ReadonlySet<string>;
}

/** What became of a permit, for logs and metrics. */
export type AttemptResult = 'reported' | 'not_ours' | 'fenced' | 'refused';

/** A call that the kernel has redeemed for this executor. */
export interface AssignedCall {
  readonly lane: Lane;
  /** Runs the call and reports it. The lease counts from `since`, in monotonic milliseconds. */
  run(since: number): Promise<AttemptResult>;
  /**
   * Releases the call without running it, so that another executor gets it. If the release fails, the call waits for
   * its lease to expire.
   */
  release(): Promise<void>;
}

/** Permit ids that are remembered: many times the calls that are assigned within a permit's life. */
const SPENT_PERMITS_MAX = 50_000;
/** Milliseconds before an attempt that can't run here is given back. */
const GIVE_BACK_MS = 1_000;
/** A kernel that can't redeem a permit yet is asked so long, in milliseconds; then the slot is for other calls. */
const REDEEM_WAIT_MS = 4_000;
/** Milliseconds between two tries of a request. */
const RETRY_PAUSE_MS = 150;

/**
 * Handles one permit, from the lane to the report. INVARIANT (permit first): the executor verifies the permit first,
 * and the kernel redeems it for this executor. Only then does the executor fetch or run anything of the call. INVARIANT
 * (fenced): nothing leaves this process for an attempt whose lease has expired.
 */
export class Perform {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;
  readonly #runners: ReadonlyMap<string, Runner>;
  readonly #verifiers: ReadonlyMap<string, Verifier>;
  readonly #images: CallImages;
  readonly #running: RunningAttempts;
  readonly #work: TaskRunner<ExecutorTasks>;
  readonly #clocks: Clocks;
  readonly #options: PerformOptions;
  /**
   * permits of assigned calls while they are valid: such a permit is not redeemed, so only this list tells that it was
   * used
   */
  readonly #spent = new LRUCache<string, true>({
    max: SPENT_PERMITS_MAX,
    perf: { now: () => this.#clocks.monotonic() },
  });

  constructor(parts: {
    kernel: KernelClient;
    blobs: BlobStore;
    runners: readonly Runner[];
    images: CallImages;
    verifiers: ReadonlyMap<string, Verifier>;
    running: RunningAttempts;
    work: TaskRunner<ExecutorTasks>;
    clocks: Clocks;
    options: PerformOptions;
  }) {
    this.#kernel = parts.kernel;
    this.#blobs = parts.blobs;
    this.#runners = new Map(parts.runners.map((runner) => [runner.toolId ?? runner.toolClass, runner]));
    this.#verifiers = parts.verifiers;
    this.#images = parts.images;
    this.#running = parts.running;
    this.#work = parts.work;
    this.#clocks = parts.clocks;
    this.#options = parts.options;
  }

  async run(message: WorkMessage, lane: Lane): Promise<AttemptResult> {
    const opened = this.#openPermit(message, lane);
    if (opened === null) {
      message.term();
      return 'refused';
    }
    const { permit, envelope } = opened;
    if (!this.#hasImage(permit)) {
      // Another executor may have the image; if none has, the permit expires and the call waits in the database.
      message.nak(1_000);
      return 'not_ours';
    }
    const { operation_id, attempt, mode, tool_id } = permit;
    return await withSpan('performing', { operation_id, attempt, mode, tool_id, lane }, () =>
      this.#attempt(message, permit, envelope),
    );
  }

  /**
   * Null for an event that orders nothing: its permit doesn't verify, was used before, or doesn't match the redemption.
   * Such a call must not be released either.
   */
  openAssigned({ permit: envelope, nonce, redemption }: AssignedEvent): AssignedCall | null {
    const permit = this.#verifiedPermitOf(envelope);
    if (
      permit === null ||
      permit.mode !== 'run' ||
      redemption.operation_id !== permit.operation_id ||
      redemption.tenant_id !== permit.tenant_id ||
      redemption.attempt !== permit.attempt
    )
      return null;
    if (this.#spent.has(permit.permit_id)) return null;
    this.#spent.set(permit.permit_id, true, { ttl: permit.expires_at + PERMIT_SKEW_MS - this.#clocks.epoch() + 1 });
    const { operation_id, attempt, mode, tool_id, lane } = permit;
    const credentials = this.#credentialsOf(permit, nonce);
    return {
      lane,
      release: () => this.#returnUnrun(credentials),
      run: async (since) =>
        await withSpan('performing', { operation_id, attempt, mode, tool_id, lane }, async () => {
          if (!this.#hasImage(permit) || isOfOtherVersion(permit, redemption, this.#options.images))
            return await this.#giveBack(credentials);
          return await this.#runUnderLease(
            permit,
            await this.#kernel.openSecrets(redemption),
            credentials,
            new Lease(this.#clocks.monotonic, since, redemption.lease_ms),
          );
        }),
    };
  }

  #verifiedPermitOf(envelope: Envelope): Permit | null {
    try {
      return verifyPermit(envelope, this.#verifiers, this.#clocks.epoch());
    } catch {
      return null;
    }
  }

  #credentialsOf({ tenant_id, operation_id, attempt, mode }: Permit, nonce: string): AttemptCredentials {
    return { tenant_id, operation_id, attempt, mode, executor_id: this.#options.executorId, nonce };
  }

  #hasImage({ image_digest, registered_image, lane }: Permit): boolean {
    // A call in a container that isn't of the lane of containers is one of a program.
    const images = (lane === 'broker' ? this.#options.programImages : undefined) ?? this.#options.images;
    // An executor without containers has no image, and a tenant's image needs a container as much as any other.
    return image_digest === null || (registered_image === true ? images.size > 0 : images.has(image_digest));
  }

  async #attempt(message: WorkMessage, permit: Permit, envelope: Envelope): Promise<AttemptResult> {
    const nonce = KernelClient.newNonce();
    const redeemed = await this.#redeem(permit, envelope, nonce);
    if (redeemed === 'later') message.nak(GIVE_BACK_MS);
    // Also after a refusal: the permit is spent or expired then, and the kernel publishes another one by itself.
    else message.ack();
    if (redeemed === null || redeemed === 'later') return 'not_ours';
    if (isOfOtherVersion(permit, redeemed.redemption, this.#options.images))
      return await this.#giveBack(this.#credentialsOf(permit, nonce));
    return await this.#runUnderLease(
      permit,
      redeemed.redemption,
      this.#credentialsOf(permit, nonce),
      new Lease(this.#clocks.monotonic, redeemed.requestedAt, redeemed.redemption.lease_ms),
    );
  }

  /**
   * Gives back an attempt that can't run here, and of which nothing ran: an executor of the other version may run it,
   * or the kernel decides the call again. That is no lost executor, of which a call bears few. A preview, which nothing
   * decides again, bears few of these too. After a pause, since the next attempt may come here at once.
   */
  async #giveBack(
    credentials: AttemptCredentials,
    pauseMs = GIVE_BACK_MS,
    signal?: AbortSignal,
  ): Promise<AttemptResult> {
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    await this.#returnUnrun(credentials);
    return 'not_ours';
  }

  async #returnUnrun(credentials: AttemptCredentials): Promise<void> {
    await this.#kernel.release(credentials, credentials.mode === 'run', REPLY_TIMEOUT_MS).catch(() => undefined);
  }

  #openPermit(message: WorkMessage, lane: Lane): { permit: Permit; envelope: Envelope } | null {
    let envelope: Envelope;
    try {
      envelope = parseEnvelope(parseJson(Buffer.from(message.bytes).toString('utf8')));
    } catch {
      return null;
    }
    const permit = this.#verifiedPermitOf(envelope);
    return permit?.lane === lane ? { permit, envelope } : null;
  }

  /**
   * Repeats the request until it is answered or the permit has expired. A reply may be lost; the same nonce gets the
   * same reply. `later`: the kernel never did anything but put it off, for instance while an access token is renewed.
   */
  async #redeem(
    permit: Permit,
    envelope: Envelope,
    nonce: string,
  ): Promise<{ redemption: Redemption; requestedAt: number } | 'later' | null> {
    const since = this.#clocks.monotonic();
    for (let isPutOff = true; ;) {
      const left = permit.expires_at + PERMIT_SKEW_MS - this.#clocks.epoch();
      if (left <= 0) return null;
      const requestedAt = this.#clocks.monotonic();
      try {
        return {
          redemption: await this.#kernel.redeem(
            envelope,
            this.#options.executorId,
            nonce,
            Math.min(REPLY_TIMEOUT_MS, left),
          ),
          requestedAt,
        };
      } catch (error) {
        if (!(error instanceof Fault) || !error.retryable) return null;
        isPutOff &&= error.code === 'overloaded';
        if (isPutOff && this.#clocks.monotonic() - since >= REDEEM_WAIT_MS) return 'later';
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }

  async #runUnderLease(
    permit: Permit,
    redemption: Redemption,
    credentials: AttemptCredentials,
    lease: Lease,
  ): Promise<AttemptResult> {
    const done = new AbortController();
    this.#running.add(credentials, lease);
    const renewals = keepLease(this.#kernel, credentials, lease, this.#clocks.monotonic, done.signal);
    try {
      const needs: UnmetNeed[] = [];
      const destination = { blobs: this.#blobs, tenantId: credentials.tenant_id, seal: sealOf(permit, redemption) };
      const ports = { kernel: this.#kernel, work: this.#work, monotonic: this.#clocks.monotonic };
      const staged = await withSpan('run', {}, () =>
        this.#runCall(permit, redemption, runContextOf(ports, credentials, lease, needs)),
      );
      await this.#storeAndReport(
        staged,
        destination,
        credentials,
        lease,
        permit.mode === 'preview' ? { asked_for: needs } : {},
      );
      return 'reported';
    } catch (error) {
      if (error instanceof Fault && error.code === 'attempt.fenced') {
        await this.#release(credentials, lease);
        return 'fenced';
      }
      const pauseMs = unstartedPauseMs(error, permit.attempt);
      if (pauseMs === null) throw error;
      return await this.#giveBack(credentials, pauseMs, lease.signal);
    } finally {
      done.abort();
      this.#running.remove(credentials, lease);
      await renewals;
    }
  }

  /**
   * INVARIANT (dead before released): the runner has settled before this is called, so nothing of the attempt runs any
   * more. While the runner has not settled, the attempt isn't released and its lease expires.
   */
  async #release(credentials: AttemptCredentials, lease: Lease): Promise<void> {
    const { releasable } = lease;
    if (releasable === null) return;
    await this.#kernel
      .release(credentials, releasable.stopping, Math.min(REPLY_TIMEOUT_MS, releasable.leftMs))
      .catch(() => undefined);
  }

  /**
   * Stores and reports the staged effect. Then it passes the outcome to the runner that staged the effect, also after a
   * failure.
   */
  async #storeAndReport(
    staged: Staged,
    destination: ContentDestination,
    credentials: AttemptCredentials,
    lease: Lease,
    extra: Pick<Report, 'asked_for'>,
  ): Promise<void> {
    let reply: ReportReply | null = null;
    try {
      lease.verifyHeld();
      const report = await withSpan('stage', {}, () => stageReport(staged, destination));
      reply = await this.#report(credentials, { ...report, ...extra }, lease);
    } finally {
      await staged.settle?.(reply);
    }
  }

  async #runCall(permit: Permit, redemption: Redemption, context: RunContext): Promise<Staged> {
    try {
      const proven = await proveCall(permit, redemption, this.#blobs, context.work);
      const { call, values } = await prepareCall(await this.#images.place(proven, context.signal), context);
      // A tool of sessions has its own runner, and no other runner replaces it.
      const runner =
        this.#runners.get(permit.tool_id) ??
        (TOOLS.get(permit.tool_id)?.session === true ? undefined : this.#runners.get(classOf(permit)));
      if (!runner) throw new Fault('tool.not_available', `tool \`${permit.tool_id}\` can't be run here`);
      return await redactedOrSettled(await runner.run(call, context), call, values, context.work);
    } catch (error) {
      return stagedOfFault(error);
    }
  }

  /** Repeats the report while the lease lives. The kernel answers a repeated report with the stored outcome. */
  async #report(credentials: AttemptCredentials, report: Report, lease: Lease): Promise<ReportReply> {
    for (;;) {
      lease.verifyHeld();
      try {
        return await this.#kernel.report(credentials, report, Math.min(REPLY_TIMEOUT_MS, lease.left));
      } catch (error) {
        if (!(error instanceof Fault) || !error.retryable) throw error;
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }
}

/** Each class of tools has its own lane. */
const classOf = (permit: Permit): ToolClass => permit.lane;

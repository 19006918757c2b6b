// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '@writ/blobs';
import type { WorkMessage } from '@writ/bus';
import {
  Fault,
  TOOLS,
  type AskedFor,
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
import type { Work } from '@writ/worker-pool';
import { LRUCache } from 'lru-cache';
import type { ExecutorTasks } from '../calls/worker-tasks.ts';
import { prepareCall, withoutSecrets } from '../calls/call-secrets.ts';
import type { RunContext, Runner, Staged } from '../calls/runner.ts';
import { callWork } from '../foundation/call-work.ts';
import { KernelClient, type Report, type AttemptCredentials } from '../foundation/kernel-client.ts';
import { keepLease } from './keep-lease.ts';
import { Lease } from './lease.ts';
import { proveCall, sealOf } from './prove-call.ts';
import type { Running } from './running.ts';
import { stagedOfFault } from './staged-of-fault.ts';
import { stageReport, type Storing } from './stage-report.ts';

export interface Clocks {
  /** epoch milliseconds: only for what others date */
  readonly epoch: () => number;
  /** monotonic milliseconds, going on while the process is frozen: for leases */
  readonly monotonic: () => number;
}

export interface PerformOptions {
  readonly executorId: string;
  /** the images that calls may run in here, `sha256:…` */
  readonly images: ReadonlySet<string>;
}

/** What happened to a permit, for logs and metrics. */
export type Performed = 'reported' | 'not_ours' | 'fenced' | 'refused';

/** A call that the kernel has redeemed for this executor. */
export interface AssignedCall {
  readonly lane: Lane;
  /** Runs it, and reports. The lease counts from `since`, monotonic milliseconds. */
  run(since: number): Promise<Performed>;
  /** Gives it back unrun: another takes it. What can't be given back waits for its lease. */
  giveBack(): Promise<void>;
}

/** Long enough for a busy kernel, short enough to ask thrice within a permit's life. */
const ANSWER_MS = 5_000;
/** As long as what was confirmed before may still count. */
const CONFIRM_MS = 1_000;
/** Assigned calls of a permit's life, many times over. */
const SPENT_MAX = 50_000;
/** As many as a report may name. */
const ASKED_MAX = 64;
/** Between two askings. */
const PAUSE_MS = 150;

/**
 * One permit, from the lane to the report. INVARIANT (permit first): nothing of a call is fetched or run before its
 * permit was verified here and redeemed at the kernel, by this executor or for it. INVARIANT (fenced): nothing leaves
 * this process for an attempt whose lease is gone.
 */
export class Perform {
  readonly #kernel: KernelClient;
  readonly #blobs: BlobStore;
  readonly #runners: ReadonlyMap<string, Runner>;
  readonly #verifiers: ReadonlyMap<string, Verifier>;
  readonly #running: Running;
  readonly #work: Work<ExecutorTasks>;
  readonly #clocks: Clocks;
  readonly #options: PerformOptions;
  /** permits of calls that were assigned, as long as they are valid: nobody is asked whether one was spent */
  readonly #spent = new LRUCache<string, true>({ max: SPENT_MAX, perf: { now: () => this.#clocks.monotonic() } });

  constructor(with_: {
    kernel: KernelClient;
    blobs: BlobStore;
    runners: readonly Runner[];
    verifiers: ReadonlyMap<string, Verifier>;
    running: Running;
    work: Work<ExecutorTasks>;
    clocks: Clocks;
    options: PerformOptions;
  }) {
    this.#kernel = with_.kernel;
    this.#blobs = with_.blobs;
    this.#runners = new Map(with_.runners.map((runner) => [runner.toolId ?? runner.toolClass, runner]));
    this.#verifiers = with_.verifiers;
    this.#running = with_.running;
    this.#work = with_.work;
    this.#clocks = with_.clocks;
    this.#options = with_.options;
  }

  async run(message: WorkMessage, lane: Lane): Promise<Performed> {
    const opened = this.#open(message, lane);
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
   * Null for what is no order: a permit that doesn't verify, was here before, or has something else beside it. Then
   * nothing of it may be given back either.
   */
  openAssigned({ permit: envelope, nonce, redemption }: AssignedEvent): AssignedCall | null {
    const permit = this.#verified(envelope);
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
    const speaker = this.#speakerOf(permit, nonce);
    const giveBack = async (): Promise<void> =>
      await this.#kernel.release(speaker, true, ANSWER_MS).catch(() => undefined);
    return {
      lane,
      giveBack,
      run: async (since) =>
        await withSpan('performing', { operation_id, attempt, mode, tool_id, lane }, async () => {
          if (!this.#hasImage(permit)) return await giveBack().then(() => 'not_ours' as const);
          return await this.#held(
            permit,
            await this.#kernel.opened(redemption),
            speaker,
            new Lease(this.#clocks.monotonic, since, redemption.lease_ms),
          );
        }),
    };
  }

  #verified(envelope: Envelope): Permit | null {
    try {
      return verifyPermit(envelope, this.#verifiers, this.#clocks.epoch());
    } catch {
      return null;
    }
  }

  #speakerOf({ tenant_id, operation_id, attempt, mode }: Permit, nonce: string): AttemptCredentials {
    return { tenant_id, operation_id, attempt, mode, executor_id: this.#options.executorId, nonce };
  }

  #hasImage({ image_digest }: Permit): boolean {
    return image_digest === null || this.#options.images.has(image_digest);
  }

  async #attempt(message: WorkMessage, permit: Permit, envelope: Envelope): Promise<Performed> {
    const nonce = KernelClient.newNonce();
    const redeemed = await this.#redeem(permit, envelope, nonce);
    // Also after a refusal: the permit is spent or expired, and the kernel publishes another one by itself.
    message.ack();
    if (redeemed === null) return 'not_ours';
    return await this.#held(
      permit,
      redeemed.redemption,
      this.#speakerOf(permit, nonce),
      new Lease(this.#clocks.monotonic, redeemed.requestedAt, redeemed.redemption.lease_ms),
    );
  }

  #open(message: WorkMessage, lane: Lane): { permit: Permit; envelope: Envelope } | null {
    let envelope: Envelope;
    try {
      envelope = parseEnvelope(parseJson(Buffer.from(message.bytes).toString('utf8')));
    } catch {
      return null;
    }
    const permit = this.#verified(envelope);
    return permit?.lane === lane ? { permit, envelope } : null;
  }

  /**
   * Asks until there is an answer or the permit has expired; a reply may be lost, and the same nonce gets the same one.
   */
  async #redeem(
    permit: Permit,
    envelope: Envelope,
    nonce: string,
  ): Promise<{ redemption: Redemption; requestedAt: number } | null> {
    for (;;) {
      const left = permit.expires_at + PERMIT_SKEW_MS - this.#clocks.epoch();
      if (left <= 0) return null;
      const requestedAt = this.#clocks.monotonic();
      try {
        return {
          redemption: await this.#kernel.redeem(envelope, this.#options.executorId, nonce, Math.min(ANSWER_MS, left)),
          requestedAt,
        };
      } catch (error) {
        if (!(error instanceof Fault) || !error.retryable) return null;
        await sleep(PAUSE_MS);
      }
    }
  }

  async #held(permit: Permit, redemption: Redemption, speaker: AttemptCredentials, lease: Lease): Promise<Performed> {
    const done = new AbortController();
    this.#running.add(speaker, lease);
    const kept = keepLease(this.#kernel, speaker, lease, this.#clocks.monotonic, done.signal);
    try {
      const asked: AskedFor[] = [];
      const staged = await withSpan('run', {}, () =>
        this.#staged(permit, redemption, this.#contextOf(speaker, lease, asked)),
      );
      const storing = { blobs: this.#blobs, tenantId: speaker.tenant_id, seal: sealOf(permit, redemption) };
      await this.#settled(staged, storing, speaker, lease, permit.mode === 'preview' ? { asked_for: asked } : {});
      return 'reported';
    } catch (error) {
      if (error instanceof Fault && error.code === 'attempt.fenced') {
        await this.#giveBack(speaker, lease);
        return 'fenced';
      }
      throw error;
    } finally {
      done.abort();
      this.#running.remove(speaker, lease);
      await kept;
    }
  }

  /**
   * INVARIANT (dead, then given back): whoever gets here has heard from the runner, so nothing of the attempt runs any
   * more. Unheard, the lease runs out.
   */
  async #giveBack(speaker: AttemptCredentials, lease: Lease): Promise<void> {
    const { givenBack } = lease;
    if (givenBack === null) return;
    await this.#kernel
      .release(speaker, givenBack.stopping, Math.min(ANSWER_MS, givenBack.leftMs))
      .catch(() => undefined);
  }

  /** Stores and reports what was staged; whoever staged it hears what became of it, however that ends. */
  async #settled(
    staged: Staged,
    storing: Storing,
    speaker: AttemptCredentials,
    lease: Lease,
    beside: Pick<Report, 'asked_for'>,
  ): Promise<void> {
    let reply: ReportReply | null = null;
    try {
      lease.verifyHeld();
      const report = await withSpan('stage', {}, () => stageReport(staged, storing));
      reply = await this.#report(speaker, { ...report, ...beside }, lease);
    } finally {
      await staged.settle?.(reply);
    }
  }

  /**
   * INVARIANT (a preview stays inside): one that would begin an effect outside is told no and goes on without; what it
   * asked for is reported.
   */
  #contextOf(speaker: AttemptCredentials, lease: Lease, asked: AskedFor[]): RunContext {
    const askedFor = (what: string, kind: AskedFor['kind'] = 'egress'): void => {
      if (asked.length < ASKED_MAX) asked.push({ kind, what });
    };
    return {
      signal: lease.signal,
      work: callWork(this.#work, speaker.tenant_id, lease.signal),
      mode: speaker.mode,
      askedFor,
      confirmStanding: async (announced) => {
        lease.verifyHeld();
        const requestedAt = this.#clocks.monotonic();
        lease.renewed(requestedAt, await this.#kernel.renew(speaker, Math.min(CONFIRM_MS, lease.left), announced));
        lease.verifyHeld();
      },
      attachShell: (opens, shellId) =>
        this.#kernel.attachShell(speaker, opens, shellId, Math.min(ANSWER_MS, Math.max(1, lease.left))),
      endShell: (shellId, ending) =>
        this.#kernel.endShell(
          { tenant_id: speaker.tenant_id, executor_id: speaker.executor_id, shell_id: shellId },
          ending,
          ANSWER_MS,
        ),
      announceEffectStarted: async (announced) => {
        lease.verifyHeld();
        if (speaker.mode === 'preview') {
          askedFor('an effect outside');
          throw new Fault('tool.not_available', 'a preview has no effect outside');
        }
        const requestedAt = this.#clocks.monotonic();
        lease.renewed(requestedAt, await this.#kernel.effectStarted(speaker, lease.left, announced));
        lease.verifyHeld();
      },
    };
  }

  async #staged(permit: Permit, redemption: Redemption, context: RunContext): Promise<Staged> {
    try {
      const { call, values } = await prepareCall(
        await proveCall(permit, redemption, this.#blobs, context.work),
        context,
      );
      // A session's call has its own runner or none.
      const runner =
        this.#runners.get(permit.tool_id) ??
        (TOOLS.get(permit.tool_id)?.session === true ? undefined : this.#runners.get(classOf(permit)));
      if (!runner) throw new Fault('tool.not_available', `tool \`${permit.tool_id}\` can't be run here`);
      return await withoutSecrets(await runner.run(call, context), values, context.work);
    } catch (error) {
      return stagedOfFault(error);
    }
  }

  /** Repeats the report while the lease lives: the kernel answers a repeated one with the stored outcome. */
  async #report(speaker: AttemptCredentials, report: Report, lease: Lease): Promise<ReportReply> {
    for (;;) {
      lease.verifyHeld();
      try {
        return await this.#kernel.report(speaker, report, Math.min(ANSWER_MS, lease.left));
      } catch (error) {
        if (!(error instanceof Fault) || !error.retryable) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }
}

/** Each class of tools has a lane of its own. */
const classOf = (permit: Permit): ToolClass => permit.lane;

// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import {
  Fault,
  TOOLS,
  isExecutorLane,
  type CallLane,
  type Lane,
  type Permit,
  type Redemption,
  type ReleaseRequest,
  type SchedulingClass,
} from '@writ/contract';
import { Assigner, type AssignableCall, type Assigned, type Assignment } from './assigner.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';
import type { Assignee } from '../dispatch/slots.ts';
import { MCP_PREFIX, type Redeemer } from '../redeem/later-members.ts';

/** Knows the free slots, and whether calls take turns. */
interface SlotSource {
  /**
   * an executor with a slot reserved for a call of the tenant, and the tenant's maximum of calls under way in the lane;
   * null where calls take turns
   */
  reserveSlot(
    lane: Lane,
    tenantId: string,
    schedulingClass: SchedulingClass,
  ): { readonly to: Assignee; readonly most: number | null } | null;
}

/** Signs permits and sends them. */
interface AssignmentSender {
  /** Resolves with whether the executor received it. */
  assign(
    to: Assignment,
    lane: Lane,
    call: OperationRow & { readonly action_digest: string },
    times: { readonly issuedAt: number; readonly expiresAt: number },
    redemption: (permit: Permit) => Promise<Redemption>,
  ): Promise<boolean>;
}

/** Makes the reply to a redemption. */
interface Redemptions {
  redemptionOf(redeemed: RedeemedRows, permit: Permit, to: Redeemer): Promise<Redemption>;
}

/** Accepts attempts back that no executor runs. */
interface AttemptReleaser {
  run(request: ReleaseRequest): Promise<void>;
}

/** As long as the nonces of executors. */
const NONCE_BYTES = 16;
/**
 * The lease counts from the executor's event that the call was assigned on, which is up to 1.2 s old. Shorter leases
 * would be half over when they begin.
 */
const LEASE_MS_MIN = 3_600;

export interface AssignOptions {
  readonly permitTtlMs: number;
  readonly leaseMs: number;
  /** receives errors; no caller waits for what is sent */
  readonly report: (error: unknown) => void;
}

/**
 * Admits calls for executors that have a free slot, and sends each call there with everything it needs. This replaces a
 * permit in a lane and its redemption (ADR 0087). INVARIANT (one way to run): the executor gets a permit and the reply
 * to its redemption, made by the same code on the same statement, and verifies both as it does any.
 */
export class Assign extends Assigner {
  readonly #slots: SlotSource;
  readonly #sender: AssignmentSender;
  readonly #redemptions: Redemptions;
  readonly #releaser: AttemptReleaser;
  readonly #options: AssignOptions;
  readonly #pending = new Set<Promise<void>>();

  constructor(
    slots: SlotSource,
    sender: AssignmentSender,
    redemptions: Redemptions,
    releaser: AttemptReleaser,
    options: AssignOptions,
  ) {
    super();
    this.#slots = slots;
    this.#sender = sender;
    this.#redemptions = redemptions;
    this.#releaser = releaser;
    this.#options = options;
  }

  /** Session calls are not assigned: they go where their shell is. */
  override assignmentFor(lane: CallLane, { tenant_id, tool_id, scheduling_class }: AssignableCall): Assignment | null {
    if (TOOLS.get(tool_id)?.session === true || this.#options.leaseMs < LEASE_MS_MIN) return null;
    if (!isExecutorLane(lane)) return null;
    const reservation = this.#slots.reserveSlot(lane, tenant_id, scheduling_class);
    if (reservation === null) return null;
    const { to, most } = reservation;
    // It may be a program, which an executor of the version before can't run.
    if (tool_id.startsWith(MCP_PREFIX) && !to.knows.includes('acts_for')) return null;
    return {
      executor_id: to.executorId,
      public_key: to.publicKey,
      mark: to.mark,
      knows: to.knows,
      nonce: randomBytes(NONCE_BYTES).toString('hex'),
      most,
      permit_ttl_ms: this.#options.permitTtlMs,
      lease_ms: this.#options.leaseMs,
    };
  }

  override send(assigned: Assigned): void {
    const sending = this.#send(assigned)
      .catch(async (error: unknown) => {
        if (!(error instanceof Fault)) this.#options.report(error);
        await this.#release(assigned);
      })
      .catch(this.#options.report)
      .finally(() => this.#pending.delete(sending));
    this.#pending.add(sending);
  }

  /** Resolves when all calls were sent or given back. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #send({ assignment, redeemed }: Assigned): Promise<void> {
    const { operation, now } = redeemed;
    const { lane, action_digest, permit_until } = operation;
    if (lane === null || !isExecutorLane(lane) || action_digest === null || permit_until === null)
      throw new Error(`operation \`${operation.operation_id}\` was redeemed without what a permit needs`);
    const call = { ...operation, action_digest };
    const wasReceived = await this.#sender.assign(
      assignment,
      lane,
      call,
      { issuedAt: now, expiresAt: permit_until },
      (permit) => this.#redemptions.redemptionOf(redeemed, permit, assignment),
    );
    if (!wasReceived) throw new Fault('bus.unreachable', `the executor \`${assignment.executor_id}\` is gone`);
  }

  /**
   * Gives back a call that no executor received. If the call was ended meanwhile, since an input of its decision is
   * gone, the attempt is fenced already.
   */
  async #release({ assignment, redeemed: { operation } }: Assigned): Promise<void> {
    const { tenant_id, operation_id, attempt } = operation;
    const { executor_id, nonce } = assignment;
    await this.#releaser
      .run({ v: 1, tenant_id, operation_id, attempt, mode: 'run', executor_id, nonce, stopping: true })
      .catch((error: unknown) => {
        if (!(error instanceof Fault) || error.code !== 'attempt.fenced') throw error;
      });
  }
}

// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, TOOLS, type Lane, type Permit, type Redemption, type ReleaseRequest } from '@writ/contract';
import { Assigner, type Assigned, type Assignment } from './assigner.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { RedeemedRows } from '../../foundation/rows/attempt-rows.ts';

/** Who knows of free slots, and of whose turn it is. */
interface Slots {
  /**
   * an executor whose slot is taken for a call of the tenant, and how many the tenant may have out in the lane; null
   * where calls take turns
   */
  assignee(
    lane: Lane,
    tenantId: string,
  ): {
    readonly to: { readonly executorId: string; readonly publicKey: string; readonly mark: string };
    readonly most: number | null;
  } | null;
}

/** Who signs permits and sends them. */
interface Desk {
  /** Resolves with whether the executor listens. */
  assign(
    to: Assignment,
    lane: Lane,
    call: OperationRow & { readonly action_digest: string },
    times: { readonly issuedAt: number; readonly expiresAt: number },
    redemption: (permit: Permit) => Promise<Redemption>,
  ): Promise<boolean>;
}

/** Who says what an attempt is told that was redeemed. */
interface Redemptions {
  redemptionOf(redeemed: RedeemedRows, permit: Permit, publicKey: string): Promise<Redemption>;
}

/** Who takes attempts back that nobody runs. */
interface GivenBack {
  run(request: ReleaseRequest): Promise<void>;
}

/** As executors make them themselves. */
const NONCE_BYTES = 16;
/**
 * A lease counts from the executor's word that the call was assigned on, which is up to 1.2 s old. Shorter ones would
 * be half over when they begin.
 */
const LEASE_MS_MIN = 3_600;

export interface AssignOptions {
  readonly permitTtlMs: number;
  readonly leaseMs: number;
  /** told what went wrong; nobody waits for what is sent */
  readonly report: (error: unknown) => void;
}

/**
 * Admits calls for executors that have a slot free, and sends them there with everything they need, in the place of a
 * permit that is taken off a lane and redeemed (ADR 0087). INVARIANT (one way to run): what is sent is a permit and
 * what its redemption answers, made by the same code on the same statement; the executor verifies both as it does any.
 */
export class Assign extends Assigner {
  readonly #slots: Slots;
  readonly #desk: Desk;
  readonly #redemptions: Redemptions;
  readonly #givenBack: GivenBack;
  readonly #options: AssignOptions;
  readonly #underWay = new Set<Promise<void>>();

  constructor(slots: Slots, desk: Desk, redemptions: Redemptions, givenBack: GivenBack, options: AssignOptions) {
    super();
    this.#slots = slots;
    this.#desk = desk;
    this.#redemptions = redemptions;
    this.#givenBack = givenBack;
    this.#options = options;
  }

  /** A session's call goes where its shell is. */
  override assignmentFor(lane: Lane, tenantId: string, toolId: string): Assignment | null {
    if (TOOLS.get(toolId)?.session === true || this.#options.leaseMs < LEASE_MS_MIN) return null;
    const assignee = this.#slots.assignee(lane, tenantId);
    if (assignee === null) return null;
    const { to, most } = assignee;
    return {
      executor_id: to.executorId,
      public_key: to.publicKey,
      mark: to.mark,
      nonce: randomBytes(NONCE_BYTES).toString('hex'),
      most,
      permit_ttl_ms: this.#options.permitTtlMs,
      lease_ms: this.#options.leaseMs,
    };
  }

  override send(assigned: Assigned): void {
    const sent = this.#send(assigned)
      .catch(async (error: unknown) => {
        if (!(error instanceof Fault)) this.#options.report(error);
        await this.#giveBack(assigned);
      })
      .catch(this.#options.report)
      .finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
  }

  /** Resolves when of all calls that were to be sent it is known whether they were. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #send({ assignment, redeemed }: Assigned): Promise<void> {
    const { operation, now } = redeemed;
    const { lane, action_digest, permit_until } = operation;
    if (lane === null || action_digest === null || permit_until === null)
      throw new Error(`operation \`${operation.operation_id}\` was redeemed without what a permit needs`);
    const call = { ...operation, action_digest };
    const isThere = await this.#desk.assign(
      assignment,
      lane,
      call,
      { issuedAt: now, expiresAt: permit_until },
      (permit) => this.#redemptions.redemptionOf(redeemed, permit, assignment.public_key),
    );
    if (!isThere) throw new Fault('bus.unreachable', `the executor \`${assignment.executor_id}\` is gone`);
  }

  /**
   * Nobody has got it. One that was ended meanwhile, since what it was decided on is gone, is nobody's attempt any
   * more.
   */
  async #giveBack({ assignment, redeemed: { operation } }: Assigned): Promise<void> {
    const { tenant_id, operation_id, attempt } = operation;
    const { executor_id, nonce } = assignment;
    await this.#givenBack
      .run({ v: 1, tenant_id, operation_id, attempt, mode: 'run', executor_id, nonce, stopping: true })
      .catch((error: unknown) => {
        if (!(error instanceof Fault) || error.code !== 'attempt.fenced') throw error;
      });
  }
}

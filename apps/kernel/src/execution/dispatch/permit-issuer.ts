// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import type { AssignedEvent, Envelope, Lane, Permit, PermitMode, Redemption, Subjects } from '@writ/contract';
import { sealPermit } from '@writ/permit';
import type { Signer } from '@writ/signing';
import type { Assignment } from '../direct-dispatch/assigner.ts';
import { newId } from '@writ/nest-kit';
import type { DispatchedCall } from '../../foundation/database/functions/dispatch.ts';

/**
 * Runs something as part of the trace that a `traceparent` names, so that what it sends belongs to that trace; outside
 * of any for null.
 */
export type WithinTrace = <T>(traceparent: string | null, operationId: string, run: () => Promise<T>) => Promise<T>;

/** Many times what the bus needs to say that nobody listens. */
const REACHED_MS = 1_000;

/** Signs permits and publishes them on the work lanes. */
export class PermitIssuer {
  readonly #signer: Signer;
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #withinTrace: WithinTrace;

  constructor(signer: Signer, bus: Bus, subjects: Subjects, withinTrace: WithinTrace) {
    this.#signer = signer;
    this.#bus = bus;
    this.#subjects = subjects;
    this.#withinTrace = withinTrace;
  }

  /**
   * Publishes the permit of a dispatched call or preview. It MUST be dispatched durably before: an executor may redeem
   * it at once.
   * @throws Fault `bus.unreachable` where the lane doesn't take it, though it may have arrived.
   */
  async issue(lane: Lane, mode: PermitMode, call: DispatchedCall, issuedAt: number, expiresAt: number): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(this.#sealed(lane, mode, call, issuedAt, expiresAt)));
    const messageId = `${call.operation_id}.${mode}.${String(call.attempt)}`;
    await this.#withinTrace(call.traceparent, call.operation_id, () =>
      this.#bus.ring(this.#subjects.work(lane), bytes, { messageId }),
    );
  }

  /**
   * Sends the permit of a dispatched call to one executor; whether it is there shows by the redemption. The same MUST
   * hold.
   */
  async issueTo(
    executorId: string,
    lane: Lane,
    call: DispatchedCall,
    issuedAt: number,
    expiresAt: number,
  ): Promise<void> {
    const permit = this.#sealed(lane, 'run', call, issuedAt, expiresAt);
    await this.#withinTrace(call.traceparent, call.operation_id, async () =>
      this.#bus.publish(this.#subjects.event('session', executorId), { v: 1, permit }),
    );
  }

  /**
   * Sends a call with its redeemed permit to the executor that it was redeemed for; resolves with whether that listens.
   * `redemption` is made in the call's trace.
   */
  async assign(
    to: Assignment,
    lane: Lane,
    call: DispatchedCall,
    times: { readonly issuedAt: number; readonly expiresAt: number },
    redemption: (permit: Permit) => Promise<Redemption>,
  ): Promise<boolean> {
    const permit = permitOf(lane, 'run', call, times.issuedAt, times.expiresAt);
    const { reached } = await this.#withinTrace(call.traceparent, call.operation_id, async () => {
      const event: AssignedEvent = {
        v: 1,
        permit: sealPermit(permit, this.#signer),
        nonce: to.nonce,
        mark: to.mark,
        redemption: await redemption(permit),
      };
      return { reached: this.#bus.reach(this.#subjects.event('assigned', to.executor_id), event, REACHED_MS) };
    });
    return await reached;
  }

  #sealed(lane: Lane, mode: PermitMode, call: DispatchedCall, issuedAt: number, expiresAt: number): Envelope {
    return sealPermit(permitOf(lane, mode, call, issuedAt, expiresAt), this.#signer);
  }
}

const permitOf = (lane: Lane, mode: PermitMode, call: DispatchedCall, issuedAt: number, expiresAt: number): Permit => ({
  v: 1,
  permit_id: newId('permit'),
  tenant_id: call.tenant_id,
  operation_id: call.operation_id,
  attempt: call.attempt,
  mode,
  lane,
  tool_id: call.tool_id,
  action_digest: call.action_digest,
  image_digest: call.image_digest,
  issued_at: issuedAt,
  expires_at: expiresAt,
});

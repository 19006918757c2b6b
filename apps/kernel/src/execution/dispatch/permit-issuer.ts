// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import type { AssignedEvent, Envelope, Lane, Permit, PermitMode, Redemption, Subjects } from '@writ/contract';
import { sealPermit } from '@writ/permit';
import type { Signer } from '@writ/signing';
import type { Assignment } from '../direct-dispatch/assigner.ts';
import { newId } from '@writ/nest-kit';
import type { DispatchedCall } from '../../foundation/database/functions/dispatch.ts';

/**
 * Runs work within the trace that a `traceparent` names, so that messages sent by it belong to that trace; outside of
 * any trace for null.
 */
export type WithinTrace = <T>(traceparent: string | null, operationId: string, run: () => Promise<T>) => Promise<T>;

/** Many times what the bus needs to report that there is no subscriber. */
const REACHED_MS = 1_000;

/** Signs permits and publishes them on the work lanes. */
export class PermitIssuer {
  readonly #signer: Signer;
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #withinTrace: WithinTrace;
  readonly #ownImages: ReadonlySet<string> | null;

  /** @param ownImages the digests of the deployment's images; null: no call runs in another one */
  constructor(
    signer: Signer,
    bus: Bus,
    subjects: Subjects,
    withinTrace: WithinTrace,
    ownImages: readonly string[] | null = null,
  ) {
    this.#signer = signer;
    this.#bus = bus;
    this.#subjects = subjects;
    this.#withinTrace = withinTrace;
    this.#ownImages = ownImages === null ? null : new Set(ownImages);
  }

  /**
   * Publishes the permit of a dispatched call or preview. It MUST be dispatched durably before: an executor may redeem
   * it at once.
   * @throws Fault `bus.unreachable` where the lane doesn't accept it, though it may have arrived.
   */
  async issue(lane: Lane, mode: PermitMode, call: DispatchedCall, issuedAt: number, expiresAt: number): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(this.#sealed(lane, mode, call, issuedAt, expiresAt)));
    const messageId = `${call.operation_id}.${mode}.${String(call.attempt)}`;
    await this.#withinTrace(call.traceparent, call.operation_id, () =>
      this.#bus.enqueue(this.#subjects.work(lane), bytes, { messageId }),
    );
  }

  /**
   * Sends the permit of a dispatched call to one executor; only a redemption shows that it arrived. The call MUST be
   * dispatched durably before.
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
   * Sends a call with its redeemed permit to the executor that it was redeemed for; resolves with whether the executor
   * received it. `redemption` is made in the call's trace.
   */
  async assign(
    to: Assignment,
    lane: Lane,
    call: DispatchedCall,
    times: { readonly issuedAt: number; readonly expiresAt: number },
    redemption: (permit: Permit) => Promise<Redemption>,
  ): Promise<boolean> {
    const permit = permitOf(lane, 'run', call, times, this.#isRegistered(call));
    const { reached } = await this.#withinTrace(call.traceparent, call.operation_id, async () => {
      const event: AssignedEvent = {
        v: 1,
        permit: sealPermit(permit, this.#signer),
        nonce: to.nonce,
        mark: to.mark,
        redemption: await redemption(permit),
      };
      return { reached: this.#bus.tryDeliver(this.#subjects.event('assigned', to.executor_id), event, REACHED_MS) };
    });
    return await reached;
  }

  #sealed(lane: Lane, mode: PermitMode, call: DispatchedCall, issuedAt: number, expiresAt: number): Envelope {
    return sealPermit(permitOf(lane, mode, call, { issuedAt, expiresAt }, this.#isRegistered(call)), this.#signer);
  }

  #isRegistered({ image_digest }: DispatchedCall): boolean {
    return image_digest !== null && this.#ownImages?.has(image_digest) === false;
  }
}

/** @param isRegistered whether the call's image is a tenant's, so that its redemption says how to get it */
const permitOf = (
  lane: Lane,
  mode: PermitMode,
  call: DispatchedCall,
  times: { readonly issuedAt: number; readonly expiresAt: number },
  isRegistered: boolean,
): Permit => ({
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
  ...(isRegistered ? { registered_image: true } : {}),
  issued_at: times.issuedAt,
  expires_at: times.expiresAt,
});

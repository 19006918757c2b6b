// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type TakenPermit } from '@writ/contract';
import type { Follow } from '../../calls/follow.ts';
import type { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** How often a worker that waits asks the kernel, in milliseconds: soon while calls come, later while none do. */
const POLL_MS = 250;
const POLL_LATER_MS = 1_000;
/** Workers of one tenant that wait at one replica: so many requests a second they cost the kernel at most. */
const WAITING_MAX = 64;

/** Waits for calls that workers may take. It holds no call: a permit is taken when it is there. */
export class WaitForPermit {
  readonly #kernel: KernelClient;
  readonly #follow: Pick<Follow, 'pause'>;
  readonly #monotonic: () => number;
  readonly #waiting = new Map<string, number>();

  constructor(kernel: KernelClient, follow: Pick<Follow, 'pause'>, monotonic: () => number) {
    this.#kernel = kernel;
    this.#follow = follow;
    this.#monotonic = monotonic;
  }

  /**
   * The permit as soon as there is one, within `waitMs`.
   * @param gone aborts when no client waits for the response any more: no permit is taken or kept then
   * @throws Fault `rate.limited` where too many workers of the tenant wait
   */
  async take(caller: Caller, waitMs: number, gone: AbortSignal): Promise<TakenPermit> {
    const { tenant_id } = caller;
    const waiting = this.#waiting.get(tenant_id) ?? 0;
    if (waiting >= WAITING_MAX) throw new Fault('rate.limited', `${WAITING_MAX} workers of the tenant wait already`);
    this.#waiting.set(tenant_id, waiting + 1);
    const started = this.#monotonic();
    try {
      for (let pause = POLL_MS; ; pause = Math.min(2 * pause, POLL_LATER_MS)) {
        const taken = await this.#take(caller, null, gone);
        const left = waitMs - (this.#monotonic() - started);
        if (taken.permit !== null || left <= 0 || !(await this.#follow.pause(Math.min(pause, left), gone)))
          return taken;
      }
    } finally {
      const others = (this.#waiting.get(tenant_id) ?? 1) - 1;
      if (others === 0) this.#waiting.delete(tenant_id);
      else this.#waiting.set(tenant_id, others);
    }
  }

  /** The permit for a call of the caller's own; null where it is not to be taken. */
  async takeOwn(caller: Caller, operationId: string, gone: AbortSignal): Promise<TakenPermit> {
    return await this.#take(caller, operationId, gone);
  }

  /** A permit that came too late for its client goes back: otherwise its call would wait until the permit expires. */
  async #take(caller: Caller, operation_id: string | null, gone: AbortSignal): Promise<TakenPermit> {
    const taken = await this.#kernel.ask('function.take', caller, { operation_id });
    if (taken.permit === null || !gone.aborted) return taken;
    await this.#kernel.ask('function.release', caller, { permit: taken.permit });
    return { permit: null };
  }
}

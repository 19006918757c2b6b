// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@writ/contract';
import type { KernelClient, AttemptCredentials } from '../foundation/kernel-client.ts';
import type { Lease } from './lease.ts';

/** Who is asked. */
type Renewals = Pick<KernelClient, 'renew'>;

/**
 * Looks in one lease. Every second one renews, and every one while a renewal waits for its answer: four may be sent
 * before a lease is gone.
 */
const LOOKS = 6;

/**
 * Renews the lease until `done` aborts or the lease is gone. A renewal that isn't answered is sent again while the
 * lease lives, and whichever answer comes counts: one request that a frozen kernel took must not use up the time of
 * those that another would answer. One that is refused ends it at once.
 *
 * @param now monotonic milliseconds
 */
export async function keepLease(
  kernel: Renewals,
  speaker: AttemptCredentials,
  lease: Lease,
  now: () => number,
  done: AbortSignal,
): Promise<void> {
  const stop = AbortSignal.any([done, lease.signal]);
  let unanswered = 0;
  for (let look = 1; ; look += 1) {
    const nap = Math.min(lease.leaseMs / LOOKS, Math.max(lease.left, 0));
    await sleep(nap, undefined, { signal: stop, ref: false }).catch(() => undefined);
    if (stop.aborted) return;
    if (lease.left <= 0) {
      lease.stop('the lease is gone');
      return;
    }
    if (look % 2 === 0 || unanswered > 0) {
      unanswered += 1;
      void renew(kernel, speaker, lease, now).then(() => {
        unanswered -= 1;
      });
    }
  }
}

/** Never rejects. An answer that comes when the attempt has ended changes nothing. */
async function renew(kernel: Renewals, speaker: AttemptCredentials, lease: Lease, now: () => number): Promise<void> {
  const requestedAt = now();
  try {
    lease.renewed(requestedAt, await kernel.renew(speaker, Math.max(1, lease.left)));
  } catch (error) {
    if (error instanceof Fault && !error.retryable) lease.stop(`the kernel refused to renew: ${error.code}`);
  }
}

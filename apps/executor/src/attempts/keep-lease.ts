// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@writ/contract';
import type { KernelClient, AttemptCredentials } from '../foundation/kernel-client.ts';
import type { Lease } from './lease.ts';

/** The part of the kernel client that renews leases. */
type RenewalClient = Pick<KernelClient, 'renew'>;

/**
 * Checks per lease. Every second check sends a renewal, and every check does while a renewal waits for its answer. So
 * the executor may send four renewals before a lease expires.
 */
const CHECKS_PER_LEASE = 6;

/**
 * Renews the lease until `done` aborts or the lease expires. The executor repeats a renewal without an answer while the
 * lease lives, and any answer counts. One request that a frozen kernel holds must not use up the time that another
 * kernel needs to answer. A refused renewal ends the lease at once.
 *
 * @param now monotonic milliseconds
 */
export async function keepLease(
  kernel: RenewalClient,
  credentials: AttemptCredentials,
  lease: Lease,
  now: () => number,
  done: AbortSignal,
): Promise<void> {
  const stop = AbortSignal.any([done, lease.signal]);
  let unanswered = 0;
  for (let check = 1; ; check += 1) {
    const pauseMs = Math.min(lease.leaseMs / CHECKS_PER_LEASE, Math.max(lease.left, 0));
    await sleep(pauseMs, undefined, { signal: stop, ref: false }).catch(() => undefined);
    if (stop.aborted) return;
    if (lease.left <= 0) {
      lease.stop('the lease is gone');
      return;
    }
    if (check % 2 === 0 || unanswered > 0) {
      unanswered += 1;
      void renew(kernel, credentials, lease, now).then(() => {
        unanswered -= 1;
      });
    }
  }
}

/** Never rejects. An answer that arrives after the attempt has ended changes nothing. */
async function renew(
  kernel: RenewalClient,
  credentials: AttemptCredentials,
  lease: Lease,
  now: () => number,
): Promise<void> {
  const requestedAt = now();
  try {
    lease.renewed(requestedAt, await kernel.renew(credentials, Math.max(1, lease.left)));
  } catch (error) {
    if (error instanceof Fault && !error.retryable) lease.stop(`the kernel refused to renew: ${error.code}`);
  }
}

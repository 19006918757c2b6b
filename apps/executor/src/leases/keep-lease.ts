// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@writ/contract';
import type { KernelClient, Speaker } from '../support/kernel-client.ts';
import type { Lease } from './lease.ts';

/** Renewals in one lease: two may fail before it is lost. */
const RENEWALS = 3;

/**
 * Renews the lease until `done` aborts or the lease is gone. A renewal that isn't answered is tried again while the lease lives; one that
 * is refused ends it at once.
 */
export async function keepLease(kernel: KernelClient, speaker: Speaker, lease: Lease, now: () => number, done: AbortSignal): Promise<void> {
  const stop = AbortSignal.any([done, lease.signal]);
  while (!stop.aborted) {
    const nap = Math.min(lease.leaseMs / RENEWALS, Math.max(lease.left, 0));
    await sleep(nap, undefined, { signal: stop, ref: false }).catch(() => undefined);
    if (stop.aborted) return;
    if (lease.left <= 0) {
      lease.stop('the lease is gone');
      return;
    }
    await renew(kernel, speaker, lease, now);
  }
}

async function renew(kernel: KernelClient, speaker: Speaker, lease: Lease, now: () => number): Promise<void> {
  const requestedAt = now();
  try {
    lease.renewed(requestedAt, await kernel.renew(speaker, Math.max(1, lease.left)));
  } catch (error) {
    if (error instanceof Fault && !error.retryable) lease.stop(`the kernel refused to renew: ${error.code}`);
  }
}

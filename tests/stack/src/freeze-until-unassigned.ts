// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './service.ts';

/** Twice the interval of an executor's announcements: a kernel that just started has received one by then. */
const ANNOUNCED_MS = 1_000;
/**
 * Longer than an executor's announcement is valid for direct dispatch (1.2 s), shorter than it is valid for dispatch (3
 * s).
 */
const UNASSIGNED_MS = 1_500;

/**
 * Freezes an executor until the kernel assigns nothing to it any more, while its slots still count. A call that is
 * admitted now waits in a lane, until the executor thaws.
 */
export async function freezeUntilUnassigned(executor: Service): Promise<void> {
  await sleep(ANNOUNCED_MS);
  executor.freeze();
  await sleep(UNASSIGNED_MS);
}

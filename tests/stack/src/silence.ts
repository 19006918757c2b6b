// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './service.ts';

/** Twice as long as between two announcements of an executor: a kernel that was just started has heard it then. */
const HEARD_MS = 1_000;
/**
 * Longer than an executor's word counts where a call is to be assigned (1.2 s), shorter than where it is dispatched (3
 * s).
 */
const SILENT_MS = 1_500;

/**
 * Freezes an executor until nothing is assigned to it any more, while its slots still count: what is admitted now waits
 * in a lane, until it thaws.
 */
export async function silence(executor: Service): Promise<void> {
  await sleep(HEARD_MS);
  executor.freeze();
  await sleep(SILENT_MS);
}

// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { Child } from '../process/launch.ts';
import { logTail } from '../process/log-tail.ts';
import { SetupError } from '../setup-error.ts';

/** Short enough that a poll adds no noticeable delay. */
const POLL_MS = 50;

/**
 * Resolves when the child answers.
 *
 * @throws SetupError with the end of its log when it ends first, or does not answer in time
 */
export const waitUntilReady = async (
  child: Child,
  isReady: () => Promise<boolean>,
  timeoutMs: number,
): Promise<void> => {
  const until = performance.now() + timeoutMs;
  let end: string | undefined;
  void child.ended.then((how) => {
    end = how;
  });
  for (;;) {
    if (end !== undefined)
      throw new SetupError(
        `${child.name} ${end} before it was ready; the end of ${child.logFile}:`,
        logTail(child.logFile),
      );
    if (await isReady().catch(() => false)) return;
    if (performance.now() > until) {
      throw new SetupError(
        `${child.name} did not answer within ${timeoutMs / 1000} s; the end of ${child.logFile}:`,
        logTail(child.logFile),
      );
    }
    await delay(POLL_MS);
  }
};

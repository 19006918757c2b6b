// SPDX-License-Identifier: Apache-2.0
import type { WorkMessage } from './bus.ts';

/**
 * Delay before a message whose handler failed is delivered again, in milliseconds. It prevents a busy loop and is short
 * beside a permit's 30 s.
 */
export const failedWorkDelayMs = 1_000;

type Settlement = Pick<WorkMessage, 'ack' | 'nak' | 'term'>;

/**
 * Runs a worker's handler on a message. Only the first ack, nak or term counts. A handler that throws or settles
 * nothing counts as a nak. Never rejects: the error goes to `report`.
 */
export async function handleOnce(
  message: Omit<WorkMessage, keyof Settlement>,
  settle: Settlement,
  handler: (message: WorkMessage) => Promise<void>,
  report: (error: unknown) => void,
): Promise<void> {
  let isSettled = false;
  const once = (fn: () => void): void => {
    if (isSettled) return;
    isSettled = true;
    fn();
  };
  const ack = (): void => once(() => settle.ack());
  const nak = (delayMs: number): void => once(() => settle.nak(delayMs));
  const term = (): void => once(() => settle.term());
  try {
    await handler({ ...message, ack, nak, term });
  } catch (error) {
    report(error);
  }
  nak(failedWorkDelayMs);
}

// SPDX-License-Identifier: Apache-2.0
import { DeliveryError } from './delivery-error.ts';

/** Rejects with `timeout` when the signal aborts: for work that can't be aborted, whose result is then ignored. */
export function timedOut(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(new DeliveryError('timeout', { cause: signal.reason }));
    signal.addEventListener('abort', stop, { once: true });
  });
}

// SPDX-License-Identifier: Apache-2.0
import pRetry from 'p-retry';
import { faultOf, isContention } from './faults.ts';

/** Waits of about 5, 10, 20, 40 ms, each stretched at random up to twofold, so that two losers don't collide again. */
const BACKOFF = { minTimeout: 5, factor: 2, maxTimeout: 100, randomize: true } as const;
/** Further runs. A transaction that loses five times is in a queue too long for retries to help. */
const CONTENTION_RETRIES = 4;

type Settled<T> = { readonly value: T } | { readonly error: unknown };

/** Runs the work again while it loses to other transactions. Any other error ends it at once, mapped to its fault. */
export async function retryContention<T>(work: () => Promise<T>, retries = CONTENTION_RETRIES): Promise<T> {
  const settled = await pRetry(
    async (): Promise<Settled<T>> => {
      try {
        return { value: await work() };
      } catch (error) {
        if (isContention(error)) throw error;
        return { error };
      }
    },
    { ...BACKOFF, retries },
  ).catch((error: unknown): Settled<T> => ({ error }));
  if ('error' in settled) throw faultOf(settled.error);
  return settled.value;
}

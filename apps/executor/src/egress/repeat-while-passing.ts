// SPDX-License-Identifier: Apache-2.0
import { Fault, type FaultCode } from '@writ/contract';

/** Timeouts, and answers that the kernel is busy or unreachable. An unknown error of the kernel is `internal`. */
const PASSING: ReadonlySet<FaultCode> = new Set(['deadline', 'overloaded', 'bus.unreachable', 'database.unavailable']);

/** Whether the same request to the kernel may succeed soon. */
export const isPassing = (error: unknown): error is Fault => error instanceof Fault && PASSING.has(error.code);

/** Pause before a request is repeated: a busy kernel must not get a burst of requests from each call. */
const PAUSE_MS = 100;
/** The longest pause where each request of a call repeats its own: the pause doubles up to it. */
export const PAUSE_MS_MAX = 1_000;
/** How long a request is repeated. A call whose lease ends earlier stops then. */
export const REPEAT_MS_MAX = 10_000;

/**
 * Repeats a request to the kernel until it resolves with true. After a timeout, or an answer that the kernel is busy or
 * unreachable, it asks again for a while. It rejects at once with a refusal, with an unknown error, and when `signal`
 * aborts.
 *
 * @param now monotonic milliseconds
 * @param pauseMsMax up to which the pause between two tries doubles
 */
export async function repeatWhilePassing(
  request: () => Promise<boolean>,
  now: () => number,
  signal: AbortSignal,
  pauseMsMax = PAUSE_MS,
): Promise<void> {
  const beganAt = now();
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    signal.throwIfAborted();
    const failed = await untilAborted(outcomeOf(request), signal);
    if (failed === null) return;
    if (now() - beganAt >= REPEAT_MS_MAX) throw failed;
    await untilAborted(pause(pauseMs), signal);
  }
}

/** Null for success, otherwise the passing error. */
async function outcomeOf(request: () => Promise<boolean>): Promise<Error | null> {
  try {
    return (await request()) ? null : new Error("the kernel's answer came too late");
  } catch (error) {
    if (isPassing(error)) return error;
    throw error;
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/** Settles as the work does, or rejects with the signal's reason when it aborts. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

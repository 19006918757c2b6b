// SPDX-License-Identifier: Apache-2.0

/** Runs for a time at most. Rejects with the signal's reason when it is aborted, or with that of the timeout. */
export async function withTimeout<T>(
  ms: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  const { promise: over, reject } = Promise.withResolvers<never>();
  const stop = () => reject(until.reason as Error);
  until.addEventListener('abort', stop, { once: true });
  if (until.aborted) stop();
  try {
    return await Promise.race([run(until), over]);
  } finally {
    until.removeEventListener('abort', stop);
  }
}

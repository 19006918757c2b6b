// SPDX-License-Identifier: Apache-2.0
// For loops over lists that stay on the event loop. INVARIANT (one slice a turn): each turn of the event loop gives
// time to one of the loops that run. So together they block it no longer than one does.

/** Milliseconds after which a loop gives the event loop back. */
export const SLICE_MS = 4;

/** Loops that wait for their next slice, in order of arrival. */
const waiters: (() => void)[] = [];

/** Resolves in a later turn of the event loop, after timers and sockets had theirs. */
export function yieldNow(): Promise<void> {
  return new Promise((resolve) => {
    waiters.push(resolve);
    if (waiters.length === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  waiters.shift()?.();
  if (waiters.length > 0) setImmediate(resumeOne);
}

/**
 * Returns a function to call between two parts of a long computation. It resolves at once until `ms` milliseconds are
 * used up, and then after a pause.
 */
export function pacer(ms = SLICE_MS): () => Promise<void> {
  let until = performance.now() + ms;
  return async () => {
    if (performance.now() < until) return;
    await yieldNow();
    until = performance.now() + ms;
  };
}

/** Iterates over the list, with a pause after each `ms` milliseconds of work. */
export async function* inSlices<T>(list: Iterable<T>, ms = SLICE_MS): AsyncGenerator<T, void, undefined> {
  const pause = pacer(ms);
  for (const member of list) {
    await pause();
    yield member;
  }
}

/** Runs a computation that yields between its steps, with a pause after each `ms` milliseconds. Returns its result. */
export async function runInSlices<T>(steps: Iterator<unknown, T, undefined>, ms = SLICE_MS): Promise<T> {
  let until = performance.now() + ms;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < until) continue;
    await yieldNow();
    until = performance.now() + ms;
  }
}

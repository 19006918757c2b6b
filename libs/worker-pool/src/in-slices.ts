// SPDX-License-Identifier: Apache-2.0
// For loops over lists that stay on the event loop. INVARIANT (one slice a turn): however many loops are under way,
// each turn of the event loop gives time to one of them, so together they hold it up no longer than one does.

/** Milliseconds after which a loop gives the event loop back. */
export const SLICE_MS = 4;

/** Those who wait for their next slice, in order of arrival. */
const waiting: (() => void)[] = [];

/** Resolves in a later turn of the event loop: timers and sockets have their turn before. */
export function yieldNow(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeOne);
}

/**
 * Answers a function to call between two parts of a long computation: it resolves at once until `ms` milliseconds are
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

/** The members of the list, with a pause after each `ms` milliseconds of work on them. */
export async function* inSlices<T>(list: Iterable<T>, ms = SLICE_MS): AsyncGenerator<T, void, undefined> {
  const pause = pacer(ms);
  for (const member of list) {
    await pause();
    yield member;
  }
}

/**
 * Runs a computation that yields between its steps, with a pause after each `ms` milliseconds. Answers what it returns.
 */
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

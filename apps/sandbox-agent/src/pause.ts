// SPDX-License-Identifier: Apache-2.0

/**
 * Does nothing for so many milliseconds, and lets nothing else of this thread run: for whoever waits in the middle of
 * what must not be interrupted.
 */
export function pause(ms: number): void {
  // Made here: a startup snapshot, as the interpreter is one, holds no shared memory.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
}

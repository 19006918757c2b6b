// SPDX-License-Identifier: Apache-2.0

/** Blocks this thread for so many milliseconds, for waits within a section that must not be interrupted. */
export function pause(ms: number): void {
  // Allocated on each call: a startup snapshot, which the interpreter is, can't contain shared memory.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
}

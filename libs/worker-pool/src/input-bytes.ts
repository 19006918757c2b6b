// SPDX-License-Identifier: Apache-2.0

/** Estimated overhead of a member of an object or a list, in bytes. */
const MEMBER_BYTES = 16;

/**
 * Estimates the bytes of a clone of the value. Counting stops once it exceeds `max`, so it ends for cyclic values too
 * and costs less than the clone.
 */
export function bytesOf(value: unknown, max: number): number {
  let bytes = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0 && bytes <= max) {
    const next = pending.pop();
    bytes += MEMBER_BYTES;
    if (typeof next === 'string') bytes += next.length * 2;
    else if (ArrayBuffer.isView(next) || next instanceof ArrayBuffer) bytes += next.byteLength;
    else if (next instanceof Map) for (const [key, member] of next) pending.push(key, member);
    else if (Array.isArray(next) || next instanceof Set) {
      const count = Array.isArray(next) ? next.length : next.size;
      // The length alone decides: a long list isn't walked to find that it is too long.
      if (bytes + count * MEMBER_BYTES > max) return bytes + count * MEMBER_BYTES;
      for (const member of next) pending.push(member);
    } else if (typeof next === 'object' && next !== null) {
      for (const [name, member] of Object.entries(next)) {
        bytes += name.length * 2;
        pending.push(member);
      }
    }
  }
  return bytes;
}

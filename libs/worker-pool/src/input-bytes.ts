// SPDX-License-Identifier: Apache-2.0

/** What a member of an object or a list takes beside its contents, roughly. */
const MEMBER_BYTES = 16;

/**
 * Answers about how many bytes a clone of the value takes; counts no further than past `max`. So it ends for what
 * refers to itself too, and costs less than the clone that it is asked for.
 */
export function bytesOf(value: unknown, max: number): number {
  let bytes = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && bytes <= max) {
    const next = rest.pop();
    bytes += MEMBER_BYTES;
    if (typeof next === 'string') bytes += next.length * 2;
    else if (ArrayBuffer.isView(next) || next instanceof ArrayBuffer) bytes += next.byteLength;
    else if (next instanceof Map) for (const [key, member] of next) rest.push(key, member);
    else if (Array.isArray(next) || next instanceof Set) {
      const count = Array.isArray(next) ? next.length : next.size;
      // Told from the length alone: a long list isn't walked to find out that it is too long.
      if (bytes + count * MEMBER_BYTES > max) return bytes + count * MEMBER_BYTES;
      for (const member of next) rest.push(member);
    } else if (typeof next === 'object' && next !== null) {
      for (const [name, member] of Object.entries(next)) {
        bytes += name.length * 2;
        rest.push(member);
      }
    }
  }
  return bytes;
}

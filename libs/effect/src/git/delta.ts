// SPDX-License-Identifier: Apache-2.0
import type { Effort } from './effort.ts';

interface Read {
  readonly value: number;
  readonly next: number;
}

/** Seven bits a byte, the highest first, where each further byte adds `carry`. */
export function readVariable(data: Buffer, at: number, carry: 0 | 1): Read | null {
  let [value, next] = [-carry, at];
  for (;;) {
    const byte = data[next];
    if (byte === undefined || value > 0xffff_ffff_ffff) return null;
    value = (value + carry) * 128 + (byte & 0x7f);
    next += 1;
    if ((byte & 0x80) === 0) return { value, next };
  }
}

/** Seven bits a byte, the lowest first. */
function readSize(data: Buffer, at: number): Read | null {
  let [value, factor, next] = [0, 1, at];
  for (;;) {
    const byte = data[next];
    if (byte === undefined || factor > 2 ** 42) return null;
    value += (byte & 0x7f) * factor;
    [factor, next] = [factor * 128, next + 1];
    if ((byte & 0x80) === 0) return { value, next };
  }
}

/**
 * Applies a delta of git to its base: copies from the base, and insertions. Null where it does not fit the base, or
 * yields more than `bytesMax`.
 *
 * @throws BeyondEffort
 */
export function patched(under: Buffer, delta: Buffer, bytesMax: number, effort: Effort): Buffer | null {
  const from = readSize(delta, 0);
  const to = from === null ? null : readSize(delta, from.next);
  if (from === null || to === null || from.value !== under.length || to.value > bytesMax) return null;
  effort.spendBytes(to.value);
  const result = Buffer.alloc(to.value);
  let [at, filled] = [to.next, 0];
  while (at < delta.length) {
    effort.spendSteps(1);
    const instruction = delta[at] ?? 0;
    at += 1;
    if ((instruction & 0x80) === 0) {
      if (instruction === 0 || at + instruction > delta.length || filled + instruction > result.length) return null;
      // Setting a few bytes one by one is faster than a call.
      if (instruction < 16)
        for (let byte = 0; byte < instruction; byte += 1) result[filled + byte] = delta[at + byte] ?? 0;
      else delta.copy(result, filled, at, at + instruction);
      [at, filled] = [at + instruction, filled + instruction];
      continue;
    }
    // The bits of the instruction show which bytes of offset and length follow.
    let [offset, length] = [0, 0];
    for (let bit = 0; bit < 7; bit += 1) {
      if ((instruction & (1 << bit)) === 0) continue;
      const byte = delta[at];
      if (byte === undefined) return null;
      at += 1;
      if (bit < 4) offset += byte * 2 ** (8 * bit);
      else length += byte * 2 ** (8 * (bit - 4));
    }
    if (length === 0) length = 0x1_0000;
    if (offset + length > under.length || filled + length > result.length) return null;
    under.copy(result, filled, offset, offset + length);
    filled += length;
  }
  return filled === result.length ? result : null;
}

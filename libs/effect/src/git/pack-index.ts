// SPDX-License-Identifier: Apache-2.0
import { asBuffer } from './git-object.ts';
import type { Effort } from './effort.ts';

const MAGIC = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
const FAN_OUT_BYTES = 256 * 4;
const NAMES = MAGIC.length + FAN_OUT_BYTES;
const HASH_BYTES = 20;
const LARGE = 0x8000_0000;

/** The index of a pack (gitformat-pack, version 2): the offsets of its objects. Its content is not verified. */
export class PackIndex {
  readonly #data: Buffer;
  readonly #effort: Effort;
  readonly count: number;

  private constructor(data: Buffer, count: number, effort: Effort) {
    this.#data = data;
    this.#effort = effort;
    this.count = count;
  }

  /** Null for bytes that are no index. */
  static read(bytes: Uint8Array, effort: Effort): PackIndex | null {
    const data = asBuffer(bytes);
    if (data.length < NAMES || !data.subarray(0, MAGIC.length).equals(MAGIC)) return null;
    const count = data.readUInt32BE(NAMES - 4);
    // After the names: a checksum of four bytes each, then the offsets, then those that need eight bytes.
    return NAMES + count * (HASH_BYTES + 8) > data.length ? null : new PackIndex(data, count, effort);
  }

  /** The name of the object at a position of the index, in hexadecimal. */
  nameAt(at: number): string {
    return this.#data.toString('hex', NAMES + at * HASH_BYTES, NAMES + (at + 1) * HASH_BYTES);
  }

  /**
   * The offset of the object in the pack; null where the index doesn't list it.
   * @throws BeyondEffort
   */
  offsetOf(name: string): number | null {
    const wanted = Buffer.from(name, 'hex');
    if (wanted.length !== HASH_BYTES) return null;
    const first = wanted[0] ?? 0;
    let [low, high] = [first === 0 ? 0 : this.#fanOut(first - 1), Math.min(this.#fanOut(first), this.count)];
    while (low < high) {
      this.#effort.spendSteps(1);
      const middle = (low + high) >>> 1;
      const start = NAMES + middle * HASH_BYTES;
      const order = this.#data.compare(wanted, 0, HASH_BYTES, start, start + HASH_BYTES);
      if (order === 0) return this.#offsetAt(middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return null;
  }

  #fanOut(first: number): number {
    return this.#data.readUInt32BE(MAGIC.length + first * 4);
  }

  #offsetAt(at: number): number | null {
    const offsets = NAMES + this.count * (HASH_BYTES + 4);
    const offset = this.#data.readUInt32BE(offsets + at * 4);
    if (offset < LARGE) return offset;
    const large = offsets + this.count * 4 + (offset - LARGE) * 8;
    return large + 8 > this.#data.length ? null : Number(this.#data.readBigUInt64BE(large));
  }
}

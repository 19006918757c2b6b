// SPDX-License-Identifier: Apache-2.0
import { patched, readVariable } from './delta.ts';
import { EffortExceeded, type Effort } from './effort.ts';
import { asBuffer, inflated, OBJECT_BYTES_MAX, type GitObject, type ObjectType } from './git-object.ts';
import type { PackIndex } from './pack-index.ts';

/**
 * More than the longest chains of deltas that git makes by itself: 50 by default, and 250 with `--aggressive` in old
 * versions.
 */
const DEPTH_MAX = 256;
/** Base objects are cached up to this size, since a walk reads neighbours. */
const CACHE_BYTES_MAX = 32 * 1024 * 1024;
const HASH_BYTES = 20;
const TYPES: Readonly<Record<number, ObjectType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const [OFFSET_DELTA, NAMED_DELTA] = [6, 7];

/** An entry of a pack. @internal */
interface Entry {
  /** null for a delta */
  readonly type: ObjectType | null;
  /** the offset of the entry to which a delta is applied */
  readonly base: number;
  /** the offset of the compressed bytes */
  readonly data: number;
}

/** A pack with its index. */
export class Pack {
  readonly #index: PackIndex;
  readonly #data: Buffer | null;
  readonly #effort: Effort;
  readonly #cache = new Map<number, GitObject>();
  #cached = 0;

  /** @param pack null for one that is too long to read: its objects exist and can't be read */
  constructor(index: PackIndex, pack: Uint8Array | null, effort: Effort) {
    this.#index = index;
    this.#data = pack === null ? null : asBuffer(pack);
    this.#effort = effort;
  }

  lists(name: string): boolean {
    return this.#index.offsetOf(name) !== null;
  }

  /**
   * The object that the index has under that name, unverified; null where it can't be read.
   * @throws BeyondEffort
   */
  read(name: string): GitObject | null {
    const offset = this.#index.offsetOf(name);
    if (offset === null) return null;
    if (this.#data === null) throw new EffortExceeded();
    return this.#objectAt(this.#data, offset);
  }

  #objectAt(data: Buffer, offset: number): GitObject | null {
    // Offsets only: the deltas of a long chain together could be many times the limit of one object.
    const deltas: { readonly at: number; readonly data: number }[] = [];
    let [at, object]: [number, GitObject | null] = [offset, null];
    for (;;) {
      object = this.#cache.get(at) ?? null;
      if (object !== null) break;
      const entry = this.#entryAt(data, at);
      if (entry === null || deltas.length > DEPTH_MAX) return null;
      if (entry.type !== null) {
        object = this.#whole(data, entry.type, entry.data);
        break;
      }
      deltas.push({ at, data: entry.data });
      at = entry.base;
    }
    if (object === null) return null;
    this.#keep(at, object);
    for (const delta of deltas.reverse()) {
      const patch = inflated(data.subarray(delta.data), OBJECT_BYTES_MAX, this.#effort);
      const bytes: Buffer | null = patch === null ? null : patched(object.bytes, patch, OBJECT_BYTES_MAX, this.#effort);
      if (bytes === null) return null;
      object = { type: object.type, bytes };
      this.#keep(delta.at, object);
    }
    return object;
  }

  #whole(data: Buffer, type: ObjectType, at: number): GitObject | null {
    const bytes = inflated(data.subarray(at), OBJECT_BYTES_MAX, this.#effort);
    return bytes === null ? null : { type, bytes };
  }

  #keep(at: number, object: GitObject): void {
    if (this.#cache.has(at) || object.bytes.length > CACHE_BYTES_MAX / 4) return;
    this.#cache.set(at, object);
    this.#cached += object.bytes.length;
    for (const [oldest, { bytes }] of this.#cache) {
      if (this.#cached <= CACHE_BYTES_MAX) break;
      this.#cache.delete(oldest);
      this.#cached -= bytes.length;
    }
  }

  /** The entry at an offset; null where it is invalid. Sizes are ignored: inflating yields them. */
  #entryAt(data: Buffer, offset: number): Entry | null {
    this.#effort.spendSteps(1);
    const first = data[offset];
    if (first === undefined) return null;
    let next = offset + 1;
    for (let byte = first; (byte & 0x80) !== 0; next += 1) {
      const more = data[next];
      // Ten bytes can hold any size.
      if (more === undefined || next > offset + 10) return null;
      byte = more;
    }
    const number = (first >> 4) & 7;
    const type = TYPES[number];
    if (type !== undefined) return { type, base: -1, data: next };
    if (number === OFFSET_DELTA) {
      const back = readVariable(data, next, 1);
      // A base precedes its deltas, so a chain ends.
      return back === null || back.value <= 0 || back.value > offset
        ? null
        : { type: null, base: offset - back.value, data: back.next };
    }
    if (number !== NAMED_DELTA) return null;
    const base = this.#index.offsetOf(data.toString('hex', next, next + HASH_BYTES));
    return base === null ? null : { type: null, base, data: next + HASH_BYTES };
  }
}

// SPDX-License-Identifier: Apache-2.0

/** The newest bytes of a stream, by their positions in it. */
export class KeptOutput {
  readonly #bytesMax: number;
  #parts: Buffer[] = [];
  #start = 0;
  #end = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** the position of the first byte that is kept */
  get start(): number {
    return this.#start;
  }

  /** the position after the last byte */
  get end(): number {
    return this.#end;
  }

  /** Adds bytes at a position. Bytes that are there already are skipped; after a gap, only the new ones are kept. */
  add(from: number, bytes: Buffer): void {
    if (from > this.#end) [this.#parts, this.#start, this.#end] = [[], from, from];
    const fresh = bytes.subarray(Math.max(0, this.#end - from));
    if (fresh.length === 0) return;
    this.#parts.push(fresh);
    this.#end += fresh.length;
    for (
      let first = this.#parts[0];
      first !== undefined && this.#end - this.#start - first.length >= this.#bytesMax;
      first = this.#parts[0]
    ) {
      this.#parts.shift();
      this.#start += first.length;
    }
  }

  /** The piece that holds the byte at a position, from there on; empty where none is kept. */
  pieceAt(position: number): Buffer {
    let at = this.#start;
    for (const part of this.#parts) {
      if (position >= at && position < at + part.length) return part.subarray(position - at);
      at += part.length;
    }
    return Buffer.alloc(0);
  }
}

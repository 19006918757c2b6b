// SPDX-License-Identifier: Apache-2.0

/** The newest bytes of an output: all of the last `bytesMax`, and at most one part more. */
export class NewestBytes {
  readonly #bytesMax: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Its parts, the oldest first. */
  get parts(): readonly Buffer[] {
    return this.#parts;
  }

  /** Bytes of all parts. */
  get size(): number {
    return this.#size;
  }

  push(bytes: Uint8Array): void {
    // A copy: the buffer that it is part of may be much larger.
    const part = Buffer.from(bytes.subarray(Math.max(0, bytes.length - this.#bytesMax)));
    this.#parts.push(part);
    this.#size += part.length;
    for (
      let first = this.#parts[0];
      first !== undefined && this.#size - first.length >= this.#bytesMax;
      first = this.#parts[0]
    ) {
      this.#parts.shift();
      this.#size -= first.length;
    }
  }

  clear(): void {
    [this.#parts, this.#size] = [[], 0];
  }
}

// SPDX-License-Identifier: Apache-2.0

/** The engine's own header before each piece of a stream: kind (u8), three zero bytes, length (u32 big-endian). */
const HEADER_BYTES = 8;

/**
 * Demultiplexes the engine's stream without buffering: pieces are passed on as they arrive. The headers come from the
 * engine, the content is attacker-controlled.
 */
export class Demux {
  readonly #stdout: (bytes: Buffer) => void;
  readonly #stderr: (bytes: Buffer) => void;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  #left = 0;

  constructor(stdout: (bytes: Buffer) => void, stderr: (bytes: Buffer) => void) {
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#left === 0) {
        at += this.#takeHeader(chunk, at);
        continue;
      }
      const piece = chunk.subarray(at, at + this.#left);
      at += piece.length;
      this.#left -= piece.length;
      if (this.#header[0] === 2) this.#stderr(piece);
      else this.#stdout(piece);
    }
  }

  #takeHeader(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#header, this.#headerBytes, at, at + HEADER_BYTES - this.#headerBytes);
    this.#headerBytes += taken;
    if (this.#headerBytes === HEADER_BYTES) {
      this.#headerBytes = 0;
      this.#left = this.#header.readUInt32BE(4);
    }
    return taken;
  }
}

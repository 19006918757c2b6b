// SPDX-License-Identifier: Apache-2.0

/** Rechunks the bytes into parts of exactly `length`, the last one shorter. The parts are copies. */
export async function* refill(parts: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let chunk = new Uint8Array(length);
  let filled = 0;
  for await (const part of parts) {
    for (let at = 0; at < part.length;) {
      const piece = part.subarray(at, at + length - filled);
      chunk.set(piece, filled);
      filled += piece.length;
      at += piece.length;
      if (filled < length) continue;
      yield chunk;
      chunk = new Uint8Array(length);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

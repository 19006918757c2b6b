// SPDX-License-Identifier: Apache-2.0

/** The longest line: an answer with several images. */
const LINE_BYTES_MAX = 12 * 1_048_576;
const LINE_FEED = 0x0a;

/** Divides bytes into lines. It looks at each byte once, however they come. */
export class LineSplitter {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  /** The lines that end in these bytes; null where one is longer than a line may be. */
  push(bytes: Uint8Array): readonly string[] | null {
    const lines: string[] = [];
    let from = 0;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
      lines.push(this.#joined(bytes.subarray(from, at)));
      from = at + 1;
    }
    const rest = bytes.subarray(from);
    this.#bytes += rest.length;
    if (this.#bytes > LINE_BYTES_MAX) return null;
    if (rest.length > 0) this.#parts.push(rest);
    return lines;
  }

  #joined(last: Uint8Array): string {
    const line = Buffer.concat([...this.#parts, last]).toString('utf8');
    [this.#parts, this.#bytes] = [[], 0];
    return line;
  }
}

// SPDX-License-Identifier: Apache-2.0

/** A line of the input, or what is wrong with it. */
export type Line = { readonly text: string } | { readonly wrong: 'too_long' | 'not_utf8' };

const NEWLINE = 0x0a;

/**
 * The lines of a stream of bytes, each as soon as it is complete. A line keeps at most `bytesMax` bytes in memory: of a
 * longer one only that it is too long is told. A carriage return before the end is dropped; the last line needs no end.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let [length, pending] = [0, false];
  const take = (part: Uint8Array): void => {
    length += part.length;
    pending ||= part.length > 0;
    if (length <= bytesMax) parts.push(part);
    else parts = [];
  };
  const finish = (): Line => {
    const line: Line = length > bytesMax ? { wrong: 'too_long' } : decoded(Buffer.concat(parts));
    parts = [];
    [length, pending] = [0, false];
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    take(chunk.subarray(start));
  }
  if (pending) yield finish();
}

function decoded(bytes: Uint8Array): Line {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r$/, '') };
  } catch {
    return { wrong: 'not_utf8' };
  }
}

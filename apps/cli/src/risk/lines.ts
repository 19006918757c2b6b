// SPDX-License-Identifier: Apache-2.0

/** A line of the input, or its problem. */
export type Line = { readonly text: string } | { readonly problem: 'too_long' | 'not_utf8' };

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines and yields each as soon as it is complete. At most `bytesMax` bytes of a line are
 * kept in memory; a longer line yields only `too_long`. A carriage return before the newline is dropped. The last line
 * needs no newline.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let [length, pending] = [0, false];
  const append = (part: Uint8Array): void => {
    length += part.length;
    pending ||= part.length > 0;
    if (length <= bytesMax) parts.push(part);
    else parts = [];
  };
  const finishLine = (): Line => {
    const line: Line = length > bytesMax ? { problem: 'too_long' } : decodeLine(Buffer.concat(parts));
    parts = [];
    [length, pending] = [0, false];
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      append(chunk.subarray(start, end));
      yield finishLine();
      start = end + 1;
    }
    append(chunk.subarray(start));
  }
  if (pending) yield finishLine();
}

function decodeLine(bytes: Uint8Array): Line {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r$/, '') };
  } catch {
    return { problem: 'not_utf8' };
  }
}

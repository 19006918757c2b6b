// SPDX-License-Identifier: Apache-2.0

/** The lines of a text, each with its line feed; a last one without where the text doesn't end in one. None for an empty text. */
export function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** The number, from 1, of the line that the index is in. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** As many whole lines as fit into the bytes, or of a first line that doesn't, as many whole characters. */
export function cutToBytes(lines: readonly string[], bytesMax: number): string {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    const next = bytes + Buffer.byteLength(line);
    if (next > bytesMax) break;
    bytes = next;
    count++;
  }
  if (count > 0 || lines.length === 0) return lines.slice(0, count).join('');
  const start = Buffer.from((lines[0] ?? '').slice(0, bytesMax)).subarray(0, bytesMax);
  // A character that was cut in two decodes to a replacement at the end, and is left out.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(start, { stream: true });
}

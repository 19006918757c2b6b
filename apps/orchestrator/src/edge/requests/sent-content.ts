// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { inSlices } from '@writ/worker-pool';

/** Characters of base64 that are read at once: in half a millisecond, and in whole groups of four. */
const PART_CHARS = 256 * 1024;

/** A content in the body of a request: attacker-controlled. */
export interface SentContent {
  readonly content: string;
  readonly encoding?: string | undefined;
}

/**
 * The bytes that each of them names, read in slices of time. Strict: what Node's reader would skip makes another
 * content than the one that was meant.
 *
 * @param pointer of a content, by its place
 * @throws Fault `request.malformed` with the pointer
 */
export async function contentsOf(
  sent: readonly SentContent[],
  pointer: (index: number) => string,
): Promise<Uint8Array[]> {
  const contents: Uint8Array[] = [];
  for await (const { content, encoding } of inSlices(sent)) {
    const bytes = encoding === 'base64' ? await fromBase64(content) : Buffer.from(content, 'utf8');
    if (bytes === null)
      throw new Fault('request.malformed', '`content` is not base64 (RFC 4648 §4)', {
        pointer: pointer(contents.length),
      });
    contents.push(bytes);
  }
  return contents;
}

/** Null where it is none. Only the last part may be padded: one before it that is gives fewer bytes than its length. */
async function fromBase64(text: string): Promise<Uint8Array | null> {
  const starts = Array.from({ length: Math.ceil(text.length / PART_CHARS) }, (_, part) => part * PART_CHARS);
  const parts: Buffer[] = [];
  for await (const start of inSlices(starts)) {
    const part = text.slice(start, start + PART_CHARS);
    const bytes = Buffer.from(part, 'base64');
    const isLast = start + PART_CHARS >= text.length;
    if (bytes.toString('base64') !== part || (!isLast && bytes.length * 4 !== part.length * 3)) return null;
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { inSlices } from '@writ/worker-pool';

/** Characters of base64 that are decoded at once, in half a millisecond; a multiple of four. */
const PART_CHARS = 256 * 1024;

/** File content in the body of a request, attacker-controlled. */
export interface SentContent {
  readonly content: string;
  readonly encoding?: string | undefined;
}

/**
 * Decodes each content into bytes, in slices of time. Decoding is strict: Node's decoder would skip invalid characters
 * and produce other content than the sender meant.
 *
 * @param pointer the JSON pointer of a content, by its index
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

/**
 * Null where the text is not base64. Only the last part may have padding; a padded earlier part decodes to too few
 * bytes.
 */
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

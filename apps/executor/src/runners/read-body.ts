// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';

/** What came of a body, up to a bound. */
export interface Body {
  readonly bytes: Buffer;
  readonly truncated: boolean;
}

/** Reads a body up to `most` bytes and gives up the rest. Rejects where it breaks off before. */
export async function readBody(stream: Readable, most: number): Promise<Body> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, most - size));
    size += part.length;
    if (size > most) break;
  }
  stream.destroy();
  return { bytes: Buffer.concat(parts), truncated: size > most };
}

/** A body as text where it is UTF-8, else in base64. */
export function encoded({ bytes, truncated }: Body): { body: string; encoding: 'utf8' | 'base64' } {
  try {
    // What was cut may end within a character.
    return {
      body: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
        .decode(bytes, { stream: truncated })
        .replaceAll('\0', '\uFFFD'),
      encoding: 'utf8',
    };
  } catch {
    return { body: bytes.toString('base64'), encoding: 'base64' };
  }
}

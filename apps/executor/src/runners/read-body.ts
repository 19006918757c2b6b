// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';

/** The received part of a body, up to a bound. */
export interface Body {
  readonly bytes: Buffer;
  readonly truncated: boolean;
}

/** Reads a body up to `most` bytes and drops the rest. Rejects if the body breaks off before. */
export async function readBody(stream: Readable, bytesMax: number): Promise<Body> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, bytesMax - size));
    size += part.length;
    if (size > bytesMax) break;
  }
  stream.destroy();
  return { bytes: Buffer.concat(parts), truncated: size > bytesMax };
}

/** A body as text where it is UTF-8, else in base64. */
export function encodeBody({ bytes, truncated }: Body): { body: string; encoding: 'utf8' | 'base64' } {
  try {
    // A truncated body may end within a character.
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

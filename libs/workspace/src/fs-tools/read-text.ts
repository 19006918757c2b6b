// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { decodeText } from '../text.ts';
import { cutToBytes, lineRangeOf } from './lines.ts';

/** A file's bytes, and the requested lines: `offset` are skipped, at most `limit` are returned. */
export interface ReadWork {
  readonly bytes: Uint8Array;
  readonly offset?: number;
  readonly limit?: number;
}

/** The result of a read. `truncated` means that something after it was left out. */
export interface ReadText {
  readonly content: string;
  readonly encoding: 'utf8' | 'base64';
  readonly lines: number;
  readonly truncated: boolean;
}

/** Base64 has four characters for three bytes. */
const BINARY_BYTES_MAX = Math.floor(LIMITS.outputBytes.max / 4) * 3;

/**
 * The requested lines, truncated to the limit of a result. Contents that aren't UTF-8 text are returned as base64, or
 * as much of their start as fits.
 */
export function readText({ bytes, offset = 0, limit }: ReadWork): ReadText {
  if (decodeText(bytes) === null) {
    const content = Buffer.from(bytes.subarray(0, BINARY_BYTES_MAX)).toString('base64');
    return { content, encoding: 'base64', lines: 0, truncated: bytes.length > BINARY_BYTES_MAX };
  }
  const { lines, start, end } = lineRangeOf(bytes, offset, limit);
  const cut = cutToBytes(bytes, start, end, LIMITS.outputBytes.max);
  const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, cut));
  return { content, encoding: 'utf8', lines, truncated: cut < bytes.length };
}

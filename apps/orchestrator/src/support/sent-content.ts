// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

export interface SentContent {
  readonly content: string;
  readonly encoding?: string | undefined;
}

/** The bytes that a body names. Strict: what Node's reader would skip makes another content than the one that was meant. @throws Fault `request.malformed` with the pointer */
export function contentOf({ content, encoding }: SentContent, pointer: string): Uint8Array {
  const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
  if (encoding === 'base64' && bytes.toString('base64') !== content) throw new Fault('request.malformed', '`content` is not base64 (RFC 4648 §4)', { pointer });
  return bytes;
}

// SPDX-License-Identifier: Apache-2.0
//
// The text of a message, from the structure that the server tells (RFC 3501, section 6.4.5) and the beginning of one
// part. All of it was written by others.
import { TextDecoder } from 'node:util';
import type { MessageStructureObject } from 'imapflow';
import { MESSAGE_TEXT_CHARS_MAX } from '@writ/contract';
import { htmlText } from './html-text.ts';

/** Bytes that are fetched of a part: HTML of newsletters begins with its styles. */
export const PART_BYTES_MAX = 131_072;
/** Parts of one message that are looked at. */
const PARTS_MAX = 200;

export interface TextPart {
  /** Its number, for FETCH. */
  readonly part: string;
  readonly isHtml: boolean;
  readonly encoding: string;
  readonly charset: string;
}

/** The part to read, plain text before HTML, and whether there is any that is an attachment. */
export function partsOf(structure: MessageStructureObject | undefined): {
  text: TextPart | null;
  has_attachments: boolean;
} {
  let plain: TextPart | null = null;
  let html: TextPart | null = null;
  let isAttached = false;
  const open = structure === undefined ? [] : [structure];
  for (let seen = 0; seen < PARTS_MAX; seen += 1) {
    const node = open.pop();
    if (node === undefined) break;
    const type = String(node.type).toLowerCase();
    if (type.startsWith('multipart/')) {
      open.push(...(node.childNodes ?? []).slice(0, PARTS_MAX).reverse());
      continue;
    }
    const isReadable = (type === 'text/plain' || type === 'text/html') && node.disposition !== 'attachment';
    if (isReadable && type === 'text/plain') plain ??= textPart(node, false);
    else if (isReadable) html ??= textPart(node, true);
    // A picture inside of an HTML text has an id that the text names.
    else isAttached ||= node.disposition === 'attachment' || node.id === undefined;
  }
  return { text: plain ?? html, has_attachments: isAttached };
}

const textPart = (node: MessageStructureObject, isHtml: boolean): TextPart => ({
  part: /^\d+(\.\d+)*$/.test(node.part ?? '') ? String(node.part) : '1',
  isHtml,
  encoding: String(node.encoding ?? '').toLowerCase(),
  charset: String(node.parameters?.['charset'] ?? 'utf-8'),
});

/** @param bytes the beginning of the part, as the server has it */
export function readText(bytes: Uint8Array, part: TextPart): { text: string; text_truncated: boolean } {
  const raw = Buffer.from(bytes).subarray(0, PART_BYTES_MAX);
  const decoded = decoder(part.charset).decode(withoutEncoding(raw, part.encoding));
  const text = tidied(part.isHtml ? htmlText(decoded) : decoded);
  const isCut = text.length > MESSAGE_TEXT_CHARS_MAX;
  return {
    text: isCut ? text.slice(0, MESSAGE_TEXT_CHARS_MAX).toWellFormed() : text,
    text_truncated: isCut || bytes.length >= PART_BYTES_MAX,
  };
}

/** Text whose alphabet is not known is read as UTF-8, with a sign for each byte that is none of it. */
function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder('utf-8');
  }
}

/** RFC 2045, section 6. What is encoded in no known way is read as it stands. */
function withoutEncoding(raw: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(raw.toString('latin1'), 'base64');
  if (encoding !== 'quoted-printable') return raw;
  const text = raw.toString('latin1').replace(/=\r?\n/g, '');
  return Buffer.from(
    text.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  );
}

/** Lines without trailing space, one empty line at most between two, and no control characters. */
const tidied = (text: string): string =>
  text
    .split(/\r\n?|\n/)
    .map((line) => clean(line).trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const clean = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');

/** One line of a header, bounded. */
export function headerLine(value: unknown, charsMax: number): string {
  if (typeof value !== 'string') return '';
  return clean(value.slice(0, charsMax).replace(/\s+/g, ' ')).trim().toWellFormed();
}
